"""What a run was made with, for results.json: the agent, the model and its server, the machine.

Everything is asked of the thing itself; what nobody answers is None. Not known here: the GPU (the
server may stand elsewhere) and the sampling seed (the agent sends none).
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

import clinkai
from clinkai.core import resources
from eval import trace

if TYPE_CHECKING:
    from clinkai.ai.address import Address
    from eval.world import Server


def agent(settings: object) -> dict:
    """The agent under test; prompt_sha is known after the first trial."""
    commit, dirty = _git()
    return {
        "name": "clinkai", "version": clinkai.__version__, "commit": commit, "dirty": dirty,
        "prompt_sha": None, "policy": {"mode": settings.mode, "compound": settings.compound},
    }


def source_digest() -> str:
    """SHA-256 over the program and its prompts: two runs of one digest ran the same code."""
    total = hashlib.sha256()
    for path in (*_walk("clinkai"), *_walk("prompts")):
        total.update(path.encode() + b"\0" + resources.read_bytes(path) + b"\0")
    return total.hexdigest()


def prompt_sha(out: str) -> str | None:
    """SHA-256 of the frozen prefix (system prompt and tools) as the first trial without an
    AGENTS.md sent it, the path of its workspace replaced; None where there was none."""
    for base, _, names in sorted(os.walk(os.path.join(out, "units"))):
        if "session.jsonl" not in names:
            continue
        with open(os.path.join(base, "session.jsonl"), "rb") as file:
            first = trace.read_lines(file.readline())
        if first and first[0].get("type") == "init" and not first[0]["agents_md"]:
            system = first[0]["system"].replace(first[0]["workspace"], "WORKSPACE")
            sent = json.dumps([system, first[0]["tools"]], ensure_ascii=False, sort_keys=True)
            return hashlib.sha256(sent.encode()).hexdigest()
    return None


def machine() -> dict:
    """This machine."""
    import platform

    return {
        "os": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(), "cpu": _cpu() or platform.processor() or None,
        "gpu": None,
    }


def model(settings: object, name: str, server: Server | None) -> dict:
    """The model and its server (None: the demo provider), which is asked once, for llama.cpp's
    /props."""
    about = server.props() if server else {}
    template = about.get("chat_template")
    return {
        "id": name,
        "base_url_kind": _kind(server.address) if server else None,
        "server": "llama.cpp" if "default_generation_settings" in about else None,
        "server_version": about.get("build_info"),
        "quant": about.get("model_ftype"),
        "n_ctx": _number(about.get("default_generation_settings"), "n_ctx"),
        "slots": _number(about, "total_slots"),
        "template_sha": hashlib.sha256(template.encode()).hexdigest()
        if isinstance(template, str) else None,
        "sampling": {"temperature": settings.temperature, "max_tokens": settings.max_tokens},
        "seed": None,
    }


def digest(*parts: object) -> str:
    """SHA-256 of JSON values."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _kind(address: Address) -> str:
    """loopback, private (an address or name of the local network) or public."""
    import ipaddress

    if address.loopback:
        return "loopback"
    try:
        return "private" if ipaddress.ip_address(address.host).is_private else "public"
    except ValueError:
        local = "." not in address.host or address.host.endswith((".local", ".lan", ".internal"))
        return "private" if local else "public"


def _number(body: object, name: str) -> int | None:
    value = body.get(name) if isinstance(body, dict) else None
    return value if isinstance(value, int) and value > 0 else None


def _walk(folder: str) -> list[str]:
    found = []
    for name in resources.names(folder):
        if name.endswith("/"):
            found += [] if name == "__pycache__/" else _walk(f"{folder}/{name[:-1]}")
        else:
            found.append(f"{folder}/{name}")
    return found


def _git() -> tuple[str | None, bool | None]:
    """The commit of the checkout and whether files differ from it; None where there is none."""
    import subprocess

    if not os.path.exists(os.path.join(resources.TOP, ".git")):
        return None, None
    answers = []
    for words in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"]):
        try:
            done = subprocess.run(
                ["git", "-C", resources.TOP, *words], capture_output=True, text=True,
                check=True, timeout=20, stdin=subprocess.DEVNULL,
            )
        except (OSError, subprocess.SubprocessError):
            return None, None
        answers.append(done.stdout.strip())
    return answers[0], bool(answers[1])


def _cpu() -> str | None:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return None
