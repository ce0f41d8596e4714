"""A workspace that does what it can to those who read it: settings that name programs, names that
look like options, links that lead out, secrets. Below the same folder, what must stay untouched."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from tests.harness.shell import project, repository

ODD_NAMES = (
    "-o", "-r", "-exec", "-delete", "--output=x", "--pre=sing", "--files0-from=list", "--help",
    "--compress-program=sing", "-fprintf", "@list", "+x", "a;touch b", "$(sing)", "`sing`", "[x]", "*x",
    "#x", "x y z", "é你.txt", "line\nbreak.txt", "quote's.txt", 'quote".txt', "back\\slash.txt",
    os.fsdecode(b"\xff.txt"),
)
SECRETS = (".env", "deploy/server.pem", ".netrc", "id_rsa")
"""Files of the workspace that nothing may open."""

TRUSTED = ("ls", "cat", "git", "grep", "sh", "python3", "node", "cat.exe", "sing", "less", "which")
"""Names of programs, in a folder that could be on a PATH."""

SETTINGS = {
    ".ripgreprc": "--pre=sing\n", ".gitconfig": "[core]\n\tpager = sing\n", ".npmrc": "script-shell=sing\n",
    ".python-version": "sing\n", ".tool-versions": "python sing\n", "sitecustomize.py": "import sing\n",
    "pip/__init__.py": "import sing\n", "magic": "0 string x sing\n", ".magic": "0 string x sing\n",
    "jq/a.jq": "def a: env;\n", "list": "../outside/secret.txt\0", ".envrc": "sing\n",
}


class Hostile:
    """top: holds all of it. root: the workspace; outside: beside it; home: of the user; canary: the
    program everything names, which leaves a file behind."""

    def __init__(self, top: Path, port: int) -> None:
        self.top = top
        self.port = port
        self.root = repository.make(top / "ws")
        project.make(top)
        self.outside = top / "outside"
        self.home = top / "home"
        self.canary = top / "canary"
        self._fill()
        repository.set_canary(self.root, self.canary, {})
        self.config = self.root / ".git" / "config"

    def _fill(self) -> None:
        for name in (*ODD_NAMES, *SECRETS, *(f"bin/{name}" for name in TRUSTED)):
            path = self.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!/bin/sh\n{self.canary}/sing\nTODO secret one\n")
            path.chmod(0o755 if name.startswith("bin/") else 0o644)
        for name, text in SETTINGS.items():
            path = self.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        (self.root / "package.json").write_text('{"scripts": {"a": "sing"}, "b": [1, {"id": 2}]}\n')
        (self.root / "data.txt").write_text("b,2\na,1\na,1\nTODO,3\n")
        (self.root / "data2.txt").write_text("a,1\nb,2\n")
        links = {"d/out": self.outside, "d/leak": self.outside / "secret.txt", "d/env": "../.env",
                 "d/none": "nowhere", "d/loop": "loop", "d/environ": "/proc/self/environ",
                 "d/zero": "/dev/zero", "d/up": "../..", "d/in": "../README.md", "-link": "d/leak"}
        (self.root / "d").mkdir()
        for name, target in links.items():
            (self.root / name).symlink_to(target)
        os.mkfifo(self.root / "d" / "fifo")
        with socket.socket(socket.AF_UNIX) as listener:
            at = os.open(self.root / "d", os.O_RDONLY)
            listener.bind(f"/proc/self/fd/{at}/sock")
            os.close(at)
        self.home.mkdir()
        (self.top / "scratch").mkdir()
        (self.home / ".netrc").write_text("machine x password TODO\n")
        (self.home / ".gitconfig").write_text(f"[core]\n\tpager = {self.canary}/sing\n")

    def set_config(self, keys: dict[str, str]) -> str:
        """Add settings of git, with the canary in the place of `{}`. What the file holds now."""
        for key, value in keys.items():
            repository.setting(self.root / ".git", key, value.replace("{}", str(self.canary / "sing")))
        return self.config.read_text()

    def environment(self) -> dict[str, str]:
        """Variables that steer programs, all of them towards the canary."""
        sing = str(self.canary / "sing")
        steered = dict.fromkeys(
            ("PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_EXTERNAL_DIFF",
             "GIT_SSH_COMMAND", "GIT_ASKPASS", "SSH_ASKPASS", "BASH_ENV", "ENV", "PYTHONSTARTUP",
             "LESSOPEN", "GIT_PROXY_COMMAND", "BROWSER", "SHELL"), sing)
        return {
            **steered, "HOME": str(self.home), "PATH": f"{self.root}/bin:bin:.:/usr/local/bin:/usr/bin:/bin",
            "NODE_OPTIONS": f"--require {sing}", "RIPGREP_CONFIG_PATH": str(self.root / ".ripgreprc"),
            "GREP_OPTIONS": "-f list", "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig"),
            "GIT_TRACE": str(self.outside / "trace"), "GIT_TRACE2": str(self.outside / "trace"),
            "PERL5OPT": "-Msing", "PYTHONPATH": str(self.root), "MAGIC": str(self.root / "magic"),
            "POSIXLY_CORRECT": "1", "TMPDIR": str(self.top / "scratch"), "LC_ALL": "C.UTF-8",
            "http_proxy": f"http://127.0.0.1:{self.port}", "GIT_OPTIONAL_LOCKS": "1",
        }

    def manifest(self) -> dict[str, tuple]:
        """Everything below `top` as it is, without the settings of git and the folder for temporary
        files: whatever is written, made, moved or removed shows."""
        found = {}
        for folder, names, files in os.walk(self.top):
            if folder == str(self.top):
                names.remove("scratch")
            for path in (os.path.join(folder, name) for name in (*names, *files)):
                seen = os.lstat(path)
                found[path] = (seen.st_ino, seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
        del found[str(self.config)]
        return found
