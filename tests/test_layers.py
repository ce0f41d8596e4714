"""Imports point downward only, and to nothing but the standard library and ourselves."""

from __future__ import annotations

import ast
import sys

import pytest

from tests.source import imports, modules

LAYERS = ("core", "ai", "loop", "harness", "ui")
ABOVE = {"eval": len(LAYERS), "clinkai.py": len(LAYERS), "clinkai": len(LAYERS)}
SLOW_AT_START = {"dataclasses", "inspect", "asyncio"}


def rank(module: str) -> int:
    parts = module.split(".")
    if parts[0] == "clinkai" and len(parts) > 1 and parts[1] in LAYERS:
        return LAYERS.index(parts[1])
    return ABOVE[parts[0]] if module != "clinkai" else 0


def upward(tree: ast.Module, module: str) -> list[str]:
    """The imports of `module` that point to a layer above its own."""
    own = rank(module) if module in modules() else LAYERS.index(module)
    found = []
    for line, name in imports(tree):
        if name == ".":
            found.append(f"{module}:{line} relative import")
        if name.split(".")[0] in ("clinkai", "eval") and not name.startswith("clinkai.__version__"):
            if rank(name) > own:
                found.append(f"{module}:{line} imports {name}")
    return found


def test_no_module_imports_a_layer_above_its_own():
    assert [line for name, (_, tree) in modules().items() for line in upward(tree, name)] == []


@pytest.mark.parametrize(("source", "layer", "count"), [
    ("from clinkai.ui.terminal import Renderer", "loop", 1),
    ("import clinkai.harness.agent", "loop", 1),
    ("from clinkai.core.events import Event", "loop", 0),
    ("from clinkai.loop.turn import run_turn", "ai", 1),
    ("from . import text", "core", 1),
    ("from eval.run import main", "ui", 1),
])
def test_upward_imports_are_seen(source, layer, count):
    assert len(upward(ast.parse(source), layer)) == count


def test_only_the_standard_library_is_imported():
    foreign = [
        f"{name}:{line} imports {target}"
        for name, (_, tree) in modules().items()
        for line, target in imports(tree)
        if target.split(".")[0] not in sys.stdlib_module_names | {"clinkai", "eval", ".", "__future__"}
        and not (name == "eval.harbor_agent" and target.split(".")[0] == "harbor")
    ]
    assert foreign == []


def test_slow_modules_are_never_imported():
    slow = [
        f"{name}:{line} imports {target}"
        for name, (_, tree) in modules().items()
        for line, target in imports(tree)
        if target.split(".")[0] in SLOW_AT_START
    ]
    assert slow == []
