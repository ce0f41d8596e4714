"""Every provider that stands before another one offers all that the one behind it has."""

from __future__ import annotations

import pytest

from clinkai.ai.automatic import Automatic
from clinkai.ai.provider import Extras, Provider, Reply
from clinkai.ai.steady import Steady
from clinkai.core.cancel import Cancel
from clinkai.core.messages import TokenCount
from tests.ai.chat import request

REPLY = Reply("a", "", "", (), "stop", TokenCount())
OFFERED = {name for name in vars(Provider) if not name.startswith("_")}


class Behind(Provider):
    name, kind, transport, known_window = "behind", "vllm", None, 77

    def __init__(self):
        self.asked = []

    extras = Extras()

    def twin(self):
        return self.extras

    def ready(self, cancel):
        self.asked.append("ready")

    def window(self, cancel):
        self.asked.append("window")
        return 78

    def vision(self, cancel):
        self.asked.append("vision")
        return True

    def stream(self, request, cancel):
        self.asked.append("stream")
        yield REPLY

    def drop(self, field):
        self.asked.append(f"drop {field}")
        return True

    def close(self):
        self.asked.append("close")


@pytest.mark.parametrize("before", [
    Steady, lambda behind: Automatic(behind, {}), lambda behind: Steady(Automatic(behind, {})),
])
def test_what_is_asked_of_the_one_before_is_answered_by_the_one_behind(before):
    behind = Behind()
    behind.transport = object()
    provider = before(behind)
    assert vars(Behind).keys() >= OFFERED
    told = [provider.name, provider.kind, provider.transport, provider.known_window,
            provider.extras, provider.twin()]
    assert told == ["behind", "vllm", behind.transport, 77, behind.extras, behind.extras]
    provider.ready(Cancel())
    told = [provider.window(Cancel()), provider.vision(Cancel()), provider.drop("seed"),
            *provider.stream(request(), Cancel())]
    provider.close()
    assert told == [78, True, True, REPLY]
    assert behind.asked == ["ready", "window", "vision", "drop seed", "stream", "close"]
