"""Hostile paths beyond the published ones: one ground for all of them, and a line for each.

A line: the outcome where it is not that of its group, and a path (`{WS}`, `{OUT}`, `{NAME}` filled in). Outcomes: ok,
denied (refused, or asked with nobody to ask), error (a mistake that the model is told). Nothing outside
may be read or changed.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

LINKS = {
    "l_out": "../outside", "l_secret": "../outside/secret.txt", "l_parent": "..", "l_self": ".",
    "l_one": "l_two", "l_two": "l_one", "l_loop": "l_loop", "l_deep": "l_deep/x",
    "c1": "c2", "c2": "sub/c3", "sub/c3": "../../outside/secret.txt",
    "i1": "i2", "i2": "sub/i3", "sub/i3": "../README.md",
    "l_env": ".env", "l_git": ".git", "l_config": ".git/config", "l_root": "/", "l_rel": "l_root",
    "l_proc": "/proc/self/root", "l_cwd": "/proc/self/cwd", "l_fd": "/dev/fd/0", "l_null": "/dev/null",
    "l_new": "../outside/new.txt", "l_new_dir": "../outside/new", "l_in_new": "made/by_link.txt",
    "l_code": ".vscode", "l_hooks": ".github/hooks", "l_fifo": "pipe", "l_sock": "sock",
    "sub/up": "../../outside", "l_named": "sub/.idea", "l_keys": ".ssh", "l_home": "~",
    "l_outside_git": "../outside/.git", "README.link": "README.md", "l_node": "node_modules",
    ".husky": "sub", "sub/.envrc": "../README.md",
}
FILES = {
    "README.md": "hello\n", "sub/deep/a.txt": "a\n", ".env": "INSIDE-SECRET\n",
    ".git/config": "[core]\n", ".vscode/tasks.json": "{}\n", ".github/hooks/a": "x\n",
    ".github/workflows/ci.yml": "x\n", ".ssh/id_rsa": "INSIDE-SECRET\n", "sub/.idea/a.xml": "x\n",
    "caf\u00e9.txt": "nfc\n", "cafe\u0301.txt": "nfd\n", "...": "dots\n", "-n": "option\n",
    " blank": "x\n", "tail ": "x\n", "a\nb": "x\n", "a\u202eb": "x\n", "back\\slash": "x\n",
    "node_modules/a.js": "x\n", "~": "x\n", "COM1": "x\n", "aux.txt": "x\n", "a:b": "x\n",
    "LONGNA~1.TXT": "x\n", "sub/.GIT/config": "x\n", "star*": "x\n", "[a]/x": "x\n",
}


def lay(top: Path) -> list[socket.socket]:
    """Make the ground in `top`: ws and, beside it, outside. Returns what must be closed."""
    ws, outside = top / "ws", top / "outside"
    (outside / ".git").mkdir(parents=True)
    (outside / "secret.txt").write_text("OUTSIDE-SECRET\n")
    (outside / ".git/config").write_text("OUTSIDE-SECRET\n")
    (outside / "hard.txt").write_text("one\n")
    for name, text in FILES.items():
        (ws / name).parent.mkdir(parents=True, exist_ok=True)
        (ws / name).write_text(text)
    for name, target in LINKS.items():
        (ws / name).symlink_to(target)
    (top / "ws2").mkdir()  # the same prefix
    (top / "ws2/secret.txt").write_text("OUTSIDE-SECRET\n")
    os.link(outside / "hard.txt", ws / "hard.txt")
    os.mkfifo(ws / "pipe")
    (ws / "empty").mkdir()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(ws / "sock"))
    return [listener]


READS = """
../outside/secret.txt
sub/../../outside/secret.txt
./.././outside/./secret.txt
sub/deep/../../../outside/secret.txt
nothing/../../outside/secret.txt
{WS}/../outside/secret.txt
{WS}2/secret.txt
../{NAME}2/secret.txt
/{WS}/../outside/secret.txt
//{OUT}/secret.txt
{OUT}/secret.txt
l_out/secret.txt
l_out/../outside/secret.txt
l_secret
l_secret/.
l_parent/outside/secret.txt
l_self/l_self/l_out/secret.txt
l_self/../outside/secret.txt
c1
c2
sub/c3
sub/up/secret.txt
sub/up/../{NAME}2/secret.txt
l_root{OUT}/secret.txt
l_rel{OUT}/secret.txt
l_proc{OUT}/secret.txt
l_cwd/../outside/secret.txt
/proc/self/root{OUT}/secret.txt
/proc/self/cwd/../outside/secret.txt
/proc/self/environ
/proc/thread-self/fd/0
/dev/fd/0
/dev/stdin
/dev/null
/dev/tty
l_fd
l_null
README.md/../../outside/secret.txt
l_outside_git/config
~
~/x
~root/x
sub/.envrc
.env
./.env
sub/../.env
l_env
l_self/.env
.ENV
.ssh/id_rsa
l_keys/id_rsa
.git/config
.GIT/config
.Git/config
l_git/config
l_config
l_self/.git/config
sub/.GIT/config
.git\u200d/config
.g\u200cit/config
.git./config
.git /config
git~1/config
.git/../.git/config
.git
"""

OPENS = """
README.md
README.md/
README.md/.
l_cwd/README.md
.git/../README.md
./README.md
sub/../README.md
{WS}/README.md
../{NAME}/README.md
l_self/README.md
l_parent/{NAME}/README.md
README.link
i1
caf\u00e9.txt
cafe\u0301.txt
...
-n
 blank
tail\x20
a\u202eb
back\\slash
COM1
aux.txt
a:b
LONGNA~1.TXT
star*
[a]/x
.vscode/tasks.json
.github/hooks/a
l_code/tasks.json
.husky/deep/a.txt
hard.txt
node_modules/a.js
"""

ERRORS = """
l_one
l_one/x
l_loop
l_deep
l_home/x
\x20
pipe
sock
l_fifo
l_sock
sub
empty
README.md/x
missing
l_in_new
\uff0e\uff0e/outside/secret.txt
\u2025/outside/secret.txt
..\uff0foutside\uff0fsecret.txt
..\u2215outside\u2215secret.txt
..\\outside\\secret.txt
\u2024\u2024/outside/secret.txt
..%2foutside%2fsecret.txt
..%c0%afoutside
.../outside/secret.txt
. ./outside/secret.txt
../{NAME}/missing
\u202e../outside/secret.txt
\ufeff../outside/secret.txt
a\0b
../outside/secret.txt\0.md
\ud800
\udcff
{LONG}
{LONG}/x
{DEEP}
{ENDLESS}
{ENDLESS_LINKS}
"""

WRITES = """
denied ../outside/new.txt
denied ../outside/secret.txt
denied ../new.txt
denied {WS}2/new.txt
denied {OUT}/new.txt
denied l_out/new.txt
denied l_secret
denied l_new
denied l_new_dir/x
denied l_parent/new.txt
denied c1
denied sub/up/new.txt
denied l_root/tmp/clinkai-fence-never
denied l_proc/tmp/clinkai-fence-never
denied /proc/self/mem
denied /dev/null
denied l_null
error l_loop
error l_one/x
denied ~/x
denied .git/hooks/pre-commit
denied .GIT/hooks/pre-commit
denied .gIt/new
denied .git
denied .git./x
denied .git\u200c/x
denied git~1/x
denied new/.git/config
denied new/.GIT
denied l_git/new
denied l_self/.git/new
denied .vscode/new.json
denied .VSCODE/new.json
denied .vscode./x
denied .VsCode\u200c/x
ok .VsCode\u200b/x
denied new/deep/.vscode/tasks.json
denied l_code/new.json
denied .idea/x
denied .Idea
denied l_named/new.xml
denied .husky/x
denied .husky/deep/a.txt
denied .claude/settings.json
denied new/.Claude/x
denied .cursor/mcp.json
denied .codex/config.toml
denied .gemini/x
denied .roo/x
denied .mcp.json
denied new/.MCP.json
denied .mcp.json.
denied .envrc
denied sub/.envrc
denied new/.ENVRC
denied .devcontainer/x
denied .devcontainer.json
denied .github/hooks/new
denied .GitHub/Hooks/new
denied new/.github/hooks/new
denied l_hooks/new
denied .clinkai/policy.toml
denied .env
denied .env.local
denied .Env
denied l_env
denied new/id_rsa
denied new/prod.PEM
denied .npmrc
denied node_modules/x.js
denied new/Node_Modules/x.js
denied l_node/x.js
error .
error sub
error empty/
error new/
error pipe
error sock
error l_fifo
error README.md/x
error {LONG}
error a\0b
error \ud800
ok new/a/b/c.txt
ok ./new/d.txt
ok {WS}/new/e.txt
ok l_self/new/f.txt
ok l_in_new
ok .github/workflows/new.yml
ok .github/hooks2
ok .vscoder
ok .gitignore
ok .gitattributes
ok new/env
ok \uff0e\uff0e/outside/new.txt
ok ..\uff0foutside
ok ..\\outside\\new.txt
error .../x
ok new/caf\u00e9
ok new/CON
"""

FOLDERS = """
denied ..
denied {OUT}
denied l_out
denied l_parent
denied l_root
denied l_proc
ok l_cwd
denied /proc/self/fd
denied sub/up
denied .git
denied l_git
denied .ssh
denied l_keys
error l_one
denied sub/../../outside
ok .
ok sub
ok l_self
ok l_self/sub
ok .vscode
ok empty
"""

WINDOWS = r"""
C:secret.txt
C:
c:..\outside
\secret.txt
/secret.txt
\\host\share\x
//host/share/x
\/host/share
\\?\C:\x
\\.\PhysicalDrive0
//?/UNC/host/x
\??\C:\x
NUL
nul.txt
NUL .txt
sub\NUL
sub/aux.tar.gz
CON
con.
PRN
LPT1
lpt9.x
COM0
COM¹
com².txt
LPT³.log
CONIN$
conout$
CLOCK$
a.txt:stream
a.txt::$DATA
.git::$INDEX_ALLOCATION\config
sub:x\y
a.txt.
a.txt\x20
sub.\a.txt
sub \a.txt
..\outside \x
.. \outside
...\x
PROGRA~1\x
SECRET~1.TXT
GIT~1\config
a\GIT~1
env~1
"""
