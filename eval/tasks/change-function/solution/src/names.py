"""Short forms of the names of clubs and places."""

import re


def words(name):
    """The words of a name, without punctuation."""
    return re.findall(r"[^\W_]+", name)


def initials(name):
    """The first letters of a name: `Royal Yacht Club` gives `RYC`."""
    small = {"of", "the", "and"}
    return "".join(w[0].upper() for w in words(name) if w.lower() not in small)


def shorten(name, limit=20):
    """The name, or its initials where it is longer than `limit` characters."""
    return name if len(name) <= limit else initials(name)
