"""The gate between the quay and the ramp."""

import os


def open_seconds():
    """How long the gate stays open."""
    return float(os.environ.get("FERRY_GATE_TIMEOUT", "45"))
