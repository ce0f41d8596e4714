"""Chunks that differ from one before in a single string, recognised without parsing them.

All chunks of a stream carry the same envelope (id, model, time) around a few letters of text, and
parsing it is most of what a token costs. Where a chunk begins and ends with the very bytes that
stood around the text of a chunk that was parsed, and one JSON string lies between them, its value
is the only news. The envelope is learnt anew when it changes (llama.cpp's has the time in seconds).
"""

from __future__ import annotations

import json
from json.decoder import scanstring

TRIES = 8
"""Envelopes learnt for nothing, one after the other, until it is given up: in some streams every
chunk has an id of its own."""

decode = json.JSONDecoder().raw_decode


class Envelope:
    """The envelope learnt last; `kind` is what the caller calls its chunks."""

    def __init__(self) -> None:
        self.kind: tuple = ()
        self._before = self._after = ""
        self._tries = TRIES

    def text(self, data: str) -> str:
        """The text in `data`; empty where there is none, or it is another chunk."""
        before, after = self._before, self._after
        if before and data.startswith(before) and data.endswith(after):
            try:
                text, end = scanstring(data, len(before))
            except ValueError:
                return ""
            if end + len(after) == len(data):
                self._tries = TRIES
                return text
        return ""

    def forget(self) -> None:
        """What the envelope meant has changed."""
        self._before = ""

    def learn(self, data: str, chunk: dict, path: tuple, kind: tuple) -> None:
        """Take note of `data`, the text of `chunk`: its only news is the text at `path`, the keys
        and positions that lead to it."""
        if not self._tries:
            return
        self._tries -= 1
        self._before = ""
        *way, key = path
        mark = f'"{key}":'
        at = data.find('"', data.find(mark) + len(mark)) + 1
        try:
            before, after = data[:at], data[scanstring(data, at)[1]:]
            probe = decode(f'{before}"{after}')[0]
            empty, full = probe, chunk
            for step in way:
                empty, full = empty[step], full[step]
            emptied = empty[key] == ""
            empty[key] = full[key]
        except (ValueError, LookupError, TypeError):
            return
        if emptied and probe == chunk:
            self._before, self._after, self.kind = before, after, kind
