"""What a session has in flight: the fold of its events that a snapshot needs.

Settled messages and tool calls are in the log (`replay.py`); this is the rest: the run, the
message being written, the tools at work, open approvals, the queue, the newest figures.
"""

from __future__ import annotations

OUT_KEPT = 64 * 1024
"""Characters kept of what a tool at work has printed: its newest part."""


OF_A_RUN = {"round.start", "prefill", "msg.start", "msg.images", "delta", "msg.end", "tool.start",
            "tool.out", "tool.end", "usage", "archived", "window", "run.end"}

OF_PREFILL = ("done", "total", "cached", "ms", "tps", "left_ms", "phase")


class Live:
    """Feed it every event body in order; `snapshot` is the state after the newest."""

    def __init__(self) -> None:
        self.run: dict | None = None
        self.ended = ""
        """The rid of the newest finished run."""
        self._message: dict | None = None
        self._tools: dict[str, dict] = {}
        self._approvals: dict[str, dict] = {}
        self._queue: list = []
        self._meters: dict = {}

    def late(self, body: dict) -> bool:
        """True for what a finished run still had to say; it is to be dropped."""
        return body["rid"] == self.ended != "" and body["type"] in OF_A_RUN

    def feed(self, body: dict) -> None:
        """Take in one event."""
        act = getattr(self, "on_" + body["type"].replace(".", "_"), None)
        if act:
            act(body)

    def snapshot(self) -> dict:
        """The fields of a `snapshot` event but `items`.

        run: {rid, state, round, cap, model, tools: [tool.start with off and out]};
        inflight: {mid, role, ch, off, text, think_off, think, args}: text and thinking from these
        characters on (a continued answer begins where its first part ended), and the number of
        characters of tool arguments.
        """
        run = dict(self.run, tools=[_shown(tool) for tool in self._tools.values()]) \
            if self.run else None
        message = self._message
        inflight = dict(message, text="".join(message["text"]), think="".join(message["think"])) \
            if message else None
        return {
            "run": run, "inflight": inflight, "approvals": list(self._approvals.values()),
            "queue": list(self._queue), "meters": dict(self._meters),
        }

    def on_run_start(self, body: dict) -> None:
        self.ended = ""
        self.run = {"rid": body["rid"], "state": "running", "round": 0, "cap": body["cap"],
                    "model": body["model"]}

    def on_round_start(self, body: dict) -> None:
        if self.run:
            self.run["round"] = body["n"]
            self.run.pop("prefill", None)

    def on_prefill(self, body: dict) -> None:
        if self.run:
            self.run["prefill"] = {k: body[k] for k in OF_PREFILL}

    def on_msg_start(self, body: dict) -> None:
        self._message = {"mid": body["mid"], "role": body["role"], "ch": "", "off": 0,
                         "text": [], "think_off": 0, "think": [], "args": 0}

    def on_delta(self, body: dict) -> None:
        message = self._message
        if not message or message["mid"] != body["mid"]:
            return
        message["ch"] = channel = body["ch"]
        if channel == "args":
            message["args"] = body["off"] + len(body["s"])
            return
        if not message[channel]:
            message["off" if channel == "text" else "think_off"] = body["off"]
        message[channel].append(body["s"])

    def on_msg_end(self, body: dict) -> None:
        self._message = None

    def on_tool_start(self, body: dict) -> None:
        self._tools[body["call"]] = {"start": body, "off": 0, "out": [], "size": 0}

    def on_tool_out(self, body: dict) -> None:
        tool = self._tools.get(body["call"])
        if not tool:
            return
        tool["out"].append(body["s"])
        tool["size"] += len(body["s"])
        if tool["size"] > 2 * OUT_KEPT:
            text = "".join(tool["out"])
            tool["off"] += len(text) - OUT_KEPT
            tool["out"], tool["size"] = [text[-OUT_KEPT:]], OUT_KEPT

    def on_tool_end(self, body: dict) -> None:
        self._tools.pop(body["call"], None)

    def on_approval_open(self, body: dict) -> None:
        self._approvals[body["aid"]] = body
        if self.run:
            self.run["state"] = "approval"

    def on_approval_done(self, body: dict) -> None:
        self._approvals.pop(body["aid"], None)
        if self.run and not self._approvals:
            self.run["state"] = "running"

    def on_usage(self, body: dict) -> None:
        self._meters = body

    def on_queue(self, body: dict) -> None:
        self._queue = list(body["items"])

    def on_run_end(self, body: dict) -> None:
        self.ended = body["rid"]
        self.run = None
        self._message = None
        self._tools.clear()
        self._approvals.clear()


def _shown(tool: dict) -> dict:
    return {**tool["start"], "off": tool["off"], "out": "".join(tool["out"])}
