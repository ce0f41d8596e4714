"""What must work behind the wall, and what becomes of the settings of the repository."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from clinkai.harness.sandbox.client import Failure
from tests.harness.sandbox.places import Place, run

DEADLINE_S = 20


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    found = Place(tmp_path_factory.mktemp("work"))
    found.git("init", "-q")
    yield found
    found.close()


@pytest.fixture(scope="module")
def writing(place):
    return place.wall(True)


@pytest.fixture(scope="module")
def reading(place):
    return place.wall(False)


SCRIPT = """
import asyncio, multiprocessing, os, subprocess, tempfile, threading
open("made.txt", "w").write("x"); os.mkdir("sub"); os.rename("made.txt", "sub/made.txt")
os.link("sub/made.txt", "linked"); os.unlink("linked"); os.mkfifo("fifo"); os.unlink("fifo")
os.symlink("own.txt", "soft"); os.unlink("soft"); os.truncate("sub/made.txt", 0)
os.unlink("sub/made.txt"); os.rmdir("sub"); os.chmod("own.txt", 0o600)
for name in ("null", "zero", "full"): open("/dev/" + name, "wb", 0).close()
with open("/dev/shm/clinkai-test-%d" % os.getpid(), "w") as f: f.write("x")
os.unlink(f.name)
with tempfile.NamedTemporaryFile() as f: assert f.name.startswith(os.environ["TMPDIR"])
assert multiprocessing.Pool(2).map(abs, [-1, -2]) == [1, 2]
assert subprocess.run("echo a | cat; cat /proc/self/status | head -1", shell=True,
                      capture_output=True, text=True).stdout == "a\\nName:\\tcat\\n"
asyncio.run(asyncio.sleep(0))
t = threading.Thread(target=open, args=("/etc/passwd",)); t.start(); t.join()
os.kill(os.getpid(), 0); open("/dev/urandom", "rb").read(1)
open("/dev/stdout", "a").write("to the output\\n")
print("all")
"""


def test_what_programs_do_all_day_works(writing):
    assert run(writing, sys.executable, "-W", "ignore", "-c", SCRIPT) == (0, "to the output\nall\n", ())


def test_tools_in_the_home_folder_run(place, writing, reading):
    tool = str(place.home / ".tools" / "bin" / "tool")
    assert run(writing, tool) == run(reading, tool) == (0, "tool\n", ())


def test_git_works(place, writing, reading):
    (place.root / "new.txt").write_text("x")
    text = "git add new.txt && git -c user.name=a -c user.email=a@b commit -qm one && git status -s new.txt"
    assert run(writing, "sh", "-c", text) == (0, "", ())
    assert run(reading, "git", "log", "--format=%s") == (0, "one\n", ())


@pytest.mark.parametrize("text", [
    "echo x > new2.txt", "echo x > own.txt", "rm own.txt", "mkdir folder", "echo x > /dev/shm/new",
    "echo x > /tmp/new", "mv own.txt other.txt", "echo x > ../../new", "./program",
])
def test_a_command_that_reads_writes_nothing(place, reading, text):
    program = place.root / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    before = sorted(os.listdir(place.root))
    code, output, _ = run(reading, "sh", "-c", text)
    assert code and "denied" in output
    assert sorted(os.listdir(place.root)) == before and (place.root / "own.txt").read_text() == "own"


def test_a_command_that_reads_has_the_empty_devices(reading):
    assert run(reading, "sh", "-c", "cat own.txt >/dev/null; cat own.txt") == (0, "own", ())


ATTACKS = [
    "git config core.fsmonitor ./evil",
    "printf '[core]\\n\\tfsmonitor = ./evil\\n' > .git/config",
    "printf 'x' > c && mv c .git/config",
    "rm -f .git/config && ln -s ../evil .git/config",
    "mv .git .old; mkdir .git; printf '[core]\\n\\tfsmonitor = ./evil\\n' > .git/config; "
    "test -e .old && rm -r .git && mv .old .git && printf x > .git/config",
    "printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "chmod +x .git/hooks/kept; printf y >> .git/hooks/kept",
    "rm -r .git/hooks; mkdir .git/hooks; printf x > .git/hooks/post-commit",
    "rm -r .git/hooks; ln -s ../.. .git/hooks",
    "mkdir evil; printf ../evil > .git/commondir",
    "printf x > .git/config.worktree",
    "mkdir .git/commondir; mkdir -p .git/commondir/x",
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("mounts", [True, False], ids=["mounted", "compared"])
@pytest.mark.parametrize("text", [
    *ATTACKS[::4], *(pytest.param(text, marks=pytest.mark.slow)
                     for n, text in enumerate(ATTACKS) if n % 4),
])
def test_settings_of_the_repository_stay_as_they_were(tmp_path, place, text, mounts):
    root = place.root.parent / f"r{ATTACKS.index(text)}{mounts:d}"
    root.mkdir()
    place.root, kept = root, place.root
    try:
        place.git("init", "-q")
        (root / ".git" / "hooks").mkdir(exist_ok=True)
        (root / ".git" / "hooks" / "kept").write_text("kept")
        before = settings(root)
        wall = place.wall(True)
        wall.namespaces = wall.namespaces and mounts
        run(wall, "sh", "-c", text)
        assert settings(root) == before
        wall.close()
    finally:
        place.root = kept


@pytest.mark.parametrize("mounts", [True, False], ids=["mounted", "compared"])
@pytest.mark.parametrize("text", [
    "echo evil > .vscode/tasks.json; echo evil > .vscode/new; rm -r .vscode; mv .vscode x; ln -s x .vscode;"
    "mkdir -p .github/hooks .husky .Claude; echo evil > .github/hooks/new; mv .github y; "
    "echo evil > .husky/pre-commit; echo evil > .Claude/settings.json; echo evil > .envrc; true",
    pytest.param("ln other .envrc2; echo evil > other; rm .envrc; echo evil > .envrc",
                 marks=pytest.mark.slow),
])
def test_settings_of_editors_and_agents_stay_as_they_were(tmp_path, place, text, mounts):
    root = place.root.parent / f"e{len(text)}{mounts:d}"
    (root / ".vscode").mkdir(parents=True)
    (root / ".github" / "hooks").mkdir(parents=True)
    for name in (".vscode/tasks.json", ".github/hooks/kept", ".envrc", ".mcp.json"):
        (root / name).write_text(name)
    os.link(root / ".envrc", root / "other")
    place.root, kept = root, place.root
    try:
        wall = place.wall(True)
        wall.namespaces = wall.namespaces and mounts
        told = run(wall, "sh", "-c", text)[2]
        wall.close()
    finally:
        place.root = kept
    assert told and (".envrc" in told or mounts)
    for name in (".vscode/tasks.json", ".github/hooks/kept", ".envrc", ".mcp.json"):
        assert (root / name).read_text() == name and not (root / name).is_symlink()
    assert os.listdir(root / ".vscode") == ["tasks.json"]
    assert os.listdir(root / ".github" / "hooks") == ["kept"]
    assert not {".husky", ".Claude"} & set(os.listdir(root))


def settings(root: Path) -> dict:
    git = root / ".git"
    found = {}
    for path in (git, *(git / n for n in ("config", "config.worktree", "commondir", "hooks")),
                 *sorted((git / "hooks").iterdir())):
        if path.is_symlink():
            found[path.name] = os.readlink(path)
        elif path.is_file():
            found[path.name] = path.read_bytes(), path.stat().st_mode
        else:
            found[path.name] = path.is_dir()
    return found


def test_what_is_left_behind_in_a_session_of_its_own_is_ended(place, writing):
    text = "setsid sh -c 'echo $$ > left.pid; exec sleep 600' & while ! test -s left.pid; do :; done"
    assert run(writing, "sh", "-c", text)[0] == 0
    pid = int((place.root / "left.pid").read_text())
    limit = time.monotonic() + DEADLINE_S
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < limit:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{pid}")


def test_a_command_has_no_descriptors_but_its_own(writing):
    text = "import os; print(sorted(os.listdir('/proc/self/fd')))"
    code, output, _ = run(writing, sys.executable, "-I", "-S", "-c", text)
    assert (code, output) == (0, "['0', '1', '2', '3']\n")


def test_a_helper_that_a_command_ended_is_replaced(writing):
    try:
        assert run(writing, "sh", "-c", "kill -9 $PPID")[0] in (0, -9)
    except Failure as told:  # the helper was gone before it could say that it had begun
        assert (told.step, told.doubtful) == ("helper", True)
    assert run(writing, "echo", "again") == (0, "again\n", ())


def test_a_program_that_cannot_be_run_is_told(writing):
    with pytest.raises(Failure) as told:
        run(writing, "/nonexistent")
    assert (told.value.step, told.value.errno) == ("program", 2)


def test_a_new_folder_in_the_home_folder_can_be_read_by_the_next_command(place, writing):
    folder = place.home / "later"
    assert run(writing, "true")[0] == 0
    folder.mkdir()
    (folder / "text").write_text("later")
    assert run(writing, "cat", str(folder / "text")) == (0, "later", ())
    shutil.rmtree(folder)
    folder.mkdir()  # the same name, another folder
    (folder / "text").write_text("again")
    assert run(writing, "cat", str(folder / "text")) == (0, "again", ())


@pytest.mark.slow
def test_a_workspace_that_was_made_anew_is_the_workspace(place):
    kept, place.root = place.root, place.root.parent / "anew"
    try:
        for writes in (True, False):
            place.root.mkdir()
            (place.root / "a").write_text("a")
            wall = place.wall(writes)
            assert run(wall, "cat", "a") == (0, "a", ())
            shutil.rmtree(place.root)
            place.root.mkdir()
            (place.root / "a").write_text("b")
            assert run(wall, "cat", "a") == (0, "b", ())
            shutil.rmtree(place.root)
    finally:
        place.root = kept
