"""Text of a model, split into what is said and what is thought, as it comes in. No I/O.

Think tags and harmony's channels are read, special tokens dropped; code and calls written as text
are left as they are, special tokens and all, whether or not there are tools. No more is held back than what may become a mark. After `wire-quirks.md` and
public reports:
- a think block begins a message, or a line later on; blank lines after it are no text;
- a closing tag alone: everything before it was thinking (templates put the opening tag into the
  prompt), unless there was thinking already: then the tag is residue;
- a tag in quotes or in code is spoken of;
- a token that begins the turn of somebody else ends the message.
Not covered: whether text is a call (`ai/text/textcalls.py`); what an ending means (`ai/text/markup.py`).
"""

from __future__ import annotations

import re

from clinkai.ai.text import harmony, thinktags
from clinkai.ai.text.dialects import LONGEST, OPENER, OPENERS, ORPHANS, look
from clinkai.ai.text.looks import CLOSED, NO, OPEN

MARK = re.compile(r"[<\[`~◁]")
MARK_OR_LABEL = re.compile(rf"{MARK.pattern}|{harmony.LABEL_BEGINS.pattern}")
TAG = re.compile(r"[<\[◁]")
CLOSERS = re.compile("|".join(map(re.escape, sorted(ORPHANS, key=len, reverse=True))))
TAIL = re.compile(rf"(?:(?:{thinktags.END.pattern}|{CLOSERS.pattern})\s*)+", re.I)
EMPTY = re.compile(rf"(?:{OPENER.pattern})\s*({CLOSERS.pattern})?")
BEGUN = re.compile(rf"(?:{OPENER.pattern})[^\s<>]*\Z")
BLANK = re.compile(r"\s*")
CALL_BEGINS = thinktags.beginnings(OPENERS)
CLOSER_BEGINS = thinktags.beginnings(ORPHANS)
STUMP = 4
"""Characters of a mark that make it one, where the text ends within it."""
QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "(": ")"}


class Channels(harmony.HarmonyCursor):
    """sink takes `say`, `think`, `block` (a new block of thinking), `back(label)` (all that was
    said so far, without the label, is thinking), `called(name, arguments, closed)` and `drop`
    (markup was left out). It knows `thought` (there was thinking), `said` (there was text), `last`
    (the last character of the thinking) and `doubtful` (what was said may become a call).
    """

    def __init__(self, sink: object) -> None:
        super().__init__(sink)
        self.tail = ""
        """What stood at the very end and is residue where there are calls."""
        self.refused = False
        """The mark of a call was said, since it is none: what ends it belongs to the text too."""
        self.dangling = ""
        """A call at the very end that was begun."""
        self._closer = ""
        self._late = self._block = False
        self._spoken: list[str] = []
        """Closing tags of those that were spoken of."""

    def in_field(self) -> Channels:
        """Read a reasoning field: all of it is thinking, and kept to the letter."""
        self.open, self._mode = "field", self._think
        return self

    @property
    def idle(self) -> bool:
        """True where a piece without one of MARK can be said unseen; `passed` is told of it."""
        mode = self._think if self.open == "field" else self._text
        return self._mode == mode and self._settled and not (self._skip or self._late)

    # -- text

    def _start(self, final: bool) -> bool:
        """The beginning of a message, white space left aside."""
        buf = self._buf
        at = BLANK.match(buf).end()
        if at == len(buf):
            return final and self._say(at)
        tag = thinktags.OPEN.match(buf, at)
        if tag:
            return self._opened(tag)
        mark = harmony.label(buf, at, harmony.FIRST)
        if not final and (mark is None or thinktags.begins(buf, at)):
            return False
        if mark == harmony.OPENING:
            end = at + len(mark)
            if end == len(buf) and not final:
                return False
            if buf[end:end + 1].isalnum() or buf[end:end + 1] in ('"', "“"):
                self.sink.block()
                return self._thinking("bare", self._bare, end)
            self._late = True
        elif mark:
            self._at = at
            return self._labelled(mark)
        return self._to(self._text, 0)

    def _text(self, final: bool) -> bool:
        buf = self._buf
        if self._skip:
            end = BLANK.match(buf, self._at).end()
            if end == len(buf) and not final:
                return False
            line = buf.rfind("\n", self._at, end) + 1
            self._skip = False
            return self._to(self._text, line if line and end < len(buf) else end)
        there = (MARK_OR_LABEL if self._late else MARK).search(buf, self._at)
        if there is None:
            return self._say(len(buf))
        at = there.start()
        self._say(at)
        if buf[at] in "`~":
            return self._code(final)
        if buf[at] == "a":
            return self._late_label(final)
        if self.sink.doubtful and not self._block:
            return self._say(at + 1)
        return self._mark(final) or (final and self._say(at + 1))

    def _late_label(self, final: bool) -> bool:
        mark = harmony.label(self._buf, self._at, harmony.LABELS)
        if mark is None and not final:
            return False
        if not mark:
            return self._say(self._at + 1)
        self._late = False
        self.sink.back(harmony.OPENING)
        return self._labelled(mark)

    def _mark(self, final: bool) -> bool:
        """Take what begins here; False where it takes more text to know."""
        buf, at = self._buf, self._at
        if harmony.START.match(buf, at):
            return self._to(self._head, at)
        for read in (self._tag, self._turn, self._call, self._residue):
            done = read(final)
            if done is not None:
                return done
        if not final and thinktags.begins(buf, at):
            return False
        token = thinktags.TOKEN.match(buf, at)
        if token:
            return self._drop(token.end())
        if final and len(buf) - at >= STUMP and thinktags.TOKEN_BEGINS.match(buf, at):
            return self._drop(len(buf))
        return self._say(at + 1)

    def _tag(self, final: bool) -> bool | None:
        """An opening or a closing tag. None for neither."""
        buf, at = self._buf, self._at
        tag = thinktags.CLOSE.match(buf, at)
        if tag:
            name = tag.group().lower()
            spoken = name in self._spoken or self._quoted(tag.end(), self._last, final)
            if spoken is None:
                return False
            if not spoken:
                return self._closed(tag.end())
            self._spoken = [s for s in self._spoken if s != name]
            return self._say(tag.end())
        tag = thinktags.OPEN.match(buf, at)
        if tag is None:
            return None
        if self._line_begins() and (not self.sink.said or tag.group().lower() in thinktags.LATER):
            return self._opened(tag)
        if tag.group()[1] == "|":
            return self._drop(tag.end())
        self._spoken.append(thinktags.PAIRS[tag.group().lower()])
        return self._say(tag.end())

    def _quoted(self, end: int, before: str, final: bool) -> bool | None:
        """True for a tag up to `end` in quotes; None where it takes more text to know."""
        closing = QUOTES.get(before[-1:])
        if closing is None:
            return False
        if end == len(self._buf):
            return False if final else None
        return self._buf[end] == closing

    def _opened(self, tag: re.Match) -> bool:
        self._closer = thinktags.PAIRS[tag.group().lower()]
        return self._thinking("tag", self._think, tag.end())

    def _closed(self, end: int) -> bool:
        """A closing tag without an opening one."""
        first = not self.sink.said
        if self.sink.thought or first:
            self.sink.drop()
        else:
            first = True
            self.sink.back("")
        if not first:
            return self._to(self._text, end)
        self._last, self._block = "", False
        return self._talking(end)

    def _turn(self, final: bool) -> bool | None:
        """The beginning of a turn. None for none."""
        buf, at = self._buf, self._at
        turn = thinktags.TURN.match(buf, at)
        if not final and (thinktags.TURN_BEGINS.match(buf, at) or (
                turn and turn.end() == len(buf))):
            return False
        if turn is None:
            return None
        self._drop(turn.end())
        if (turn.group(1) or turn.group(2) or "assistant") not in ("assistant", "model"):
            self._mode = self._foreign
        return True

    def _call(self, final: bool) -> bool | None:
        """A call written as text stays whole. None for none."""
        buf, at = self._buf, self._at
        if not OPENER.match(buf, at):
            if buf[at:at + LONGEST] not in CALL_BEGINS:
                return None
            if final and len(buf) - at >= STUMP:
                self.dangling = buf[at:]
                return self._foreign(True)
            return None if final else False
        empty = EMPTY.match(buf, at)
        if empty and empty.group(1):
            return self._drop(empty.end())
        if empty and not final and buf[empty.end():] in CLOSER_BEGINS:
            return False
        found = look(buf, at, final)
        if found.state == CLOSED:
            self._block = True
            return self._say(found.end)
        if found.state == NO and not (final and BEGUN.match(buf, at)):
            self.refused = True
            return self._say(at + 1)
        if not final:
            return self._patient()
        self.dangling = buf[at:]
        return self._foreign(True)

    def _residue(self, final: bool) -> bool | None:
        """What ends a message, at its very end. None for none."""
        buf, at = self._buf, self._at
        tail = TAIL.match(buf, at)
        if tail is None:
            return False if not final and buf[at:at + LONGEST] in CLOSER_BEGINS else None
        if tail.end() < len(buf):
            rest = buf[tail.end():]
            partial = not final and (thinktags.begins(rest, 0) or rest in CLOSER_BEGINS)
            return False if partial else None
        if not final:
            return False
        if tail.group()[:3].lower() == "</s" and "<s>" in self._last.lower():
            return self._say(at + 1)
        self.tail = thinktags.END.sub("", tail.group())
        if len(self.tail) < len(tail.group()):
            self.sink.drop()
        return self._foreign(True)

    # -- thinking

    def _think(self, final: bool) -> bool:
        """A block of thinking: white space at its ends is none."""
        buf, at = self._buf, self._at
        if self._skip:
            end = BLANK.match(buf, at).end()
            tag = thinktags.OPEN.match(buf, end)
            if tag and self.open == "tag":
                return self._drop(tag.end())
            if not final and (end == len(buf) or thinktags.begins(buf, end)):
                return False
            self._skip = False
            self.sink.block()
            return self._to(self._think, end)
        there = TAG.search(buf, self._seek)
        end = there.start() if there else len(buf)
        stop = end if self.open == "field" else max(at, len(buf[:end].rstrip()))
        if stop > at:
            self.sink.think(buf[at:stop])
        self._at, self._seek = stop, end
        if there:
            return self._think_mark(end, final)
        return stop == end or (final and self._to(self._think, end))

    def _think_mark(self, at: int, final: bool) -> bool:
        """Take what begins at `at`."""
        buf = self._buf
        mark = harmony.END.match(buf, at) if self.open == "harmony" else None
        if mark:
            return self._after(mark)
        end = at + len(self._closer)
        if self.open == "tag" and buf[at:end].lower() == self._closer:
            before = buf[at - 1] if at > self._at else self.sink.last
            quoted = self._quoted(end, before, final)
            if quoted is None:
                return False
            if not quoted:
                return self._talking(end)
            self._seek = end
            return True
        if self.open == "field":
            tag = thinktags.CLOSE.match(buf, at)
            if tag and self.sink.last not in QUOTES:
                self.sink.closed()
                return self._drop(tag.end())
            tag = thinktags.OPEN.match(buf, at)
            if tag and not self.sink.last.strip():
                return self._drop(tag.end())
            header = harmony.HEADER.match(buf, at)
            mark = harmony.MESSAGE.match(buf, header.end()) if header else None
            if mark and harmony.read_header(header.group()).kind == harmony.THINK:
                return self._drop(mark.end())
            if not final and len(buf) - at < harmony.LONGEST and harmony.START.match(buf, at) \
                    and harmony.TOKEN_BEGINS.match(buf, header.end()):
                return False
        if not final and thinktags.begins(buf, at):
            return False
        if buf[at:at + LONGEST] in CALL_BEGINS and not final:
            return False
        if OPENER.match(buf, at):
            return self._call_in_thought(at, final)
        token = thinktags.TOKEN.match(buf, at)
        if token and not CLOSERS.match(buf, at):
            return self._drop(token.end())
        self._seek = at + 1
        return True

    def _call_in_thought(self, at: int, final: bool) -> bool:
        """A call stays whole, unless the thinking ends within it."""
        buf = self._buf
        found = look(buf, at, final)
        end = thinktags.CLOSE.search(buf, at)
        if found.state == CLOSED and (end is None or found.end <= end.start()):
            self._seek = found.end
        elif found.state == OPEN and end is None and not final:
            return self._patient()
        else:
            self._seek = at + 1
        return True
