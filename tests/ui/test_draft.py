"""A message that no request can hold comes back to be edited."""

from __future__ import annotations

import pytest

from tests.server import FakeServer, reply
from tests.ui.screen import Terminal


@pytest.mark.slow
def test_a_message_that_was_refused_stands_at_the_prompt_again(program):
    with FakeServer([reply("short enough")]) as server:
        program.setting(BASE_URL=server.base_url, MODEL="local", CTX_BUDGET="1500", LANG="en")
        with Terminal(program) as terminal:
            terminal.expect("› ")
            terminal.type("word " * 700 + "END\r")
            terminal.expect("It was not sent")
            terminal.expect("END")
            terminal.type("\x15hello\r")
            terminal.expect("short enough", "› ")
            terminal.type("\x04")
        assert [m["content"] for m in server.chats[0].json["messages"][1:]] == ["hello"]
