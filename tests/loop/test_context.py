"""What a turn does when its context fills up: archive, window, a refusal, and what a server
teaches that finds a request too long."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.provider import NO_EXTRAS, Reply, TextPart, WaitPart
from clinkai.ai.scripted import ScriptedProvider
from clinkai.core.cancel import Cancel
from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled, ContextOverflow, RequestRefused, Unreachable
from clinkai.core.events import Archived, Delta, MsgStart, Notice, Prefill, Usage, Window, record_of
from clinkai.core.messages import Message, TokenCount
from clinkai.core.state import State, fold
from clinkai.core.value import replace
from clinkai.loop import archive
from clinkai.loop.turn import run_compact
from tests.loop.turns import Tools, call, play, say

ASK = Strings("en")("archive.ask", words=0)[:60]
BIG = "some words of a result, " * 40


def counted(request) -> int:
    """Tokens of a request as the server of these tests counts them: 4 characters each."""
    text = request.system + json.dumps(request.tools)
    for m in request.messages:
        text += m.content + m.reasoning + "".join(c.arguments for c in m.tool_calls)
    return len(text) // 4


def is_archive(request) -> bool:
    return request.tool_choice == "none"


class Server:
    """Answers `rounds` calls, then is done; counts what it is sent, and refuses more than `n_ctx`
    tokens. summary: what it answers when asked for one: a Reply, an error, or a text."""

    def __init__(self, rounds: int, summary: object = "the summary", n_ctx: int = 1 << 30,
                 text: str = BIG) -> None:
        self.left, self.summary, self.n_ctx, self.text = rounds, summary, n_ctx, text
        self.requests: list = []

    def __call__(self, request):
        self.requests.append(request)
        prompt = counted(request)
        if prompt > self.n_ctx:
            raise ContextOverflow("error.overflow.counted", prompt=prompt, limit=self.n_ctx)
        if is_archive(request):
            if isinstance(self.summary, Exception):
                raise self.summary
            made = self.summary if isinstance(self.summary, Reply) else say(self.summary)
        elif self.left:
            self.left -= 1
            made = say("", call(f"c{self.left}", text=f"{self.left} {self.text}"))
        else:
            made = say("done")
        return replace(made, count=TokenCount(prompt, 0, 20))


def played(server: Server, **limits):
    class Provider:
        name = kind = "test"
        known_window = None
        extras = NO_EXTRAS

        def window(self, cancel):
            return None

        def stream(self, request, cancel):
            made = server(request)
            if made.content:
                yield TextPart(made.content)
            yield made

    return play(provider=lambda answer: Provider(), rounds=200, **limits)


def cuts(done) -> list[str]:
    return [f"failed: {e.failed}" if getattr(e, "failed", "") else e.type for e in done.events
            if type(e) in (Archived, Window)]


def test_a_long_turn_is_archived_once_and_then_cut_by_the_window():
    server = Server(60)
    done = played(server, budget=4000, max_tokens=500)
    assert done.reason == ("done", 0)
    made = cuts(done)
    assert made[0] == "archived" and set(made[1:]) == {"window"} and 3 <= len(made) <= 15
    assert [e.cause for e in done.events if type(e) is Usage and e.cause in made] == made
    for event in done.events:
        if type(event) in (Archived, Window):
            assert event.before > 3200 * 0.9 and event.after <= 2000
    for request in server.requests:
        assert counted(request) <= 4000
        assert request.messages[0].content.endswith("task")
    later = [r for r in server.requests if "the summary" in r.messages[0].content]
    assert later[-1] is server.requests[-1]  # the window keeps the summary
    assert all(r.messages[0].content.count("[background") == 1 for r in later)


def test_the_summary_is_asked_for_at_the_end_of_what_was_not_sent_yet_and_never_shown():
    server = Server(9)
    done = played(server, budget=2500, max_tokens=500)
    asked = next(n for n, r in enumerate(server.requests) if is_archive(r))
    before, archive, after = server.requests[asked - 1:asked + 2]
    assert archive.messages[:len(before.messages)] == before.messages
    assert (archive.system, archive.tools) == (before.system, before.tools)
    last = archive.messages[-1]
    assert last.role == "tool" and ASK in last.content
    assert ASK not in "".join(m.content for m in after.messages)
    text = "".join(e.s for e in done.events if type(e) is Delta)
    assert text == "done"
    assert len([e for e in done.events if type(e) is MsgStart]) == 10
    usage = next(e for e in done.events if type(e) is Usage and e.of == "archive")
    assert usage.prompt == counted(archive)
    kinds = [type(e) for e in done.events]
    assert kinds.index(Archived) > kinds.index(Usage)


def test_the_state_after_a_cut_is_the_fold_of_the_records():
    done = played(Server(30), budget=2500, max_tokens=500)
    start = State(system="S", messages=(Message("user", "task"),), seqs=(1,), last_seq=1)
    again = fold(filter(None, map(record_of, done.events)), start)
    same = {"limits": start.limits, "seqs": (), "last_seq": 0}  # the turn has not all records
    assert replace(done.ended.state, **same) == replace(again, **same)


@pytest.mark.parametrize(("summary", "why"), [
    ("", "no summary"), (RequestRefused("error.refused", message="no"), "refuses"),
    (say("", finish="repeat"), "no summary"), ("long " * 4000, "would not free"),
    (say("", call("x")), "no summary"),
])
def test_a_summary_that_fails_is_not_asked_for_again_and_the_window_serves(summary, why):
    server = Server(25, summary)
    done = played(server, budget=2500, max_tokens=500)
    assert done.reason == ("done", 0)
    first, *rest = cuts(done)
    assert first.startswith("failed: ") and why in first
    assert rest and set(rest) == {"window"}
    assert len([r for r in server.requests if is_archive(r)]) == 1
    assert done.ended.state.archives is False
    assert done.tools.ran.count("x") == 0
    assert "changed" not in {e.cause for e in done.events if type(e) is Usage}


def test_an_error_that_the_turn_would_meet_too_ends_it_and_trips_nothing():
    done = played(Server(25, Unreachable("error.unreachable.refused", address="x")), budget=2500,
                  max_tokens=500)
    assert (done.reason, cuts(done), done.ended.state.archives) == (("error", 3), [], True)


def test_a_stop_while_a_summary_is_written_changes_nothing():
    cancel = Cancel()

    class Stopping(Server):
        def __call__(self, request):
            if is_archive(request):
                cancel.set()
                raise Cancelled
            return super().__call__(request)

    done = played(Stopping(25), budget=2500, max_tokens=500, cancel=cancel)
    assert (done.reason, cuts(done)) == (("cancelled", 130), [])
    assert (done.ended.state.archives, done.ended.state.broke) == (True, "")


@pytest.mark.parametrize("n_ctx", [2000, 4000])
def test_a_server_that_finds_a_request_too_long_teaches_its_limit(n_ctx):
    server = Server(25, n_ctx=n_ctx)
    done = played(server, budget=90_000, max_tokens=500)
    assert done.reason == ("done", 0)
    refused = [r for r in server.requests if counted(r) > n_ctx]
    assert len(refused) == 1
    assert done.ended.state.limits.window == n_ctx
    assert "changed" not in {e.cause for e in done.events if type(e) is Usage}


@pytest.mark.parametrize(("prompt", "limit", "words"), [
    (9000, 8192, "9000"), (None, None, "about"), (None, 8192, "about"), (9000, None, "about"),
])
def test_a_server_that_refuses_again_ends_the_turn_with_sizes(prompt, limit, words):
    error = ContextOverflow("error.overflow.counted" if prompt and limit else "error.overflow",
                            prompt=prompt, limit=limit, message="too long")
    many = [say("", call(f"c{n}", text=f"{n} {BIG}")) for n in range(9)]
    done = play(*many, error, error)
    assert (done.reason, len(done.requests)) == (("context", 6), 11)
    assert words in done.ended.end.detail and "\n" in done.ended.end.detail
    assert len([e for e in done.events if type(e) in (Window, Archived)]) == 1


def test_a_text_that_is_broken_by_an_overflow_is_gone_on_with():
    overflow = ContextOverflow("error.overflow", prompt=None, limit=None, message="full")
    many = [say("", call(f"c{n}", text=f"{n} {BIG}")) for n in range(9)]
    done = play(*many, [TextPart("half "), overflow], say("whole"))
    assert done.reason == ("done", 0)
    assert [m[:2] for m in done.messages][-3:] == [
        ("assistant", "half "), ("user", Strings("en")("notice.ask.broken")), ("assistant", "whole")]


def test_a_server_that_wants_room_for_the_whole_answer_gets_a_shorter_one():
    """vLLM refuses what a window of 4,096 cannot answer with 4,096 tokens."""
    error = ContextOverflow("error.overflow.counted", prompt=900, limit=4096)
    done = play(error, say("done"))
    assert done.reason == ("done", 0)
    assert [r.max_tokens for r in done.requests] == [4096, 2048]
    assert done.requests[0].messages == done.requests[1].messages
    assert cuts(done) == []


@pytest.mark.parametrize(("kind", "lost", "choice"), [
    ("llamacpp", None, "none"), ("llamacpp", 40, "none"), ("llamacpp", 600, "auto"), ("sglang", None, "auto"),
])
def test_no_tool_may_be_called_but_where_that_costs_the_cache(kind, lost, choice):
    usage = record_of(Usage(1, 1000, None, None, 9, None, None, None, None, None, lost, of="archive"))
    state = fold([usage], conversation(2))
    assert archive.request(state, Strings("en"), 4000, kind).tool_choice == choice
    assert state.counted == 0


def conversation(turns: int) -> State:
    messages, text = [], "word " * 100
    for n in range(turns):
        messages += [Message("user", f"task {n}"), Message("assistant", text, finish="stop")]
    return State(system="S", messages=tuple(messages), seqs=tuple(range(1, len(messages) + 1)),
                 last_seq=len(messages))


@pytest.mark.parametrize(("turns", "kept"), [
    (6, ["task 3", "task 4", "task 5"]), (2, ["task 1"]), (1, None),
])
def test_by_hand_all_but_the_newest_rounds_become_a_summary(turns, kept):
    asked, events = [], []

    def answer(request):
        asked.append(request)
        return say("in short")

    before = conversation(turns)
    ended = run_compact(before, ScriptedProvider(answer), Tools(), events.append, Cancel(), "names")
    assert ended.end.reason == "done"
    if kept is None:
        assert asked == [] and [e.key for e in events if type(e) is Notice] == ["notice.compact.nothing"]
        return
    assert asked[0].messages[:-1] == before.messages
    assert asked[0].messages[-1].role == "user" and "names" in asked[0].messages[-1].content
    users = [m.content for m in ended.state.messages if m.role == "user"]
    assert "in short" in users[0] and users[0].endswith(kept[0]) and users[1:] == kept[1:]
    assert ended.state.broke == "archived"


def test_by_hand_a_summary_that_fails_is_told_as_that_and_changes_nothing():
    before, events = conversation(6), []
    ended = run_compact(before, ScriptedProvider(lambda request: say("")), Tools(), events.append,
                        Cancel(), "")
    assert (ended.state.messages, ended.state.broke) == (before.messages, "summary")
    assert [e.key for e in events if type(e) is Notice] == []
    assert [bool(e.failed) for e in events if type(e) is Archived] == [True]


def test_while_a_summary_is_written_it_is_only_told_that_it_is():
    def answer(request):
        return [WaitPart("rate", 1.0, 1.0), TextPart("in "), TextPart("short"), say("in short")]

    events = []
    run_compact(conversation(6), ScriptedProvider(answer), Tools(), events.append, Cancel(), "")
    assert [type(e) for e in events if type(e) is not Notice] == [
        Prefill, Prefill, Usage, Archived, type(events[-1])]
    assert [e.phase for e in events if type(e) is Prefill] == ["rate", "archive"]
