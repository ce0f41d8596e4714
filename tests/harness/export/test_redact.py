"""What an export leaves out, and the look-alikes that stay: `tests/cases/redaction.jsonl`.

A row is a text in which ‹…› is what must go; without it the text must stay as it is. `{b62:36}` is
filled with made-up characters of that alphabet, others in each round, so that no real-looking key
stands in this repository.
"""

from __future__ import annotations

import json
import random
import re
import string
from pathlib import Path

import pytest

from clinkai.harness.export.redact import Redactor

ROWS = [json.loads(line) for line in
        (Path(__file__).parents[2] / "cases" / "redaction.jsonl").read_text("utf-8").splitlines()]
B62 = string.ascii_letters + string.digits
ALPHABETS = {
    "b62": B62, "url": B62 + "-_", "b64": B62 + "+/", "hex": "0123456789abcdef",
    "up": string.ascii_uppercase + "234567", "dig": string.digits, "pw": B62 + "!#%^*-_=+",
    "pwu": B62 + "!~._-",
}
PUT = {"key": "[redacted]", "token": "[redacted]", "home": "~", "email": "[e-mail]"}
ROUNDS = 3


def fill(text: str, seed: int) -> str:
    """`text` with made-up characters in its places; they begin and end with a letter or digit."""
    chance = random.Random(f"{seed}{text}")

    def made(match: re.Match) -> str:
        if match[0] == "{uuid}":
            parts = [chance.choices(ALPHABETS["hex"], k=n) for n in (8, 4, 4, 4, 12)]
            return "-".join(map("".join, parts))
        inner = "".join(chance.choices(ALPHABETS[match[1]], k=int(match[2])))
        edge = ALPHABETS[match[1]] if match[1] in ("hex", "up", "dig") else B62
        return chance.choice(edge) + inner[1:-1] + chance.choice(edge) if len(inner) > 1 else inner

    return re.sub(r"\{(?:uuid|(\w+):(\d+))\}", made, text)


@pytest.mark.parametrize("kind", list(PUT))
def test_what_must_go_goes_and_what_looks_like_it_stays(kind):
    redactor, wrong = Redactor(), []
    for row in ROWS:
        for seed in range(ROUNDS):
            text = fill(row["text"], seed)
            if row["kind"] == kind:
                wanted = re.sub("‹.*?›", lambda _: PUT[kind], text, flags=re.DOTALL)
                got = redactor.text(re.sub("[‹›]", "", text))
                wrong += [(got, wanted)] if got != wanted else []
    assert wrong == []


@pytest.mark.parametrize("kind", list(PUT))
def test_there_are_sixty_of_each_kind_and_of_its_look_alikes(kind):
    gone = sum("‹" in row["text"] for row in ROWS if row["kind"] == kind)
    stays = sum("‹" not in row["text"] for row in ROWS if row["kind"] == kind)
    assert min(gone, stays) >= 60
