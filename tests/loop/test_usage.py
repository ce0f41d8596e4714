"""What is told of the cost of an answer that never came to its end."""

from __future__ import annotations

import pytest

from clinkai.ai.provider import PrefillPart, TextPart
from clinkai.core.events import Usage
from clinkai.core.messages import TokenCount
from clinkai.core.value import replace
from tests.loop.turns import play, say


@pytest.mark.parametrize(("text", "kept"), [("", 0), ("as far as it went", 1)])
def test_the_progress_tells_the_prompt_of_an_answer_that_was_stopped(text, kept):
    stopped = replace(say(text, finish="repeat"), count=TokenCount())
    played = play([PrefillPart(300, 400, 300, 5), PrefillPart(400, 400, 300, 9), TextPart(text), stopped],
                  replace(stopped, content=""))
    first, second = (e for e in played.events if isinstance(e, Usage))
    assert (first.prompt, first.cached, first.hit, first.out) == (400, 300, 75.0, None)
    assert second.prompt is None
    state = played.ended.state
    assert state.counted == 400
    assert [m.content for m in state.messages[state.counted_at:]][:kept] == [text][:kept]
