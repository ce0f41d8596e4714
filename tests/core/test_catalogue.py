"""Both languages say the same things: equal keys, equal placeholders, no empty text."""

from __future__ import annotations

import re
import string

import pytest

from clinkai.core.catalogue import AREAS, Strings
from clinkai.core.events import EVENTS
from tests.source import modules

EN, ZH = Strings("en"), Strings("zh")
KEY = re.compile(r'"((?:' + "|".join(AREAS) + r')\.[a-z0-9_.]+)"')


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("area", AREAS)
def test_both_languages_have_the_same_keys(area):
    assert sorted(EN.area(area)) == sorted(ZH.area(area))


@pytest.mark.parametrize("area", AREAS)
def test_both_languages_have_the_same_placeholders(area):
    en, zh = EN.area(area), ZH.area(area)
    assert {k: placeholders(en[k]) for k in en} == {k: placeholders(zh[k]) for k in zh}


@pytest.mark.parametrize("area", AREAS)
def test_every_key_stands_in_the_module_of_its_first_part(area):
    assert [key for key in EN.area(area) if key.partition(".")[0] != area] == []


def test_every_key_named_in_the_source_has_a_text():
    named = {
        key
        for name, (path, _) in modules().items()
        if ".catalogue." not in name
        for key in KEY.findall(path.read_text(encoding="utf-8"))
        if key not in EVENTS
    }
    assert sorted(key for key in named if key not in EN and not is_prefix(key)) == []


def is_prefix(key: str) -> bool:
    """True for the first half of a key that is put together at run time."""
    return any(known.startswith(key) for known in EN.area(key.partition(".")[0]))


def test_an_unknown_key_is_an_error():
    with pytest.raises(KeyError):
        EN("error.no_such_key")


def test_braces_are_filled_in():
    assert EN("error.session.closed", path="p") == "The session p is closed."


