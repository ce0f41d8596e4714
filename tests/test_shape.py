"""Modules stop at 400 lines, functions at 60, signatures at 6 parameters; JS and CSS at 400."""

from __future__ import annotations

import ast
import subprocess

import pytest

from tests.source import TOP, modules

FIXED_TOP = {"clinkai.py", "clinkai", "web", "prompts", "eval", "tests", "AGENTS.md", "README.md"}


def functions(tree: ast.Module) -> list[ast.FunctionDef]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def parameters(function: ast.FunctionDef) -> list[str]:
    spec = function.args
    named = [a.arg for a in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    return [n for n in named if n not in ("self", "cls")]


def test_modules_stop_at_400_lines():
    counts = {name: len(path.read_bytes().splitlines()) for name, (path, _) in modules().items()}
    assert {name: count for name, count in counts.items() if count > 400} == {}


def test_functions_stop_at_60_lines():
    counts = {
        f"{name}.{f.name}": f.end_lineno - f.lineno + 1
        for name, (_, tree) in modules().items() for f in functions(tree)
    }
    assert {name: count for name, count in counts.items() if count > 60} == {}


def test_signatures_stop_at_6_parameters():
    counts = {
        f"{name}.{f.name}": len(parameters(f))
        for name, (_, tree) in modules().items() for f in functions(tree)
    }
    assert {name: count for name, count in counts.items() if count > 6} == {}


def test_every_module_has_a_docstring():
    assert [name for name, (_, tree) in modules().items() if not ast.get_docstring(tree)] == []


@pytest.mark.parametrize(("pattern", "limit"), [
    ("web/**/*.js", 400), ("web/**/*.css", 400), ("tests/**/*.py", 600),
])
def test_other_files_stop_at_their_limit(pattern, limit):
    counts = {str(p.relative_to(TOP)): len(p.read_bytes().splitlines()) for p in TOP.glob(pattern)}
    assert {name: count for name, count in counts.items() if count > limit} == {}


def test_the_top_level_is_fixed():
    try:
        listing = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    top = {line.split("/")[0] for line in listing.stdout.splitlines()}
    assert {name for name in top - FIXED_TOP if not name.startswith(".")} == set()
