"""A real terminal for the program: a pseudo-terminal it controls, typed at and read by the test."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from tests.ui.program import DEADLINE, Program


class Terminal:
    """`with Terminal(program, "task") as terminal:`; on the way out the program must have ended."""

    def __init__(self, program: Program, *args: str, size: tuple[int, int] = (30, 100)) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self._slave = slave
        self.before = termios.tcgetattr(slave)
        self.text = ""
        self._seen = 0
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        env = {"TERM": "xterm", **program.environ}
        self.process = subprocess.Popen(
            program.argv(*args), stdin=slave, stdout=slave, stderr=slave, cwd=program.workspace,
            env=env, start_new_session=True, preexec_fn=_take_terminal,
        )

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.process.kill()
        code = self.process.wait(DEADLINE)
        self._read(0.1)
        self.after = termios.tcgetattr(self._slave)
        os.close(self._slave)
        os.close(self._master)
        assert kind is not None or "Traceback" not in self.text, self.text
        self.code = code

    def expect(self, *words: str) -> str:
        """Wait until all `words` have appeared, in order, after what was expected before; returns
        the new text up to there."""
        start = self._seen
        end = time.monotonic() + DEADLINE
        for word in words:
            while (found := self.text.find(word, self._seen)) < 0:
                gone = self.process.poll() is not None and not self._read(0.2)
                assert not gone and time.monotonic() < end, (
                    f"{word!r} did not appear after: {self.text[start:]!r}")
                self._read(0.2)
            self._seen = found + len(word)
        return self.text[start:self._seen]

    def type(self, keys: str | bytes) -> None:
        """Type at the keyboard."""
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def answer(self, keys: str) -> None:
        """Answer the open question. It drops what is typed before the keyboard has been silent for
        a while, which nothing on the screen tells: so the keys are typed until something happens,
        Enter alone once."""
        while termios.tcgetattr(self._slave)[3] & termios.ECHO:
            time.sleep(0.01)
        self._read(0)
        for _ in range(10):
            time.sleep(0.7)
            self.type(keys)
            if keys == "\r" or self._read(1.0):
                return

    def _read(self, seconds: float) -> bool:
        """Take what the program wrote within that time; True if it wrote something."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if ready:
            self.text += self._decode(os.read(self._master, 65_536))
        return bool(ready)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
