"""Tool calls that a model wrote as text: holding them back as they come in, and finding them.

A call in text may be quoted: from a web page, a file, an example. Therefore it counts only
- as special-token markup of a declared tool, closed by its marker, or complete at a normal end of
  the message; outside code; at the beginning of a line, or right after a word or a sentence, but
  not within one; and with no text after it. Text may follow where the markup begins the message,
  and, with both on lines of their own, before another call that ends the message;
- or as JSON that is the whole or the last part of the message, bare or in a fence: objects of
  exactly `name` and `arguments` (or `parameters`), all of declared tools. `type: function` and an
  `id` may stand beside them, since Llama and Mistral write them so; nothing else;
- or as the whole message `[name(key="value")]`.
Code is a fenced block, or what follows backticks up to as many of them or the end of the line.
`ai/text/verdict.py` decides so at the end; `ai/text/holding.py` looks for what may be decided upon.
Not covered: the forms themselves (`ai/text/dialects.py`), thinking and channels (`ai/text/markup.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clinkai.ai.text.holding import Scan
from clinkai.ai.text.looks import CUT, STOPPED

if TYPE_CHECKING:
    from clinkai.ai.text.verdict import Found


class Held(Scan):
    """A message as it comes in: `feed` returns what can be shown, `end` the calls in the rest.

    schemas: name of a tool -> JSON schema of its parameters, for forms that do not tell `42` from
    `"42"`; without it such values stay text.
    """

    def __init__(self, declared: tuple[str, ...], schemas: dict | None = None) -> None:
        super().__init__()
        self.declared = declared
        self.schemas = schemas or {}

    def end(self, stopped: bool) -> Found | None:
        """The calls in what is held, or None, where `rest` is to be shown. stopped: the message
        ended normally, not at a limit. The `kept` of Found is what remains of the rest. Call it
        once."""
        blocks = self.blocks(STOPPED if stopped else CUT)
        if not blocks:
            return None
        from clinkai.ai.text.verdict import settle

        return settle(self, blocks, stopped, self.declared, self.schemas)
