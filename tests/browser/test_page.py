"""The page in a real browser, against the real server and a scripted model."""

from __future__ import annotations

import json

import pytest

from tests.browser.driver import Browser, Tab
from tests.server import Answer, chunk, reply
from tests.ui.web.site import DEADLINE, TOKEN, Gate, Site

HIDDEN = "document.getElementById('{}').hidden"
SIGNED_IN = "!document.getElementById('app').hidden && document.getElementById('banner').hidden"
AT_REST = (
    "document.getElementById('app').offsetWidth && document.getElementById('work').hidden"
    " && document.querySelectorAll('.said').length == {}"
)
"""No run is under way, and so many prompts are on screen."""
BELOW = "(({scrollTop: t, clientHeight: c, scrollHeight: h}) => h - t - c)(document.getElementById('scroller'))"
"""Pixels of the conversation below what is on screen."""


def held(*parts) -> Answer:
    pieces = [part if callable(part) else chunk(part) for part in parts]
    return Answer([*pieces, chunk({}, "stop"), "data: [DONE]\n\n"], chunked=True)


@pytest.fixture
def tab(browser: Browser):
    opened = browser.tab(1280, 800)
    yield opened
    opened.close()


class Visit(Site):
    """A site that a tab looks at. Before it stops, the tab must not have broken the policy, asked
    anybody else, or failed."""

    def __init__(self, tab: Tab, *args: object, **named: object) -> None:
        super().__init__(*args, **named)
        self.tab = tab
        self.origin = f"http://127.0.0.1:{self.port}/"

    def __exit__(self, *error: object) -> None:
        seen = self.tab.violations, self.tab.errors, [
            url for url in self.tab.requests if not url.startswith((self.origin, "about:"))]
        self.tab.open("about:blank")
        super().__exit__(*error)
        if error[0] is None:
            assert seen == ([], [], [])


def enter(tab: Tab, site: Site, place: str = "") -> None:
    """Open the page as the printed address does."""
    tab.open(f"{site.origin}#t={TOKEN}")
    tab.wait(SIGNED_IN)
    if place:
        tab.run(f"location.hash = {json.dumps(place)}")


def say(tab: Tab, text: str) -> None:
    tab.click("#message")
    tab.type(text)
    tab.enter()


@pytest.mark.slow
def test_a_whole_run_is_seen_stopped_and_seen_again_after_a_reload(tab, tmp_path):
    thinking, writing, endless = Gate(), Gate(), Gate()
    script = [
        held({"reasoning_content": "Where is it? "}, thinking, {"reasoning_content": "There."},
             {"content": "I look.\n"}, writing, {"content": "\n```py\nx = 1\n```\n"}),
        reply("", calls=[("read", {"path": "a.txt"}), ("bash", {"command": "rm -r build"})]),
        reply("It says hello."),
        held({"content": "counting"}, endless),
    ]
    with Visit(tab, tmp_path, script) as site:
        (site.workspace / "a.txt").write_text("hello\n")
        enter(tab, site)
        assert tab.run("location.hash") == ""
        assert tab.text("#workspace") == "ws"
        say(tab, "What is this?")
        assert thinking.reached.wait(DEADLINE)
        tab.wait("document.querySelector('.thought')?.textContent == 'Where is it? '")
        assert tab.text("#work-text").startswith("Thinking")
        thinking.go.set()
        assert writing.reached.wait(DEADLINE)
        tab.wait("document.querySelector('.prose')?.textContent == 'I look.'")
        assert tab.run("document.querySelector('.thought').hidden") is True
        writing.go.set()
        tab.wait(AT_REST.format(1))
        assert tab.text("figure.code code") == "x = 1"
        assert tab.text(".cost").startswith("round 1/15 · tokens unknown · ctx ~")

        say(tab, "Read it.")
        tab.wait(AT_REST.format(2))
        assert tab.run("[...document.querySelectorAll('.card')].map((card) => card.dataset.state)") == [
            "ok", "refused"]
        assert "rm" in tab.text(".card[data-state=refused] .reason")
        assert "(cache " in tab.run("[...document.querySelectorAll('.cost')].pop().textContent")
        tab.wait("document.querySelector('.session').dataset.state == 'done'")
        tab.click(".card .fold")
        assert "hello" in tab.text(".card .body")

        say(tab, "Count.")
        assert endless.reached.wait(DEADLINE)
        tab.wait("document.getElementById('log').textContent.includes('counting')")
        tab.click("#stop")
        tab.wait(AT_REST.format(3))
        endless.go.set()
        assert tab.text(".notice.end") == "Stopped."

        before = tab.run("document.getElementById('log').textContent")
        tab.call("Page.reload")
        tab.wait(SIGNED_IN)
        tab.wait(AT_REST.format(3))
        after = tab.run("document.getElementById('log').textContent")
        for part in ("Where is it? There.", "x = 1", "It says hello.", "counting"):
            assert part in after
        assert after.count("round ") == before.count("round ")
        assert tab.run("document.querySelectorAll('.card').length") == 2


@pytest.mark.slow
def test_waiting_is_told_and_a_broken_answer_goes_on_as_one(tab, tmp_path):
    early, first, reading = Gate(), Gate(), Gate()
    progress = {"total": 18200, "cache": 1000, "processed": 11300, "time_ms": 5000}
    broken = Answer([early, chunk({}, prompt_progress=progress), reading, chunk({"content": "half a `wo"})],
                    end="reset")
    with Visit(tab, tmp_path, [broken, held({"content": "rd`."}, first)]) as site:
        enter(tab, site)
        say(tab, "Read it.")
        assert early.reached.wait(DEADLINE)
        tab.wait("document.getElementById('work-text').textContent.startsWith('Waiting for the model')")
        early.go.set()
        assert reading.reached.wait(DEADLINE)
        tab.wait("!document.getElementById('work-bar').hidden")
        assert tab.text("#work-text").startswith(
            "Reading the prompt 62% · 11.3k of 18.2k · 2060 t/s · ")
        assert tab.run("document.getElementById('work-bar').value") == 62
        reading.go.set()
        assert first.reached.wait(DEADLINE)
        tab.wait("document.querySelector('.prose')?.textContent == 'half a word.'")
        assert tab.run("document.getElementById('work-bar').hidden") is True
        first.go.set()
        tab.wait(AT_REST.format(1))
        assert "broke off" in tab.text(".notice")
        tab.call("Page.reload")
        tab.wait(SIGNED_IN)
        tab.wait("document.querySelector('.prose')?.textContent == 'half a word.'")


@pytest.mark.slow
def test_hostile_text_is_shown_as_text(tab, tmp_path):
    evil = ("<img src=x onerror=alert(1)><script>alert(2)</script> [x](javascript:alert(3)) "
            "![x](http://attacker.example/?q=1) \u202eabc\u2069 \x1b]52;c;eA==\x07 <style>*{display:none}</style>")
    script = [reply(evil, reasoning=evil, calls=[("read", {"path": evil})]), reply("Done.")]
    with Visit(tab, tmp_path, script) as site:
        enter(tab, site)
        say(tab, "<b>bold</b>")
        tab.wait(AT_REST.format(1))
        tab.run("document.querySelectorAll('.fold').forEach((fold) => fold.click())")
        made = "#log :is(img, script, style, a:not(.image), b:not(.card b), iframe)"
        assert tab.run(f"document.querySelectorAll('{made}').length") == 0
        assert tab.run("[...document.querySelectorAll('#log a')].map((link) => link.href)") == [
            "http://attacker.example/?q=1"]
        assert "<b>bold</b>" == tab.text(".said")
        shown = tab.text(".prose")
        for part in ("<img src=x onerror=alert(1)>", "javascript:alert(3)", "<U+202E>abc<U+2069>", "<U+001B>]52;c"):
            assert part in shown
        assert not set("\u202e\u2069\x1b\x07") & set(tab.run("document.body.textContent"))


@pytest.mark.slow
def test_a_broken_connection_is_taken_up_where_it_broke(tab, tmp_path):
    gate = Gate()
    with Visit(tab, tmp_path, [held({"content": "One 😀 "}, gate, {"content": "two."})]) as site:
        enter(tab, site)
        say(tab, "go")
        assert gate.reached.wait(DEADLINE)
        tab.wait("document.querySelector('.prose')?.textContent == 'One 😀'")
        tab.run("window.kept = document.querySelector('.prose p').firstChild")
        site.cut()
        tab.wait(f"!{HIDDEN.format('banner')}")
        gate.go.set()
        tab.wait(AT_REST.format(1))
        tab.wait(HIDDEN.format("banner"))
        assert tab.text(".prose") == "One 😀 two."
        assert tab.run("window.kept === document.querySelector('.prose p').firstChild") is True
        # What the browser calls an error here is the connection that we broke.
        assert all("ERR_" in words for words in tab.errors)
        tab.errors.clear()


@pytest.mark.slow
def test_an_answer_that_is_cut_by_its_limit_goes_on_in_its_place(tab, tmp_path):
    script = [reply("One, tw", reasoning="Hm.", finish="length"), reply("o, three.", reasoning="Right.")]
    with Visit(tab, tmp_path, script) as site:
        enter(tab, site)
        say(tab, "count")
        for _ in range(2):
            tab.wait(AT_REST.format(1))
            assert tab.run("[...document.querySelectorAll('.prose')].map((node) => node.textContent)") == [
                "One, two, three."]
            assert tab.run("[...document.querySelectorAll('.thought')].map((node) => node.textContent)") == [
                "Hm.", "Right."]
            assert len(site.model.chats) == 2
            tab.call("Page.reload")
            tab.wait(SIGNED_IN)


@pytest.mark.slow
def test_a_full_context_is_told_in_its_place_and_the_summary_is_no_answer(tab, tmp_path):
    calls = iter([[("write", {"path": f"f{n}.txt", "content": f"{n} text\n" * 120})] for n in range(9)])

    def model(body):
        if "write a summary" in json.dumps(body["messages"][-1]):
            return reply("all in short")
        made = next(calls, None)
        return reply("All done.") if made is None else reply("", calls=made)

    with Visit(tab, tmp_path, model, ctx_budget=4000, max_tokens=400) as site:
        enter(tab, site)
        say(tab, "write files")
        for _ in range(2):
            tab.wait(AT_REST.format(1))
            shown = "[...document.querySelectorAll('.{}')].map((node) => node.textContent)"
            assert tab.run(shown.format("prose")) == ["All done."]
            told = tab.run(shown.format("notice"))
            assert [text for text in told if "became a summary" in text] == told[:1]
            tab.call("Page.reload")
            tab.wait(SIGNED_IN)


@pytest.mark.slow
def test_text_that_turns_out_to_be_thinking_is_folded_away(tab, tmp_path):
    told = reply("", pieces=["Let me see. ", "So it is four.", "</think>", "Four."])
    with Visit(tab, tmp_path, [told]) as site:
        enter(tab, site)
        say(tab, "two and two?")
        for _ in range(2):  # as it is told, and after a reload
            tab.wait(AT_REST.format(1))
            shown = "[...document.querySelectorAll('.{}')].map((node) => node.textContent)"
            assert tab.run(shown.format("prose")) == ["Four."]
            assert tab.run(shown.format("thought")) == ["Let me see. So it is four."]
            tab.call("Page.reload")
            tab.wait(SIGNED_IN)


@pytest.mark.slow
def test_a_restarted_server_asks_for_its_new_address_and_drafts_stay(tab, tmp_path):
    with Site(tmp_path, [reply("One.")]) as site:
        site.origin = f"http://127.0.0.1:{site.port}/"
        enter(tab, site)
        say(tab, "go")
        tab.wait(AT_REST.format(1))
        tab.type("half a thought")
        port = site.port
    tab.wait("document.getElementById('banner-text').textContent.includes('stopped')")
    with Visit(tab, tmp_path, port=port, token="N" * 43) as site:
        tab.wait("document.getElementById('banner-text').textContent.includes('restarted')")
        place = tab.run("location.hash")
        tab.open(f"{site.origin}#t={'N' * 43}")
        tab.wait(SIGNED_IN)
        tab.run(f"location.hash = {json.dumps(place)}")
        tab.wait(AT_REST.format(1))
        assert tab.run("document.getElementById('message').value") == "half a thought"
        # What the browser calls an error here is the server that was gone, and the old token.
        tab.errors.clear()


@pytest.mark.slow
def test_without_a_token_there_is_a_panel_to_sign_in(tab, tmp_path):
    with Visit(tab, tmp_path) as site:
        tab.open(site.origin)
        tab.wait(f"!{HIDDEN.format('signin')}")
        assert tab.run("document.activeElement.id") == "address"
        tab.type(f"{site.origin}#t={TOKEN}")
        tab.enter()
        tab.wait(SIGNED_IN)
        assert tab.run(HIDDEN.format("signin")) is True


@pytest.mark.slow
def test_enter_sends_shift_enter_does_not_and_a_composition_is_left_alone(tab, tmp_path):
    with Visit(tab, tmp_path, [reply("Good.")]) as site:
        enter(tab, site)
        tab.click("#message")
        tab.enter()
        tab.type("one")
        tab.enter(shift=True)
        tab.call("Input.imeSetComposition", text="ni", selectionStart=2, selectionEnd=2)
        tab.key("Process", code=229)
        tab.key("Enter", code=229)
        assert site.model.chats == []
        tab.type("你")
        assert tab.run("document.getElementById('message').value") == "one\n你"
        tab.enter()
        tab.wait(AT_REST.format(1))
        assert tab.text(".said") == "one\n你"
        assert tab.run("document.getElementById('message').value") == ""


@pytest.mark.slow
def test_a_reader_who_scrolls_up_is_left_where_they_are(tab, tmp_path):
    gate = Gate()
    lines = "".join(f"line {n}\n\n" for n in range(100))
    with Visit(tab, tmp_path, [held({"content": lines}, gate, {"content": lines})]) as site:
        enter(tab, site)
        say(tab, "go")
        assert gate.reached.wait(DEADLINE)
        tab.wait("document.getElementById('log').textContent.includes('line 98')")
        tab.wait(f"{BELOW} < 2 && document.getElementById('scroller').scrollTop > 0")
        tab.wheel("#scroller", -300)
        tab.wait(f"!{HIDDEN.format('latest')}")
        # The wheel may still be moving the page: wait for two equal readings.
        tab.wait("""(async () => {
            const place = () => document.getElementById("scroller").scrollTop;
            const before = place();
            await new Promise((done) => setTimeout(done, 200));
            return before === place();
        })()""")
        before = tab.run("document.getElementById('scroller').scrollTop")
        gate.go.set()
        tab.wait(AT_REST.format(1))
        assert abs(tab.run("document.getElementById('scroller').scrollTop") - before) <= 1
        tab.click("#latest")
        tab.wait(HIDDEN.format("latest"))
        tab.wait(f"{BELOW} < 2")


@pytest.mark.slow
def test_a_long_session_opens_at_its_end_and_gives_the_rest_on_demand(tab, tmp_path):
    with Visit(tab, tmp_path, lambda body: reply(f"answer {len(body['messages'])}\n" * 5)) as site:
        sid = site.ask("prompt 0")["sid"]
        for n in range(1, 40):
            site.ask(f"prompt {n}", sid)
        enter(tab, site, f"#s={sid}")
        tab.wait("document.getElementById('log').textContent.includes('prompt 39')")
        assert "prompt 0" not in tab.run("document.getElementById('log').textContent")
        while not tab.run(HIDDEN.format("older")):
            count = tab.run("document.querySelectorAll('.page').length")
            tab.click("#older")
            tab.wait(f"document.querySelectorAll('.page').length > {count}")
        assert tab.run("[...document.querySelectorAll('.said')].map((node) => node.textContent)") == [
            f"prompt {n}" for n in range(40)]


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 320, 719])
def test_a_narrow_window_has_a_drawer_and_no_sideways_scroll(tab, tmp_path, width):
    with Visit(tab, tmp_path, [reply("word " * 50 + "x" * 300 + "\n```\n" + "y" * 300 + "\n```")]) as site:
        tab.size(width, 700)
        enter(tab, site)
        say(tab, "w" * 200)
        tab.wait(AT_REST.format(1))
        assert tab.run("document.documentElement.scrollWidth") <= width
        assert tab.run("(({scrollWidth: s, clientWidth: c}) => s - c)(document.getElementById('scroller'))") == 0
        tab.click("#menu")
        tab.wait("getComputedStyle(document.getElementById('sidebar')).visibility == 'visible'")
        tab.key("Escape", code=27)
        tab.wait("getComputedStyle(document.getElementById('sidebar')).visibility == 'hidden'")
        assert tab.run("document.activeElement.id") == "menu"


@pytest.mark.slow
def test_the_page_speaks_the_language_of_the_server(tab, tmp_path):
    with Visit(tab, tmp_path, [reply("好。")], lang="zh") as site:
        enter(tab, site)
        assert tab.run("document.documentElement.lang") == "zh-CN"
        assert tab.text("#new [data-say]") == "新会话"
        say(tab, "你好")
        tab.wait(AT_REST.format(1))
        assert tab.text(".cost").startswith("第 1/15 轮")
        assert "web." not in tab.text("body")


@pytest.mark.slow
def test_offsets_count_characters_as_the_server_does(tab, tmp_path):
    with Visit(tab, tmp_path) as site:
        enter(tab, site)
        assert tab.run("""import("/dom.js").then(({ count, fresh }) => [
            count("a😀é漢\\ud800"), fresh(3, 3, "x"), fresh(3, 1, "a😀bc"), fresh(3, 4, "x"), fresh(9, 1, "ab"),
        ])""") == [5, "x", "bc", None, ""]
