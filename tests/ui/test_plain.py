"""The run as plain text: what goes to which stream, event by event."""

from __future__ import annotations

import io

import pytest

from clinkai.core import events as e
from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.value import replace
from clinkai.ui.plain import FOLD, HANDLERS, UNSEEN, PlainRenderer, count_changes
from clinkai.ui.terminal import Screen, cells, fitting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show(events, *, terminal=False, lang="en", environ=None, **options) -> tuple[str, str]:
    """(standard output, standard error)"""
    kind = Terminal if terminal else io.StringIO
    out, err = kind(), kind()
    screen = Screen(out, err, environ or {}, no_color=environ is None)
    renderer = PlainRenderer(screen, Strings(lang), **options)
    for event in events:
        renderer.feed(event)
    renderer.close()
    return out.getvalue(), err.getvalue()


def user(text: str) -> list:
    return [e.MsgStart("u", "user"), e.Delta("u", "text", 0, text), e.MsgEnd("u", "", 0)]


def says(*pieces: str, finish="stop", think=(), mid="m") -> list:
    return [e.MsgStart(mid, "assistant"), *(e.Delta(mid, "think", 0, s) for s in think),
            *(e.Delta(mid, "text", 0, s) for s in pieces), e.MsgEnd(mid, finish, 0)]


USAGE = e.Usage(1, 18_200, 17_654, 97.0, 212, 1240.0, 23.44, 400, 19_000, 61_000)
DIFF = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n-old\n---x\n+new\n"
END = e.RunEnd("done", "", 0, 0, {})


def tool(name: str, title: str, **end) -> list:
    fields = {"ok": True, "exit": None, "ms": 4, "lines": 1, "cut": False, "diff": None,
              "decision": "allow", **end}
    return [e.ToolStart("c1", name, title, {}, "low"), e.ToolOut("c1", 0, "output"),
            e.ToolEnd("c1", **fields)]


RUN = [
    e.RunStart("qwen", "/w", 15), *user("question"), e.RoundStart(1),
    *says("I will ", "look.", think=["First ", "think"], finish="tool_calls"),
    USAGE,
    *tool("read", "a.py 1-80"),
    *tool("edit", "a.py", diff=DIFF, ms=12),
    *tool("bash", "pytest -q", ok=False, exit=1, ms=2100,
          record={"content": "one\ntwo\n\nthree\nfour\n"}),
    *tool("write", "b.py", decision="deny", ok=False, record={"content": "refused: why"}),
    e.RoundStart(2), *says("The ", "answer."), END,
]


def test_a_turn_that_took_time_says_where_it_went():
    spent = {"prefill": 12_000, "decode": 61_500, "tools": 999, "waiting": 4_000}
    out, _ = show([*says("done"), e.RunEnd("done", "", 0, 0, spent)])
    assert out == "done\n  prefill 12.0 s · decode 1 min 2 s · waiting for you 4.0 s\n"


def test_a_run():
    out, err = show(RUN)
    assert out == (
        "I will look.\n"
        "  round 1/15 · in 18.2k (cache 97%) · out 212 · prefill 546 in 400 ms · 23.4 t/s · ctx 31%\n"
        "* read  a.py 1-80 · 4 ms\n"
        "* edit  a.py · +1 −2 · 12 ms\n"
        "* bash  pytest -q · exit 1 · 2.1 s\n"
        "    two\n    three\n    four\n"
        "* write  b.py · refused\n"
        "    refused: why\n"
        "The answer.\n"
    )
    assert err == "  thinking: First think\n"


def test_answer_only():
    out, err = show(RUN, answer_only=True)
    assert out == "The answer.\n"
    assert "I will look.\n" in err and "* read  a.py 1-80 · 4 ms\n" in err and "round 1/15" in err


def test_an_answer_that_goes_on_after_a_cut_is_one_answer():
    events = [*says("half a wo", finish="length"), USAGE,
              e.MsgStart("a", "auto"), e.Delta("a", "text", 0, "go on"), e.MsgEnd("a", "", 0),
              *says("rd."), END]
    assert show(events, answer_only=True)[0] == "half a word.\n"
    assert "go on" not in "".join(show(events))


def test_a_terminal_sees_a_call_begin():
    start, _, _ = tool("bash", "make")
    out, _ = show([start], terminal=True)
    assert out == "* bash  make\n"
    out, _ = show(tool("bash", "make"), terminal=True)
    assert out == "* bash  make · 4 ms\n"


def test_a_question_between_start_and_end_leaves_two_whole_lines():
    start, _, end = tool("bash", "make")
    asked = e.ApprovalOpen("q", "c1", "bash", "why", "make", None, None, "/w", "low", None, "d")
    out, err = show([start, asked, end], terminal=True)
    assert (out, err) == ("* bash  make* bash  make · 4 ms\n", "\n"), "one screen in truth"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_thinking_is_folded(lang):
    long = ["word \n\n"] * 100
    _, err = show([*says("x", think=long), END], lang=lang)
    folded, whole = err.splitlines()[0], "".join(long)
    assert folded.count("word") == FOLD // 5 and str(len(whole) - FOLD) in folded
    _, err = show([*says("x", think=long), END], verbose=True)
    assert err.endswith(whole.rstrip("\n") + "\n") or err.endswith(whole)


def test_unknown_figures_are_shown_as_unknown():
    usage = e.Usage(2, None, None, None, None, None, None, None, None, None)
    assert show([e.RunStart("m", "/w", 15), usage])[0] == "  round 2/15 · in ? (cache ?) · out ?\n"


WAITS = [
    (e.Prefill(11_300, 18_200, 0, 9_100, 1240.4, 9_200), "prefill 62% · 11.3k of 18.2k · 1240 t/s · 9 s left"),
    (e.Prefill(1_137, 4_163, 1_137, 12_000), "prefill 27% · 1.1k of 4.2k · waiting 12 s"),
    (e.Prefill(3_200, 4_163, 1_137, 95_000, 34.0), "prefill 76% · 3.2k of 4.2k · 34 t/s · waiting 1 min 35 s"),
    (e.Prefill(0, 1000, 0, 40), "prefill 0% · 0 of 1.0k"),
    (e.Prefill(0, 0, 0, 12_000), "waiting 12 s"),
    (e.Prefill(0, 0, 0, 200_000, phase="loading"), "the server loads the model 3 min 20 s"),
    (e.Prefill(0, 0, 0, 1_000, phase="down"), "the server does not answer 1 s"),
    (e.Prefill(0, 0, 0, 2_000, None, 3_000, "rate"), "the server asks for a pause 2 s · again in 3 s"),
    (e.Prefill(0, 0, 0, 0, None, 400, "retry"), "the server failed 0 s · again in 0 s"),
]
ASKED = [e.RunStart("m", "/w", 15), e.RoundStart(1), e.MsgStart("m", "assistant")]


@pytest.mark.parametrize(("event", "text"), WAITS)
def test_a_terminal_shows_what_is_waited_for_in_a_line_that_goes_away(event, text):
    wiped = "\r" + " " * cells("  " + text) + "\r"
    out, err = show([*ASKED, event, event, *says("hi")[1:]], terminal=True, redraws=True)
    assert (out, err) == ("hi\n", f"  {text}{wiped}" * 2)
    out, err = show([*ASKED, event, END], terminal=True, redraws=True, answer_only=True)
    assert (out, err) == ("", f"  {text}{wiped}")


@pytest.mark.parametrize(("options", "shown"), [
    ({"redraws": True}, ""),
    ({"terminal": True}, "  waiting 10 s\n  waiting 20 s\n"),
    ({"terminal": True, "redraws": True, "environ": {"TERM": "dumb"}}, "  waiting 10 s\n  waiting 20 s\n"),
], ids=["a pipe", "a plain terminal", "a dumb terminal"])
def test_waiting_elsewhere_is_told_now_and_then_or_not_at_all(options, shown):
    waits = [e.Prefill(0, 0, 0, 1000 * n) for n in range(1, 24)]
    assert show([*ASKED, *waits], **options)[1] == shown


def test_behind_an_unfinished_line_the_wait_stands_below_it():
    events = [*says("half a wo", finish="length"), e.MsgStart("m", "assistant"), WAITS[2][0], *says("rd.")]
    below = "\x1b7\x1b[B\r{}\x1b8"
    line = "  " + WAITS[2][1]
    assert show(events, terminal=True, redraws=True) == (
        "half a word.\n", "\x1bD\x1b[A" + below.format(line) + below.format(" " * cells(line)))


def think(text):
    return e.Delta("m", "think", 0, text)


def args(text):
    return e.Delta("m", "args", 0, text)


HI, LONG = e.Delta("m", "text", 0, "hi\n"), think("plan " * 50)
UNSEEN_ANSWERS = [
    ([HI], {}, [2, 9, 70], ["", "the server is silent 9 s", "the server is silent 1 min 10 s"]),
    ([args("{")], {}, [2, 4], ["", "the server is silent 4 s"]),
    ([args("{"), 4, args("}")], {}, [5, 6], ["writing a tool call 5 s", "writing a tool call 6 s"]),
    ([LONG, 4, think("more")], {}, [5, 7], ["thinking 5 s", "the server is silent 3 s"]),
    ([think("a"), 4, think("b")], {}, [5], [""]),
    ([HI, 4, HI], {"answer_only": True}, [5], ["writing the answer 5 s"]),
    ([HI, 4, HI], {}, [5], [""]),
    ([HI, e.MsgEnd("m", "stop", 0)], {}, [9], [""]),
    ([e.Prefill(0, 0, 0, 1000)], {}, [9], [""]),
]


@pytest.mark.parametrize(("pieces", "options", "ticks", "told"), UNSEEN_ANSWERS)
def test_where_nothing_of_an_answer_can_be_seen_it_is_told_why(pieces, options, ticks, told):
    time = [0.0]
    out, err = Terminal(), Terminal()
    screen = Screen(out, err, {}, no_color=True)
    renderer = PlainRenderer(screen, Strings("en"), redraws=True, clock=lambda: time[0], **options)
    for piece in (e.MsgStart("m", "assistant"), *pieces):
        if isinstance(piece, int):
            time[0] = piece
        else:
            renderer.feed(piece)
    for now, words in zip(ticks, told, strict=True):
        screen.transient("")
        before = len(err.getvalue())
        time[0] = now
        renderer.tick()
        renderer.tick()
        assert err.getvalue()[before:].replace("\x1bD\x1b[A\x1b7\x1b[B\r", "").removesuffix("\x1b8") \
            == (words and f"  {words}")


@pytest.mark.parametrize(("terminal", "shown"), [
    (True, "half\n  the server is silent 10 s\n  the server is silent 20 s\n"), (False, "half")])
def test_a_silence_is_told_now_and_then_where_nothing_is_redrawn(terminal, shown):
    time = [0.0]
    both = Terminal() if terminal else io.StringIO()
    screen = Screen(both, both, {}, no_color=True)
    renderer = PlainRenderer(screen, Strings("en"), clock=lambda: time[0])
    for event in (e.MsgStart("m", "assistant"), e.Delta("m", "text", 0, "half")):
        renderer.feed(event)
    for time[0] in range(25):
        renderer.tick()
    screen.flush()
    assert both.getvalue() == shown


def test_what_is_mended_is_told_once():
    notice = e.Notice("info", "notice.wire.text_call", {})
    cut = e.Notice("warn", "notice.wire.prompt_truncated", {"prompt": 1, "sent": 9, "need": 4096})
    told = show([notice, cut, notice, cut])[1].splitlines()
    assert len(told) == 3 and told[1] == told[2] != told[0]


def test_a_line_that_goes_away_is_cut_to_the_terminal():
    assert fitting("  等待中 12 s", 9) == "  等待中 "
    reads = "  prefill 14% · 2.6k of 18.2k · 1200 t/s · 13 s"
    assert fitting(reads, 39) == "  prefill 14% · 2.6k of 18.2k · 13 s"
    assert fitting(reads, 24) == "  prefill 14% · 13 s"
    assert fitting(reads, 9) == "  prefill"
    assert cells("a·b") == 4


@pytest.mark.parametrize("answer_only", [False, True])
def test_an_answer_that_broke_and_goes_on_is_one_answer(answer_only):
    events = [*says("half a wo", think=["hm"], finish="error"),
              e.MsgStart("a", "auto"), e.Delta("a", "text", 0, "go on"), e.MsgEnd("a", "", 0),
              *says("rd."), END]
    assert show(events, answer_only=answer_only)[0] == "half a word.\n"


def test_what_an_answer_repeated_is_no_part_of_the_answer():
    events = [*says("One. ", "Two. ", "Two. ", "Two. ", finish="repeat"), *says("Three.", mid="n"), END]
    events[5] = e.MsgEnd("m", "repeat", 0, stands={"text": "One. Two.", "think": ""})
    assert show(events, answer_only=True)[0] == "One. Two.\nThree.\n"
    assert show(events)[0] == "One. Two. Two. Two. \nThree.\n"


ENDS = [
    (e.RunEnd("error", "It broke.\nDo this.", 3, 0, {}), "It broke.\n  Do this.\n"),
    (e.RunEnd("cancelled", "Stopped.", 130, 0, {}), "Stopped.\n"),
    (e.RunEnd("cap", "", 4, 2, {}), "  Calls that were refused: 2\nThe round cap was reached.\n"),
    (e.RunEnd("done", "", 0, 1, {}), "  Calls that were refused: 1\n"),
]


@pytest.mark.parametrize(("end", "text"), ENDS)
def test_how_a_run_ended(end, text):
    assert show([end])[1] == text


@pytest.mark.parametrize("answer_only", [False, True])
def test_a_broken_answer_is_not_lost(answer_only):
    events = [e.MsgStart("m", "assistant"), e.Delta("m", "text", 0, "so far"),
              e.MsgEnd("m", "error", 0), ENDS[0][0]]
    assert show(events, answer_only=answer_only)[0] == "so far\n"


def test_nothing_foreign_controls_the_terminal():
    evil = "x\x1b]0;t\x07\x1b[2Jy\u202e\x9b3J"
    events = [
        e.RunStart(evil, evil, 15), *says(evil, think=[evil], finish="tool_calls"),
        *tool(evil, evil, ok=False, record={"content": evil}), e.RunEnd("error", evil, 3, 0, {}),
        e.Notice("warn", "cli.notice.silent", {"seconds": evil}),
    ]
    text = "".join(show(events))
    assert "\x1b" not in text and "\x9b" not in text and "\x07" not in text
    assert text.count("xy<U+202E>") == 6


def test_a_sequence_cut_between_two_pieces_is_dropped():
    assert show([*says("a\x1b[", "31", "mb"), END])[0] == "ab\n"


def test_colours_are_whole_and_only_where_there_are_colours():
    out, err = show(RUN, terminal=True, environ={"TERM": "xterm"})
    assert out.count("\x1b[") % 2 == 0 and "\x1b[36m* read  a.py 1-80\x1b[0m" in out
    assert "\x1b[2m" in err
    for environ in ({"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}):
        assert "\x1b" not in "".join(show(RUN, terminal=True, environ=environ))
    assert "\x1b[" in show(RUN, environ={"FORCE_COLOR": "1"})[0]
    assert "\x1b" not in "".join(show(RUN, environ={"TERM": "xterm"}))


def test_an_unknown_notice_is_shown_by_its_key():
    assert show([e.Notice("info", "notice.of_tomorrow", {})])[1] == "  notice.of_tomorrow\n"


def test_every_event_is_shown_or_known_to_need_no_line():
    assert HANDLERS.keys() | UNSEEN == e.EVENTS.keys() and not HANDLERS.keys() & UNSEEN


@pytest.mark.parametrize(("diff", "changes"), [
    (DIFF, (1, 2)), ("", (0, 0)), ("@@ -0,0 +1 @@\n+++x\n", (1, 0)),
])
def test_changed_lines_are_counted(diff, changes):
    assert count_changes(diff) == changes


@pytest.mark.parametrize(("event", "told"), [
    (e.Archived(3, "[..]", "s", 9_100, 3_200, 21_000), ("archived", {"before": "9.1k", "after": "3.2k", "time": "21.0 s"})),
    (e.Archived(0, "", "", 9_100, 9_100, 50, "it\nbroke"), ("archive.failed", {"why": "it broke"})),
    (e.Window(3, "[..]", "", 9_100, 3_200), ("window", {"before": "9.1k", "after": "3.2k"})),
])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_became_of_a_full_context_is_told_beside_the_answer(event, told, lang):
    out, err = show([e.RunStart("m", "/w", 15), event, *says("answer"), END], lang=lang)
    assert (out, err) == ("answer\n", f"  {Strings(lang)(f'notice.{told[0]}', **told[1])}\n")


def test_a_request_for_a_summary_is_no_round():
    out, _ = show([e.RunStart("m", "/w", 15), replace(USAGE, of="archive")])
    assert out == show([e.RunStart("m", "/w", 15), USAGE])[0].replace("round 1/15", "summary")
    waits = e.Prefill(0, 0, 0, 2_000, phase="archive")
    assert "writing a summary 2 s" in show([waits], terminal=True, redraws=True)[1]
