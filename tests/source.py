"""The product's own source, parsed once for the tests that hold its shape."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent


@cache
def modules() -> dict[str, tuple[Path, ast.Module]]:
    """Every Python module of the product by dotted name: (path, tree)."""
    found = {}
    for path in [TOP / "clinkai.py", *sorted(TOP.glob("clinkai/**/*.py")), *sorted(TOP.glob("eval/**/*.py"))]:
        relative = path.relative_to(TOP)
        if relative.parts[0] == "eval" and "tasks" in relative.parts:
            continue
        name = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
        found[name if relative.name != "clinkai.py" else "clinkai.py"] = (path, ast.parse(path.read_bytes()))
    return found


def imports(tree: ast.Module) -> list[tuple[int, str]]:
    """Every imported module in a tree, with its line; relative imports are shown as `.`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." if node.level else node.module or ""
            found += [(node.lineno, base if base == "." else f"{base}.{alias.name}") for alias in node.names]
    return found
