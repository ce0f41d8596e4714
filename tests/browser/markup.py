"""Markdown in the browser: what the page makes of a text, and what a specification expects, as
trees that can be compared.

A tree is a list of texts and of [tag, about, tree]; `about` is the address of a link or picture, the
language of a code block, the first number of a list, or "".
"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from urllib.parse import unquote

from tests.browser.driver import Tab

HELPERS = """
(async () => {
    const { Markdown } = await import("/markdown/markdown.js");
    const inner = (node) => [...node.childNodes].flatMap(tree);
    const tree = (node) => {
        if (node.nodeType === 3) return [node.data];
        const tag = node.localName;
        const about = node.getAttribute("data-to") ?? node.getAttribute("href") ?? node.getAttribute("start") ?? "";
        if (node.matches("figure.code")) {
            const language = node.querySelector(".language").textContent;
            return [["pre", language, [node.querySelector("code").textContent]]];
        }
        if (node.matches(".image")) return [["img", about, [node.textContent]]];
        if (node.matches("[data-to]")) return [["a", about, inner(node)]];
        // The paragraphs of a tight list have no space around them.
        if (node.matches(".tight > li > p")) return inner(node);
        if (node.matches("span, div")) return inner(node);
        return [[tag, about, inner(node)]];
    };
    const shown = (pieces) => {
        const home = document.createElement("div");
        const markdown = new Markdown(home);
        for (const piece of pieces) markdown.feed(piece);
        markdown.end();
        home.normalize();
        return home;
    };
    const cuts = (text, size) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    window.markup = { shown, inner, cuts, Markdown };
    return true;
})()
"""


def prepare(tab: Tab) -> None:
    """Make `markup` known to the scripts that are run in the page."""
    tab.run(HELPERS)


def trees(tab: Tab, texts: list[str]) -> list[list]:
    """What the page shows for each text."""
    found = tab.run(f"{json.dumps(texts)}.map((text) => markup.inner(markup.shown([text])))")
    return [merged(tree) for tree in found]


def expected(html: str) -> list:
    """The same of HTML, as the specification writes it."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    return merged(reader.root)


INLINE = {"a", "em", "strong", "code", "img", "br", "s"}


class Reader(HTMLParser):
    """HTML that is well formed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root: list = []
        self._open: list[list] = [["", "", self.root]]

    def handle_starttag(self, tag: str, attrs: list) -> None:
        given = dict(attrs)
        about = given.get("href") or given.get("src") or given.get("start") or ""
        if tag == "code" and self._open[-1][0] == "pre":
            self._open[-1][1] = given.get("class", "").removeprefix("language-")
            return
        node = [tag, about, []]
        self._open[-1][2].append(node)
        if tag == "img":
            node[2].append(given.get("alt", ""))
        elif tag not in ("br", "hr"):
            self._open.append(node)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self._open[-1][0] == tag:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1][2].append(data)


def merged(tree: list) -> list:
    """Texts in one, spaces between blocks away, addresses as one form."""
    found: list = []
    for item in tree:
        if isinstance(item, str):
            if found and isinstance(found[-1], str):
                found[-1] += item
            else:
                found.append(item)
            continue
        tag, about, inner = item
        if tag in ("a", "img"):
            about = unquote(about).replace("/?", "?").replace("/#", "#").replace("\\", "/").rstrip("/").lower()
        if tag == "pre" and all(isinstance(part, str) for part in inner):
            inner = ["".join(inner).removesuffix("\n")]
        found.append([tag, about, merged(inner)])
    return [item for item in map(trimmed, found, [None, *found], [*found[1:], None]) if item != ""]


def trimmed(item: object, before: object, after: object) -> object:
    """A text without the line ends that only part it from blocks and line breaks."""
    if not isinstance(item, str):
        return item
    if isinstance(before, list) and before[0] == "br":
        item = item.removeprefix("\n")
    if isinstance(before, list) and before[0] not in INLINE:
        item = item.lstrip("\n")
    if before is None and isinstance(after, list) and after[0] not in INLINE:
        item = item.lstrip("\n")
    if isinstance(after, list) and after[0] not in INLINE or after is None:
        item = item.rstrip("\n")
    return item
