"""The little languages some readers understand: scripts of sed, filters of jq, tests of find.

Each has an allowlist of what may appear; a construct that is not on it is refused, also where it
would be harmless.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

ADDRESS = r"(?:\d{1,9}|\$|/(?:[^/\\]|\\.)+/)"
SED = re.compile(rf"{ADDRESS}(?:, ?(?:{ADDRESS}|\+\d{{1,9}}))? ?[pq=](?: *; *{ADDRESS}"
                 rf"(?:, ?(?:{ADDRESS}|\+\d{{1,9}}))? ?[pq=])*")
"""Addresses with `p`, `q` or `=`: printing. No command that takes a name or text."""


def sed(text: str, word: Word, fence: Fence) -> None:
    """Refuse a sed script that does more than print lines."""
    if not SED.fullmatch(text):
        raise Refused("gate.script", word.raw, program="sed")


JQ_TOKEN = re.compile(
    r"\s+|\"|\d+(?:\.\d+)?|\.[A-Za-z_]\w*|[A-Za-z_]\w*|@[a-z0-9]+|\$[a-z]\w*"
    r"|\?//|==|!=|<=|>=|\.\.|[.|,:;()\[\]{}?+*/%<>-]"
)
"""One token of a filter, of a string its quote. No assignments, no comments; variables in small
letters only, which leaves out $ENV and $__prog_args."""

JQ_STRING = re.compile(r"(?:[^\"\\]|\\[^(])*(\"|\\\()")
"""The rest of a string, to its end or to a filter within it."""

PAIRS = {"}": "{", "]": "[", ")": "(", "end": "if"}

JQ_WORDS = frozenset(
    "if then elif else end and or not as reduce foreach try catch null true false empty error "
    "length utf8bytelength keys keys_unsorted has in map map_values path paths leaf_paths del "
    "to_entries from_entries with_entries select add any all flatten range floor ceil round sqrt "
    "tonumber tostring type sort sort_by group_by min max min_by max_by unique unique_by reverse "
    "contains inside startswith endswith combinations ltrimstr rtrimstr trim ltrim rtrim explode "
    "implode split join ascii_downcase ascii_upcase recurse test match capture scan splits sub "
    "gsub ascii tojson fromjson first last nth until limit skip indices index rindex arrays "
    "objects iterables booleans numbers strings nulls values scalars transpose tostream abs "
    "walk getpath now todate".split()
)
"""Words of a filter that see nothing but the document: no env, input, import, modulemeta."""


def jq(text: str, word: Word, fence: Fence) -> None:
    """Refuse a jq filter that could read anything but its input."""
    at, last = 0, ""
    inside: list[str] = []
    while at < len(text):
        found = JQ_TOKEN.match(text, at)
        token = found.group() if found else ""
        is_word = token[:1].isalpha() or token[:1] == "_"
        is_key = inside[-1:] == ["{"] and last in ("{", ",")
        if not found or is_word and not is_key and token not in JQ_WORDS:
            raise Refused("gate.script", word.raw, program="jq")
        at = found.end()
        if is_word and is_key:
            pass
        elif token in PAIRS.values():
            inside.append(token)
        elif token in PAIRS:
            opened = inside.pop() if inside else ""
            if opened.removesuffix('"') != PAIRS[token]:
                raise Refused("gate.script", word.raw, program="jq")
            token = '"' if opened == '("' else token
        if token == '"':
            rest = JQ_STRING.match(text, at)
            if not rest:
                raise Refused("gate.script", word.raw, program="jq")
            at = rest.end()
            if rest.group(1) != '"':
                inside.append('("')
        last = last if token.isspace() else token


FIND_PLAIN = frozenset(
    "-print -print0 -ls -prune -quit -not -o -or -a -and -empty -true -false -nouser "
    "-nogroup -readable -writable -executable -depth -d -mount -xdev -daystart -noleaf "
    "-ignore_readdir_race -noignore_readdir_race ! ( ) ,".split()
)
FIND_TEXT = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname "
    "-type -size -mtime -atime -ctime -mmin -amin -cmin -newermt -newerat -newerct -newerBt -user "
    "-group -uid -gid -perm -links -inum -maxdepth -mindepth -used -fstype -printf".split()
)
FIND_PATH = frozenset("-newer -anewer -cnewer -samefile".split()) | frozenset(
    "-newer" + own + other for own in "aBcm" for other in "aBcm"
)
FIND_FIRST = frozenset(("-P", "-O0", "-O1", "-O2", "-O3"))


def find(words: tuple[Word, ...], fence: Fence) -> None:
    """Check the words after `find`: start points inside, then tests and printing only.
    Raises Refused."""
    rest = list(words)
    while rest and rest[0].text in FIND_FIRST:
        rest.pop(0)
    while rest and not rest[0].text.startswith("-") and rest[0].text not in ("!", "(", ",", ")"):
        word = rest.pop(0)
        fence.path(word.text, word)
    while rest:
        word = rest.pop(0)
        if word.text in FIND_PLAIN:
            continue
        if word.text not in FIND_TEXT and word.text not in FIND_PATH:
            raise Refused("gate.option", word.raw, _find_risk(word.text), program="find")
        if not rest:
            raise Refused("gate.option.value", word.raw, program="find")
        value = rest.pop(0)
        if word.text in FIND_PATH:
            fence.path(value.text, value)


def _find_risk(text: str) -> str:
    """Deleting and running programs are high risk."""
    return "high" if text.startswith(("-delete", "-exec", "-ok")) else "low"
