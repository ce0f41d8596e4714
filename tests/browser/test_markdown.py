"""The text of the model as the page shows it: structure, safety, streaming, copying, colours."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.browser import markup
from tests.browser.samples import COLOURED, DANGEROUS, LINKS, SAMPLES, SHOWN
from tests.source import TOP
from tests.ui.web.site import TOKEN, Site

SPEC = json.loads((TOP / "tests/cases/commonmark/spec.json").read_text(encoding="utf-8"))

EXACT = {
    "Tabs": 11, "Backslash escapes": 12, "Entity and numeric character references": 15, "Precedence": 1,
    "Thematic breaks": 19, "ATX headings": 18, "Setext headings": 27, "Indented code blocks": 12,
    "Fenced code blocks": 29, "Link reference definitions": 26, "Paragraphs": 8, "Blank lines": 1,
    "Block quotes": 25, "List items": 48, "Lists": 24, "Inlines": 1, "Code spans": 21,
    "Emphasis and strong emphasis": 129, "Links": 86, "Images": 21, "Autolinks": 12, "Raw HTML": 7,
    "Hard line breaks": 13, "Soft line breaks": 2, "Textual content": 3,
}
"""Examples of the specification that give exactly the structure it expects: 571 of 652. The others
have HTML (shown as text here), schemes that are no links here, addresses without brackets (links
here), names of characters that only HTML 5 has, or a picture without words (its address is shown)."""

ALLOWED = {
    "a": ["class", "data-host", "href", "rel", "target", "title"], "blockquote": [], "br": [],
    "button": ["aria-pressed", "class", "data-say", "type"], "code": [], "div": ["class", "tabindex"],
    "em": ["class"], "figcaption": [], "figure": ["class"], "h1": [], "h2": [], "h3": [], "h4": [], "h5": [],
    "h6": [], "hr": [], "li": [], "ol": ["class", "start"], "p": [], "pre": ["tabindex"], "s": [],
    "span": ["class", "data-to", "title"], "strong": [], "table": [], "tbody": [],
    "td": ["class", "colspan"], "th": ["class", "colspan"], "thead": [], "tr": [], "ul": ["class"],
}
"""All that the text of a model can become."""

FOREIGN = """((texts) => {
    const allowed = %s;
    const found = new Set();
    for (const text of texts) {
        for (const node of markup.shown([text]).querySelectorAll("*")) {
            for (const name of node.getAttributeNames()) {
                if (!allowed[node.localName]?.includes(name)) found.add(`${node.localName} ${name}`);
            }
            if (!allowed[node.localName]) found.add(node.localName);
            if (node.localName !== "a") continue;
            const proper = ["http:", "https:", "mailto:"].includes(node.protocol)
                && node.rel === "noopener noreferrer" && node.target === "_blank";
            if (!proper) found.add(node.outerHTML);
        }
    }
    return [...found];
})""" % json.dumps(ALLOWED)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """The page, with nothing in it."""
    with Site(tmp_path_factory.mktemp("site")) as site:
        tab = browser.tab(1280, 800)
        tab.open(f"http://127.0.0.1:{site.port}/#t={TOKEN}")
        tab.wait("!document.getElementById('app').hidden")
        markup.prepare(tab)
        yield tab
        assert (tab.errors, tab.violations) == ([], [])
        assert [url for url in tab.requests if not url.startswith((f"http://127.0.0.1:{site.port}/", "about:"))] == []
        tab.close()


@pytest.mark.slow
def test_what_the_model_writes_becomes_blocks(page):
    assert markup.trees(page, [text for text, _ in SHOWN[:3]]) == [tree for _, tree in SHOWN[:3]]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "tree"), SHOWN)
def test_a_text_has_this_structure(page, text, tree):
    assert markup.trees(page, [text]) == [tree]


@pytest.mark.slow
def test_the_examples_of_the_specification_have_the_structure_it_expects(page):
    found = markup.trees(page, [example["markdown"] for example in SPEC])
    exact = Counter(example["section"] for example, tree in zip(SPEC, found)
                    if tree == markup.expected(example["html"]))
    assert exact == EXACT
    assert sum(EXACT.values()) == 571


@pytest.mark.slow
def test_nothing_a_text_says_becomes_active(page):
    texts = [example["markdown"] for example in SPEC] + DANGEROUS + SAMPLES
    assert page.run(f"{FOREIGN}({json.dumps(texts)})") == []


@pytest.mark.slow
@pytest.mark.parametrize(("text", "links"), LINKS)
def test_a_link_leads_only_where_it_says(page, text, links):
    """`links`: [address, host shown beside it] of all there are."""
    assert page.run(f"""[...markup.shown([{json.dumps(text)}]).querySelectorAll("a")]
        .map((link) => [link.getAttribute("href"), link.dataset.host ?? null])""") == links


@pytest.mark.slow
def test_hostile_text_is_there_to_read(page):
    texts = page.run(f"{json.dumps(DANGEROUS)}.map((text) => markup.shown([text]).textContent)")
    hidden = {chr(c) for c in (0, 7, 0x1b, 0x7f, 0x9b, 0x200b, 0x202e, 0x2066, 0x2069, 0xfeff, 0xe0041)}
    assert [text for text in texts if hidden & set(text)] == []
    assert [source for source, text in zip(DANGEROUS, texts) if "<s" in source and "<s" not in text] == []


DIFFERENT = """((texts) => texts.filter((text) => {
    const whole = markup.shown([text]).innerHTML;
    const differs = (pieces) => markup.shown(pieces).innerHTML !== whole;
    if ([1, 2, 3, 7].some((size) => differs(markup.cuts(text, size)))) return true;
    for (let at = 1; at < text.length; at++) {
        if (differs([text.slice(0, at), text.slice(at)])) return true;
    }
    return false;
}))"""
"""Texts that some cut shows differently. Half of a character may stand on each side of one."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_pieces_are_shown_as_the_whole(page, part):
    texts = [example["markdown"] for example in SPEC][part::8] + SAMPLES[part::8] + DANGEROUS[part::8]
    assert page.run(f"{DIFFERENT}({json.dumps(texts)})") == []


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["word ", "a **b** ", "x" * 50 + "\n", "[a](", "`", "|a", "> a\n", "😀", "```", "- "])
def test_long_lines_and_blocks_are_the_same_in_pieces(page, unit):
    text = json.dumps(unit * (20000 // len(unit)))
    assert page.run(f"""[7, 1000, 4096, 8191].filter((size) =>
        markup.shown(markup.cuts({text}, size)).innerHTML !== markup.shown([{text}]).innerHTML)""") == []


@pytest.mark.slow
def test_what_is_settled_keeps_its_nodes_and_what_is_selected_in_it(page):
    text = "\n".join(SAMPLES)
    different = page.run(f"""(() => {{
        const home = document.body.appendChild(document.createElement("div"));
        const markdown = new markup.Markdown(home);
        markdown.feed("First *one* and\\n\\n- an item\\n- and one more\\n\\n");
        const before = [...home.querySelectorAll("*")];
        getSelection().selectAllChildren(home.querySelector("li"));
        const seen = new Set();
        let moved = 0;
        for (const char of {json.dumps(text)}) {{
            markdown.feed(char);
            for (const node of seen) moved += node.parentNode === home ? 0 : 1;
            for (const node of [...home.children].slice(0, -2)) seen.add(node);
        }}
        markdown.end();
        const same = before.every((node, at) => home.querySelectorAll("*")[at] === node);
        const selected = getSelection().toString();
        getSelection().removeAllRanges();
        home.remove();
        return [moved, same, selected, seen.size > 20];
    }})()""")
    assert different == [0, True, "an item", True]


@pytest.mark.slow
def test_a_line_that_grows_keeps_its_text_node(page):
    assert page.run("""(() => {
        const home = document.createElement("div");
        const markdown = new markup.Markdown(home);
        markdown.feed("One");
        const kept = home.querySelector("p").firstChild;
        for (const piece of [" two", " **three", "** four", "\\nfive"]) markdown.feed(piece);
        return home.querySelector("p").firstChild === kept && kept.data === "One two ";
    })()""") is True


@pytest.mark.slow
def test_an_open_fence_is_code_from_its_first_line_and_markers_do_not_flash(page):
    steps = ["a\n", "-", "--", "\n", "`", "``py", "\nx = 1", "\n`", "``", "\nb"]
    assert page.run(f"""(() => {{
        const home = document.createElement("div");
        const markdown = new markup.Markdown(home);
        return {json.dumps(steps)}.map((piece) => {{
            markdown.feed(piece);
            return [...home.children].map((node) => node.localName).join(" ");
        }});
    }})()""") == ["p", "p", "p", "h2", "h2", "h2 figure", "h2 figure", "h2 figure", "h2 figure", "h2 figure p"]


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "limit"), [(">", 40), ("- ", 80), ("1. ", 80), ("*a **a ", 40), ("*a", 40), ("[![", 40)])
def test_depth_has_a_limit(page, unit, limit):
    """Without one, the layout of a page costs the more, the deeper it is."""
    assert page.run(f"""(() => {{
        const text = {json.dumps(unit)}.repeat(5000) + "x" + {json.dumps(unit[::-1])}.repeat(5000);
        const depth = (node) => 1 + Math.max(0, ...[...node.children].map(depth));
        return depth(markup.shown([text]));
    }})()""") <= limit


CODE = "x = '\t\u202e<b>'  \n\n  # \\e \x1b[0m é 漢 😀\r\nlast"


@pytest.mark.slow
@pytest.mark.parametrize("modern", [True, False])
def test_code_is_copied_byte_for_byte(page, modern):
    page._browser.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    page.call("Page.bringToFront")
    if not modern:
        # As on plain http from another machine.
        page.run("""window.modern = navigator.clipboard;
            Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true })""")
    page.run(f"""(() => {{
        const home = markup.shown([{json.dumps("```py" + chr(10) + CODE + chr(10) + "```")}]);
        home.id = "copied";
        document.getElementById("log").replaceChildren(home);
    }})()""")
    page.click("#copied button:last-child")
    page.wait("document.querySelector('#copied button:last-child').dataset.say === 'web.copied'")
    if not modern:
        page.run("delete navigator.clipboard")
    assert page.run("navigator.clipboard.readText()") == CODE
    page.click("#copied button")
    assert page.run("getComputedStyle(document.querySelector('#copied pre')).whiteSpace") == "pre-wrap"
    assert page.run("document.querySelector('#copied button').getAttribute('aria-pressed')") == "true"
    page.run("document.getElementById('copied').remove()")


@pytest.mark.slow
def test_a_copy_that_fails_says_so(page):
    page.run(f"""(() => {{
        document.execCommand = () => false;
        Object.defineProperty(navigator, "clipboard", {{ value: undefined, configurable: true }});
        const home = markup.shown(["```\\nx"]);
        document.getElementById("log").replaceChildren(home);
        home.id = "copied";
    }})()""")
    page.click("#copied button:last-child")
    page.wait("document.querySelector('#copied button:last-child').textContent.startsWith('Not copied')")
    page.run("delete navigator.clipboard; delete document.execCommand; document.getElementById('copied').remove()")


@pytest.mark.slow
@pytest.mark.parametrize(("language", "code", "tokens"), COLOURED)
def test_code_has_colours_where_they_are_sure(page, language, code, tokens):
    text = json.dumps(f"```{language}\n{code}\n```")
    found, shown = page.run(f"""(() => {{
        const code = markup.shown([{text}]).querySelector("code");
        const spans = [...code.querySelectorAll("span")];
        return [spans.map((span) => [span.className.slice(4), span.textContent]), code.textContent];
    }})()""")
    assert [f"{kind} {token}" for kind, token in found] == tokens
    assert shown == code
