"""Which part of a message may be a tool call: held back while it comes in, cut into blocks at its
end.

Code is passed over: a fenced block, or what follows backticks up to as many of them or the end of
the line. So is markup within a sentence. Whether something holds does not depend on how the
message was cut into pieces.
Not covered: the forms of calls (`ai/text/dialects.py`), which blocks count (`ai/text/textcalls.py`).
"""

from __future__ import annotations

import re

from clinkai.ai.text import fences
from clinkai.ai.text.looks import GOING, NO, NOTHING, OPEN, Look
from clinkai.core.value import Value

CONTEXT = 64
"""Characters before a place that decide whether a call may stand there."""

INTERESTING = r"[<\[{`]|~(?=~~|~?$)|c(?:a(?:l(?:l(?::|$)|$)|$)|$)"
"""Where something may begin that is looked at: markup, JSON, code, `call:`."""

EMOJI = "\U0001f000"
"""The first of the pictures: one at the end of a sentence ends it too."""

ENDS = frozenset(".!?…。！？）】；")
"""What ends a sentence, so that markup after it on the same line is not a part of it."""

VAIN = 100
"""Openers without a call after which the rest of a message is taken for text: each costs a look at
all that follows."""


class Block(Value):
    """Something that reads like a call, and where it starts."""

    start: int
    look: Look
    quoted: bool
    """It stands where a call cannot stand."""


class Scan:
    """A message as it comes in: `feed` returns what can be shown, `blocks` what is left.

    Linear in the length of the message; keeps no more of it than what is held.
    """

    def __init__(self) -> None:
        self._next = re.compile(INTERESTING).search
        self._text = ""
        self._more: list[str] = []
        self._size = 0
        """Length of _text and _more."""
        self.shown = self._at = 0
        """In `text`: where what is not shown begins; how far it was looked through."""
        self._dropped = False
        self._blank = True
        """Nothing but white space came before `_at`."""
        self._fence = ""
        self._ticks = self._code_at = 0
        """Of inline code: the number of its backticks, and where it begins."""
        self._vain = 0
        self._quoted = 0
        """Markup that begins before it is quoted, whatever stands before that."""
        self._holds = False
        self._wait = 0.0
        """With _holds: the size from which on it is worth looking again."""

    @property
    def holding(self) -> bool:
        """True while something is held back."""
        return self._size > self.shown

    @property
    def idle(self) -> bool:
        """True where a piece without any of MARKS (`ai/assembly.py`) can be shown unseen; `passed`
        is told of it before the next `feed`."""
        code = self._fence or self._ticks or self._at < self._size
        return not (self._blank or code or self.holding)

    def passed(self, text: str) -> None:
        """Take note of text that was shown unseen, all of it since the last `feed`."""
        self._text += text
        self._size += len(text)
        self.shown = self._at = self._size
        self._forget()

    def feed(self, piece: str) -> str:
        """Take a piece; return what can be shown now."""
        self._more.append(piece)
        self._size += len(piece)
        if self._holds and self._size < self._wait:
            return ""
        self._join()
        self._scan()
        self._blank = self._blank and not self._text[:self._at].strip()
        shown = self._text[self.shown:self._at if self._holds else None]
        self.shown += len(shown)
        self._forget()
        return shown

    def again(self) -> str:
        """Look once more at what is held, however little was added to it; return what can be
        shown now."""
        self._wait = 0.0
        return self.feed("")

    @property
    def mark(self) -> str:
        """The first characters of what may be a call; empty where nothing may."""
        return self._text[self._at:self._at + 5] if self._holds else ""

    @property
    def rest(self) -> str:
        """What was not shown."""
        return self.text[self.shown:]

    @property
    def text(self) -> str:
        """What is still kept of the message."""
        self._join()
        return self._text

    def _join(self) -> None:
        if self._more:
            self._text += "".join(self._more)
            self._more.clear()

    def _forget(self) -> None:
        """Drop what was shown and looked through, but for the context."""
        drop = min(self.shown, self._at, self._code_at if self._ticks else self._at) - CONTEXT
        if drop > 4 * CONTEXT and not self._blank:
            self._dropped = True
            self._text = self._text[drop:]
            self._at -= drop
            self._code_at -= drop
            self._quoted -= drop
            self.shown -= drop
            self._size -= drop

    # -- looking through the text

    def _scan(self) -> None:
        """Look through the text up to its end, or to where a call may begin."""
        self._holds = False
        while self._at < len(self._text):
            if self._fence or self._ticks:
                if not self._code(GOING):
                    return
                continue
            there = self._next(self._text, self._at)
            if there is None:
                self._at = len(self._text)
                return
            self._at = there.start()
            found, _ = self._look(GOING, False)
            if found.state == NO:
                if not self._pass(GOING):
                    return
                continue
            self._holds = True
            size = len(self._text) - self._at
            self._wait = self._size + size / 8 if found.state == OPEN else float("inf")
            return

    def blocks(self, final: int) -> list[Block]:
        """What reads like calls in what is held, now that the message ended. final: CUT or STOPPED.
        Call it once."""
        self._join()
        blocks: list[Block] = []
        if not self._holds:
            return blocks
        from clinkai.ai.text.dialects import residue_end

        end = -1
        while self._at < len(self._text) and self._vain < VAIN:
            if self._fence or self._ticks:
                self._code(final)
                continue
            if end == self._at:
                end = self._at = residue_end(self._text, end)
            there = self._next(self._text, self._at)
            if there is None:
                break
            self._at = there.start()
            found, quoted = self._look(final, self._at == end)
            if found.state == NO:
                self._pass(final)
                continue
            blocks.append(Block(self._at, found, quoted))
            end = self._at = found.end
        return blocks

    def _look(self, final: int, after: bool) -> tuple[Look, bool]:
        """What stands at the current place, and whether it is quoted there. after: right after
        another call. Quoted markup is looked at too, since what is in it is quoted as well."""
        from clinkai.ai.text.dialects import look
        from clinkai.ai.text.plainjson import look_fence, look_json, look_python

        text, at = self._text, self._at
        char = text[at]
        if at < self._quoted and char != "<" and not text.startswith("[TOOL_", at):
            return NOTHING, True
        head = self._line_head(at)
        line = after or (head is not None and not head.strip() and len(head) < 4)
        fresh = self.fresh(at)
        found = NOTHING
        if char in "`~" and line:
            found = look_fence(text, at, final)
        if char == "[" and fresh:
            found = look_python(text, at, final)
        if char in "[{" and found.state == NO and (line or self._ended_before(at, head)):
            found = look_json(text, at, final)
        if found.state != NO or char not in "<[c" or (char == "c" and not fresh):
            return found, False
        found = look(text, at, final)
        if final and found.state == OPEN and not found.items and not found.name:
            self._vain += 1
            return NOTHING, False
        free = line or fresh or self._sentence_before(at, head)
        return found, at < self._quoted or not free

    def fresh(self, at: int) -> bool:
        """True where the message begins at `at`."""
        return not self._dropped and not self._text[:at].strip()

    def _line_head(self, at: int) -> str | None:
        """What stands before `at` in its line, or None where neither code nor a call may stand
        behind that."""
        start = max(0, at - CONTEXT // 2)
        line = self._text.rfind("\n", start, at) + 1
        if line == 0 and (start > 0 or self._dropped):
            return None
        head = self._text[line:at]
        return head if re.fullmatch(fences.HEAD, head) else None

    def _sentence_before(self, at: int, head: str | None) -> bool:
        """True where markup at `at`, within a line, is not within a sentence: right after a word or
        the end of a sentence. After a colon, a quote, a bracket or a list mark it is quoted."""
        if head is not None:
            return False
        return self._text[at - 1:at].isalnum() or self._ended_before(at, head)

    def _ended_before(self, at: int, head: str | None) -> bool:
        """True where a sentence ends before `at` in the same line."""
        last = self._text[max(0, at - CONTEXT):at].rstrip(" \t")[-1:]
        return head is None and (last in ENDS or last > EMOJI)

    # -- code

    def _pass(self, final: int) -> bool:
        """Go on after a place where no call begins; enter code where that begins here. False where
        it takes more text to know."""
        text, at = self._text, self._at
        end = at + 1
        while text[at] in "`~" and end < len(text) and text[end] == text[at]:
            end += 1
        if text[at] in "`~":
            marks, head = text[at:end], self._line_head(at)
            fence = head is not None and fences.opens(head, marks, "")
            line_end = text.find("\n", end) if fence else -1
            if not final and (end == len(text) or (fence and line_end < 0)):
                return False
            if fence and fences.opens(head, marks, text[end:line_end if line_end >= 0 else None]):
                self._fence = marks
            elif text[at] == "`":
                self._ticks, self._code_at = end - at, end
        self._at = end
        return True

    def _code(self, final: int) -> bool:
        """Go on to the end of a fence or of inline code; False where it is not there yet."""
        text = self._text
        if self._fence:
            end = re.compile(rf"\n{fences.closing(self._fence).pattern}(?=\n)")
            close = end.search(text, self._at)
            if close:
                self._fence, self._at = "", close.end()
                return True
            line = text.rfind("\n", self._at)
            near = 0 <= line and len(text) - line < CONTEXT and not final
            self._at = line if near else len(text)
            return False
        for run in fences.TICKS.finditer(text, self._at):
            if run.end() == len(text) and run.group() != "\n" and not final:
                self._at = run.start()
                return False
            if run.group() == "\n":
                self._leave(run.start(), final)
                return True
            if len(run.group()) == self._ticks:
                self._ticks, self._at = 0, run.end()
                return True
        self._at = len(text)
        return False

    def _leave(self, end: int, final: int) -> None:
        """End inline code that has no end, at a line break. Markup that began in it is quoted."""
        from clinkai.ai.text.dialects import OPENER, look

        self._ticks, self._at = 0, end
        for opener in OPENER.finditer(self._text, self._code_at, end):
            if look(self._text, opener.start(), final).state != NO:
                self._at, self._quoted = opener.start(), end
                return
