"""Showing an answer of 200,000 characters as Markdown in the browser, against one of a quarter of
that: four times as long where time grows with the text. At once, in pieces of 100 characters, and
in pieces of 1,000 the slowest of several hostile texts. No rows where there is no Chromium.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import drive

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP))

LONG, SHORT, REPEATS = 200_000, 50_000, 3
GOAL = 6
HOSTILE = ["> > > a\n", "[", "*a ", "**a*", "`a``b", "|", "[a](b", '[a](b "', "[a][", "\\(a",
           "[a]: b\n\n[c]\n\n", "- a\n  - b\n"]
TIMED = """((unit, size, cut) => {
    const text = unit.repeat(Math.ceil(size / unit.length)).slice(0, size);
    const markdown = new markup.Markdown(document.createElement("div"));
    const begin = performance.now();
    for (let at = 0; at < size; at += cut) markdown.feed(text.slice(at, at + cut));
    markdown.end();
    return performance.now() - begin;
})"""


def measure() -> list[str]:
    """A row for an answer at once, for one in pieces, and for the hostile text that takes longest."""
    from tests.browser import driver, markup
    from tests.browser.samples import ANSWER
    from tests.ui.web.site import TOKEN, Site

    if driver.find() is None:
        return []
    with tempfile.TemporaryDirectory() as top, driver.Browser() as browser, Site(Path(top)) as site:
        tab = browser.tab(1280, 800)
        tab.open(f"http://127.0.0.1:{site.port}/#t={TOKEN}")
        tab.wait("!document.getElementById('app').hidden")
        markup.prepare(tab)

        def timed(unit: str, size: int, cut: int, repeats: int) -> float:
            script = f"{TIMED}({json.dumps(unit)}, {size}, {cut})"
            return drive.middle([tab.run(script) for _ in range(repeats)])

        def grown(unit: str, cut: int, repeats: int = REPEATS) -> tuple[float, float]:
            return timed(unit, LONG, cut, repeats), timed(unit, SHORT, cut, repeats)

        timed(ANSWER, SHORT, SHORT, 1)
        worst = max(HOSTILE, key=lambda unit: timed(unit, LONG, 1000, 1))
        pairs = [("at once", grown(ANSWER, LONG)), ("in 2,000 pieces", grown(ANSWER, 100)),
                 ("in 200 pieces, the slowest of hostile texts", grown(worst, 1000))]
    return [drive.row(f"an answer of 200 kB as Markdown, {how}, against 50 kB", *pair, "ms", GOAL)
            for how, pair in pairs]
