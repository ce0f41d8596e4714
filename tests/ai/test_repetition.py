"""Text that repeats itself is found, however it is cut; what only looks like it is not."""

from __future__ import annotations

import json
import random

import pytest

from clinkai.ai.repetition import Repetition
from tests.ai.repeating_texts import ALL

BEFORE = "The tests fail, so the cause has to be found. "
# A text that ends with the third copy needs no stop.
AFTER = "That much is certain now, and nothing else will be said about it here."

SENTENCES = {
    "twenty characters": "Let me check again. ",
    "one sentence": "I should read the configuration file once more before I change anything. ",
    "a line of its own": "Let me look at the file again.\n",
    "a paragraph": (
        "Wait, maybe the path is wrong. The error says that `src/app/main.py` does not exist, but "
        "the listing shows it. Perhaps the working directory is not what I think it is. Let me "
        "run the listing again, and then read the file with its full path.\n\n"),
    "thoughts as a list": (
        "1. First, read the file and find the function that fails.\n"
        "2. Then change it so that the empty list is handled, too.\n"
        "3. Finally, run the tests again and see whether they pass.\n\n"),
    "no full stop": "and then we look at the file and then we look at the test and then we go on ",
    "Chinese": "我需要再检查一下这个文件的内容，然后再决定怎么做。",
    "Russian": "Нужно ещё раз проверить файл, прежде чем что-то менять. ",
    "Arabic": "يجب أن أتحقق من الملف مرة أخرى قبل أن أغير أي شيء. ",
    "Hindi": "मुझे फ़ाइल को फिर से जाँचना चाहिए, उसके बाद ही कुछ बदलना है। ",
    "a heading and its text": (
        "## What to do next\n\nThe service has to be stopped, the file has to be moved, and then "
        "the service has to be started again.\n\n"),
    "code within a sentence": "Let me run `python -m pytest tests/ -q` once more. ",
    "quoted words": "He said \"wait\" and I said 'no', so we didn't go on (not yet, at least). ",
}

ENDLESS = {
    "one letter": "a", "one dash": "-", "line breaks": "\n", "blanks": " ", "laughing": "ha ",
    "one word": "wait, ", "zeros": "0, ", "a short line": "Let me check\n", "JSON": '{"a": 1}, ',
    "code": "        self.assertEqual(first, second)\n", "a rule": "=" * 80 + "\n",
    "a row": "| yes | no | yes |\n", "an emoji": "🎉", "markup": "<div></div>\n",
    "a token": "<|im_start|>", "a fence": "```python\nprint(1)\n```\n", "letters": "qwertzuiopasdfgh",
    "decoys": "a" * 500 + "b", "a long block": "".join(f"x{n} = {n * n}\n" for n in range(170)),
}

WORDS = ("the file is not where it should be so we have to look for it again in another place "
         "because nobody knows what happened when they moved that folder yesterday").split()


def fed(text, seed=None, call=False):
    """What is kept of `text`, or None. seed: of the cuts; None feeds it in pieces of 50."""
    repetition = Repetition(call)
    dice, at = random.Random(seed), 0
    while at < len(text):
        end = at + (50 if seed is None else dice.choice((1, 2, 3, 4, 5, 7, 30, 400)))
        keep = repetition.feed(text[at:end])
        if keep is not None:
            return keep
        at = end
    return None


def speech(length, dice):
    """`length` characters of words, with a full stop and a blank at their end."""
    text = ""
    while len(text) < length:
        text += dice.choice(WORDS) + dice.choice((" ", " ", " ", " ", ", ", ". "))
    return text[:length - 2].rstrip(" ,.") .ljust(length - 2, "y") + ". "


@pytest.mark.parametrize("name", SENTENCES)
def test_three_copies_of_sentences_are_repetition(name):
    unit = SENTENCES[name]
    text = BEFORE + unit * 3 + AFTER
    assert text[:fed(text)].rstrip() == (BEFORE + unit).rstrip()


@pytest.mark.parametrize("name", SENTENCES)
def test_two_copies_are_none(name):
    unit = SENTENCES[name]
    assert fed(BEFORE + unit * 2 + unit[:-len(unit) // 4] + AFTER) is None


def test_every_period_from_20_to_2000_is_found():
    dice = random.Random(3)
    periods = [*range(20, 120), *range(120, 2000, 47), 1999, 2000]
    units = [speech(period, dice) for period in periods]
    lost = [unit for unit in units if fed(BEFORE + unit * 3 + AFTER) != len(BEFORE + unit)]
    assert lost == []


@pytest.mark.parametrize("name", SENTENCES)
def test_the_cuts_do_not_matter(name):
    text = BEFORE + SENTENCES[name] * 5
    assert {fed(text, seed) for seed in range(4)} == {fed(text)}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_stopped_soon(name):
    unit = ENDLESS[name]
    least = max(5_100, 3 * len(unit) + 60)
    keep = fed(BEFORE + (unit * (least // len(unit) + 1))[:least], seed=1)
    assert len(BEFORE) <= keep <= len(BEFORE + unit)


@pytest.mark.parametrize("name", ALL)
def test_what_only_looks_like_repetition_goes_on(name):
    text = ALL[name]
    assert len(text) > 120
    assert fed(text) is None
    assert fed(f"Here it is:\n\n{text}\nThat is all.\n\n{text}", seed=2) is None


def test_sentences_are_found_after_a_drawing_and_within_one_text():
    drawing = ALL["a chess board"]
    unit = SENTENCES["one sentence"]
    text = drawing + BEFORE + unit * 3 + AFTER
    assert fed(text) == len(drawing + BEFORE + unit)


@pytest.mark.parametrize("name", SENTENCES)
def test_a_whole_answer_that_ends_in_repetition_is_cut(name):
    unit = SENTENCES[name]
    text = BEFORE * 2 + unit * (20_000 // len(unit))
    assert text[:Repetition().feed(text)].rstrip() == (BEFORE * 2 + unit).rstrip()


def test_a_whole_answer_of_anything_else_is_left_alone():
    assert [Repetition().feed(unit * (20_000 // len(unit))) for unit in ENDLESS.values()
            if len(unit) < 100] == [None] * (len(ENDLESS) - 2)


def test_blocks_that_repeat_themselves_are_stopped():
    for unit in SENTENCES.values():
        repetition = Repetition()
        block = unit * (2_000 // len(unit)) + unit[:7]
        kept = [repetition.feed(BEFORE + block), repetition.feed(block)]
        assert kept[0] and (BEFORE + unit).startswith((BEFORE + block)[:kept[0]].rstrip())


def test_a_closed_fence_is_over():
    unit = "Retrying the connection in five seconds.\n"
    shown = f"```\n{unit * 5}```\n"
    assert fed(shown) is None
    assert fed(shown + unit * 3 + AFTER) == len(shown + unit)
    assert fed(f"````\n```\n{unit * 5}```\n{unit * 5}````\n") is None


LINES = ["", "x", "0, 0, 0, 0", "All work and no play makes Jack a dull boy.", "-" * 99,
         '{"id": 1, "name": "test", "ok": true},', "| a | b | c |", "        assert f(x) == 1  # again",
         "同一行重复很多次，只是为了测试。"]


@pytest.mark.parametrize("line", LINES)
def test_a_call_may_write_a_file_of_300_equal_lines(line):
    content = (line + "\n") * 300
    written = json.dumps({"path": "a.txt", "content": content}, ensure_ascii=False)
    for text in (written, f"<parameter=content>\n{content}</parameter>\n"):
        assert fed(text, call=True) is None
        assert fed(text, seed=5, call=True) is None


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ALL)
def test_a_call_may_write_what_repeats_itself(name):
    text = f"{ALL[name]}\n" * 5
    assert fed(json.dumps({"content": text}), call=True) is None
    assert fed(text, seed=2, call=True) is None


@pytest.mark.sampled(4)
@pytest.mark.parametrize("unit", [*ENDLESS.values(), *SENTENCES.values(), *LINES[1:]])
def test_a_call_that_never_ends_is_stopped(unit):
    for piece in (unit, json.dumps(unit + "\n")[1:-1]):
        piece = piece[-2_000:]
        text = '{"path": "a.txt", "content": "' + piece * (33_000 // len(piece) + 1)
        assert fed(text, seed=1, call=True) is not None


def test_a_long_run_is_known_when_its_beginning_is_forgotten():
    line = "".join(map(chr, range(33, 133))) + "\n"
    assert fed("begin " + line * 315, call=True) is None
    assert fed("begin " + line * 325, call=True) is not None
    assert fed("begin " + (line * 200 + "another\n") * 4, call=True) is None
