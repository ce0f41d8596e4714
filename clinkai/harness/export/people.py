"""E-mail addresses and home folders, of whomever.

Kept: what has an `@` and is none (decorators, versions of packages, matrices), `user@host` without
a domain, the user and host of ssh, scp, git and a prompt: they are needed to follow what was done.
Not covered: names of people, addresses in disguise.
"""

from __future__ import annotations

import re

EMAIL = "[e-mail]"

COUNTRIES = (
    "acadaeafagaialamaoaqarasatauawaxazbabbbdbebfbgbhbibjbmbnbobrbsbtbwbybzcacccdcfcgchcickcl"
    "cmcncocrcucvcwcxcyczdedjdkdmdodzeceeegereseteufifjfkfmfofrgagbgdgegfggghgiglgmgngpgqgrgs"
    "gtgugwgyhkhmhnhrhthuidieiliminioiqirisitjejmjojpkekgkhkikmknkpkrkwkykzlalblclilklrlsltlu"
    "lvlymamcmdmemgmhmkmlmmmnmompmqmrmsmtmumvmwmxmymznancnenfngninlnonpnrnunzompapepfpgphpkpl"
    "pmpnprptpwqarerorsrurwsasbscsdsesgshsiskslsmsnsrssstsvsxsysztctdtftgthtjtktltmtntotrtttv"
    "twtzuaugukusuyuzvavcvevgvivnvuwfwsyeytzazmzw"
)
"""The country code domains of the IANA root zone, but for `py` and `so`: files are called so."""

TOPS = {COUNTRIES[i: i + 2] for i in range(0, len(COUNTRIES), 2)} | set(
    "com org net edu gov mil int info biz name pro aero coop museum mobi jobs tel travel "
    "asia cat post app dev page cloud online site store tech blog wiki email mail live life "
    "world team group agency company solutions systems digital studio design consulting "
    "engineering software network university school academy institute foundation ngo berlin "
    "london paris nyc tokyo wien hamburg bayern koeln swiss amsterdam vegas law legal "
    "health care bank finance money fund ventures capital news media press shop xyz top "
    "club vip art music games ai zone space today test example invalid local internal corp "
    "lan 公司 网络 中国 中文网".split()
)
ADDRESS = re.compile(
    r"(?<![\w.+@%/$-])(?P<local>\w[\w.+'~-]{0,63})(?:@|%40)"
    r"(?P<domain>(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?P<top>[^\W\d_]{2,24}|xn--[\w-]{2,40}))"
    r"(?![\w@-]|\.[^\W_])"
)
SSH = re.compile(r"(?:^|[\s\"'`$(;|&])(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id)\b"
                 r"[^\n;|&]{0,200}$")
PLACE = re.compile(r":(?:[~/.$]|[\w.-]{1,60}/)")
"""After a host: a path of scp, a git remote, a prompt."""

PROMPT = re.compile(r"\s+[^\s\]]{1,60}\]\s*[$#%]")


def address(match: re.Match) -> str:
    """What takes the place of an e-mail address: itself where it is something else."""
    text, end = match.string, match.end()
    if match["top"].lower() not in TOPS and not match["top"].lower().startswith("xn--"):
        return match[0]
    if PLACE.match(text, end):
        return match[0]
    before = text[max(0, match.start() - 240): match.start()]
    if before[-1:] == "[" and PROMPT.match(text[end: end + 64]):
        return match[0]
    if SSH.search(before.rpartition("\n")[2]) or re.search(r"://[^\s/]*$", before):
        return match[0]
    return EMAIL


SEPARATOR = r"(?:\\{1,4}|/)"
HOMES = re.compile(
    r"(?:(?P<posix>(?:(?<![\w.~@%/\\)}\]-])|(?<=-[ILD]))(?:file://)?"
    r"(?:(?:/private)?/(?:var|usr|export|data|mnt|net|nfs)(?=/home/))?"
    r"/home/(?P<one>[^\W\d][\w.-]{0,63})(?=[^\w.@:$*{<(/-]|/|:|[.](?:\W|$)|$))"
    r"|(?P<mac>(?<![\w.~@%/\\)}\]-])(?:file://)?"
    r"(?:/(?:Volumes|System/Volumes)/[^/\n]{1,40})?/Users/"
    r"(?P<two>[^\W\d][\w.-]{0,63}))"
    rf"|(?P<win>(?<![A-Za-z0-9])(?:[A-Za-z]:{SEPARATOR}|/mnt/[a-z]/|/cygdrive/[a-z]/|"
    rf"(?<![\w.])/[a-z]/)(?i:users|documents and settings){SEPARATOR}"
    r"(?P<three>[^\W\d][\w.$-]{0,63}(?:[ ][\w.$()-]{1,40}){0,3}(?=\\|/)|[^\W\d][\w.$-]{0,63})))"
)
NOBODY = {"shared", "public", "default", "all users", "default user", "linuxbrew", "user", "users",
          "username", "you", "me", "index", "guest", "name"}
"""Folders beside those of people, and what stands for a name in instructions."""


def home(match: re.Match) -> str:
    """What takes the place of a home folder."""
    name = (match["one"] or match["two"] or match["three"]).rstrip(".")
    dots = match[0][len(match[0].rstrip(".")):]
    prefix = "file://" if match[0].startswith("file:") else ""
    return match[0] if name.lower() in NOBODY else f"{prefix}~{dots}"
