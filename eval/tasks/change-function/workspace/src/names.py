"""Short forms of the names of clubs and places."""

import re


def words(name):
    """The words of a name, without punctuation."""
    return re.findall(r"[^\W_]+", name)


def initials(name):
    """The first letters of a name: `Royal Yacht Club` gives `RYC`."""
    return "".join(word[0].upper() for word in words(name))


def shorten(name, limit=20):
    """The name, or its initials where it is longer than `limit` characters."""
    return name if len(name) <= limit else initials(name)
