"""A small workspace with the files the command lines of the cases name, and traps beside it."""

from __future__ import annotations

from pathlib import Path

FILES = (
    "README.md", "setup.py", "pyproject.toml", "package.json", "setup.cfg", "data.txt", "data2.txt",
    "app.log", "a b.txt", "-n.txt", ".hidden.md", ".env", ".env.example", "src/main.py", "src/a.py",
    "src/sub/x.py", "docs/user guide.md", "docs/notes.md", "tests/test_main.py", "deploy/server.pem",
)


def make(folder: Path) -> Path:
    """The workspace below `folder`; beside it `outside/secret.txt`."""
    workspace = folder / "ws"
    for name in FILES:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}: TODO secret\n")
    (folder / "outside").mkdir()
    (folder / "outside" / "secret.txt").write_text("OUTSIDE-SECRET\n")
    (workspace / "out").symlink_to(folder / "outside")
    (workspace / "leak.txt").symlink_to(folder / "outside" / "secret.txt")
    (workspace / "inner.txt").symlink_to("README.md")
    return workspace
