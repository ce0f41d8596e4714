"""What a message comes to in tokens, without its vocabulary, and how that is corrected by what the
server counts.

Vocabularies differ less in what they make of ASCII (a tenth) than of other characters (Chinese: 0.7
tokens each in those of Qwen, Gemma and Llama 3; 1.3 to 1.8 in older ones), so that the two are
corrected apart. How good it is: `tests/loop/test_size.py`.
"""

from __future__ import annotations

from clinkai.core.messages import Message
from clinkai.core.text import weigh

FRAMING = 8
"""Tokens a chat template adds around a message (measured on ChatML: 4 to 9)."""

IMAGE = 1600
"""Tokens of an image, whatever its size in bytes: what Anthropic's service scales it down to at the
most. Models on local hardware take 256 (Gemma 3) to some 4,000 (Qwen2-VL)."""

NEUTRAL = (1.0, 1.0)
"""The correction, of ASCII and of other characters, before a server counted anything."""

TRUST = 0.8
"""The share of an error that is corrected at once; the rest may be due to the kind of text."""

DOUBT = (1, 9)
"""How much each answers for an error: vocabularies differ three times as much in the other
characters."""

NOISE = 300
"""Estimated tokens under which the framing of a template outweighs the text."""

LEAST, MOST = 0.25, 4.0


def weigh_message(message: Message) -> tuple[float, float]:
    """The same of a message as sent, without images."""
    calls = "".join([call.name + call.arguments for call in message.tool_calls])
    plain, other = weigh(message.content + message.reasoning + calls)
    return FRAMING + plain, other


def corrected(scale: tuple, weight: tuple, real: int) -> tuple:
    """The correction that is better than `scale`, after `real` tokens were counted of what weighs
    `weight`: one step of least mean squares."""
    error = real - scale[0] * weight[0] - scale[1] * weight[1]
    doubted = DOUBT[0] * weight[0], DOUBT[1] * weight[1]
    step = TRUST * error / (doubted[0] * weight[0] + doubted[1] * weight[1] + NOISE * NOISE)
    return tuple([min(MOST, max(LEAST, old + step * part)) for old, part in zip(scale, doubted)])
