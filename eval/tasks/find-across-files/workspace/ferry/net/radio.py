"""The radio: short messages between ship and shore."""

import os

CHANNEL = int(os.environ.get("FERRY_RADIO_CHANNEL", "16"))
TIMEOUT = float(os.environ.get("FERRY_RADIO_TIMEOUT", "30"))


def call(ship, text):
    """The message as it goes on air."""
    return f"[{CHANNEL}] {ship}: {text}"
