"""The yardstick: an agent loop with two tools and nothing else. No safety, no log, no display.

    python bare.py BASE_URL WORKSPACE TASK
"""

from __future__ import annotations

import json
import os
import sys
import urllib.request

TOOLS = [
    {"type": "function", "function": {
        "name": "read", "description": "Read a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}},
    {"type": "function", "function": {
        "name": "write", "description": "Write a file.",
        "parameters": {"type": "object", "properties": {
            "path": {"type": "string"}, "content": {"type": "string"}}}}},
]


def run(name: str, arguments: dict, folder: str) -> str:
    path = os.path.join(folder, arguments["path"])
    if name == "read":
        with open(path, encoding="utf-8") as file:
            return file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(arguments["content"])
    return "ok"


def ask(url: str, messages: list) -> dict:
    body = json.dumps({"model": "bench", "stream": True, "tools": TOOLS, "messages": messages})
    request = urllib.request.Request(url + "/chat/completions", body.encode(),
                                     {"Content-Type": "application/json"})
    text, calls = "", {}
    with urllib.request.urlopen(request) as answer:
        for line in answer:
            if not line.startswith(b"data: ") or line == b"data: [DONE]\n":
                continue
            for choice in json.loads(line[6:])["choices"]:
                text += choice["delta"].get("content") or ""
                for piece in choice["delta"].get("tool_calls") or ():
                    call = calls.setdefault(piece["index"], {
                        "id": piece.get("id"), "type": "function",
                        "function": {"name": piece["function"].get("name"), "arguments": ""}})
                    call["function"]["arguments"] += piece["function"]["arguments"]
    message = {"role": "assistant", "content": text}
    return {**message, "tool_calls": list(calls.values())} if calls else message


def main(url: str, folder: str, task: str) -> None:
    messages = [{"role": "system", "content": "You are an agent."},
                {"role": "user", "content": task}]
    while True:
        message = ask(url, messages)
        messages.append(message)
        if not message.get("tool_calls"):
            print(message["content"])
            return
        for call in message["tool_calls"]:
            made = call["function"]
            result = run(made["name"], json.loads(made["arguments"]), folder)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


if __name__ == "__main__":
    main(*sys.argv[1:])
