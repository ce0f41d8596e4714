"""Opening and replacing files: links put in between, full disks, modes; both ways of access."""

from __future__ import annotations

import errno
import os
import resource
import stat
import subprocess
import sys

import pytest

from clinkai.core.catalogue import Strings
from clinkai.core.errors import Cancelled, ToolError
from clinkai.harness import files
from clinkai.harness.workspace import Place, Workspace
from tests.source import TOP

BOTH = pytest.mark.parametrize("at", [True, False], ids=["descriptors", "paths"])


@pytest.fixture
def fence(tmp_path):
    (tmp_path / "ws").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out/secret.txt").write_text("OUTSIDE")
    return Workspace(tmp_path / "ws")


def nothing() -> None:
    """Ready, go on."""


def inside(fence: Workspace, rel: str) -> Place:
    """A place as the fence judged it before somebody changed the tree."""
    return Place(rel, os.path.join(fence.path, rel), rel, "inside")


def replace(fence: Workspace, rel: str, data: bytes, at: bool = True, ready=nothing) -> str:
    found = files.load(fence, inside(fence, rel))
    status = found.status if found else None
    return files.replace_file(fence, inside(fence, rel), data, status, ready, at)


def listing(fence: Workspace) -> list[str]:
    return sorted(str(p.relative_to(fence.path)) for p in fence.root.rglob("*"))


def refused(call, *args: object) -> str:
    with pytest.raises(ToolError) as caught:
        call(*args)
    return caught.value.key


@BOTH
def test_a_regular_file_is_opened(fence, at):
    (fence.root / "a").mkdir()
    (fence.root / "a/b.txt").write_text("hello")
    with files.open_regular(fence, fence.place("a/b.txt"), at) as file:
        assert file.read() == b"hello"


def make_special(fence: Workspace) -> None:
    root = fence.root
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("../out/secret.txt")
    (root / "linked").symlink_to("../out")
    (root / "file").write_text("x")


SPECIAL = [
    ("folder", "folder"), ("pipe", "pipe"), ("link", "moved"), ("linked/secret.txt", "moved"),
    ("file/x", "not_folder"), ("none", "missing"), ("none/x", "missing"), ("n" * 300, "name"),
    ("", "folder"),
]


@BOTH
@pytest.mark.parametrize(("rel", "key"), SPECIAL)
def test_what_is_no_file_is_not_opened(fence, at, rel, key):
    make_special(fence)
    assert refused(files.open_regular, fence, inside(fence, rel), at) == f"tool.file.{key}"


@BOTH
@pytest.mark.parametrize(("rel", "key"), [
    ("folder", "folder"), ("pipe", "pipe"), ("link", "moved"), ("linked/new.txt", "moved"),
    ("file/x", "not_folder"), ("n" * 300, "name"),
])
def test_what_is_no_file_is_not_replaced(fence, at, rel, key):
    make_special(fence)
    before = listing(fence)
    place = inside(fence, rel)
    assert refused(files.replace_file, fence, place, b"x", None, nothing, at) == f"tool.file.{key}"
    assert (listing(fence), os.listdir(fence.root.parent / "out")) == (before, ["secret.txt"])


@BOTH
def test_a_new_file_gets_its_folders(fence, at):
    replace(fence, "a/b/c.txt", b"new", at)
    assert ((fence.root / "a/b/c.txt").read_bytes(), listing(fence)) == (
        b"new", ["a", "a/b", "a/b/c.txt"])


@BOTH
def test_replacing_keeps_the_mode_and_leaves_hard_links_alone(fence, at):
    target = fence.root / "run.sh"
    target.write_text("old")
    target.chmod(0o751)
    os.link(target, fence.root.parent / "out/other")
    replace(fence, "run.sh", b"new", at)
    assert (target.read_bytes(), stat.S_IMODE(target.stat().st_mode)) == (b"new", 0o751)
    assert (fence.root.parent / "out/other").read_text() == "old"


def test_a_new_file_gets_the_usual_mode(fence):
    mask = os.umask(0o027)
    try:
        replace(fence, "new", b"")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((fence.root / "new").stat().st_mode) == 0o640


@BOTH
@pytest.mark.parametrize("error", [Cancelled(), ToolError("tool.write.no_copy", path="x", why="full")])
def test_what_is_stopped_leaves_nothing(fence, at, error):
    def stop() -> None:
        raise error

    with pytest.raises(type(error)):
        replace(fence, "a/b/c.txt", b"new", at, stop)
    assert listing(fence) == []


@pytest.mark.parametrize("meanwhile", ["changed", "gone", "link", "new"])
def test_a_file_that_changes_meanwhile_is_not_replaced(fence, meanwhile):
    target = fence.root / "a.txt"
    if meanwhile != "new":
        target.write_text("old")

    def interfere() -> None:
        target.unlink(missing_ok=True)
        if meanwhile == "link":
            target.symlink_to("../out/secret.txt")
        elif meanwhile != "gone":
            target.write_text("somebody else's")

    key = refused(replace, fence, "a.txt", b"ours", True, interfere)
    assert key == ("tool.file.moved" if meanwhile == "link" else "tool.file.changed")
    expected = {"gone": [], "link": ["a.txt"]}.get(meanwhile, ["a.txt"])
    assert (listing(fence), (fence.root.parent / "out/secret.txt").read_text()) == (expected, "OUTSIDE")


def test_a_full_disk_leaves_everything_as_it_was(tmp_path):
    """A limit on file size stands for the full disk: writing fails in the middle in both."""
    (tmp_path / "old.txt").write_text("old")
    code = """
import resource, signal, sys
from clinkai.core.catalogue import Strings
from clinkai.core.errors import ToolError
from clinkai.harness import files
from clinkai.harness.workspace import Workspace
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
fence = Workspace(sys.argv[1])
for name in ("old.txt", "sub/new.txt"):
    found = files.load(fence, fence.place(name))
    try:
        files.replace_file(fence, fence.place(name), b"x" * 10_000,
                           found.status if found else None, lambda: None)
    except ToolError as error:
        print(error.key)
"""
    done = subprocess.run([sys.executable, "-B", "-c", code, str(tmp_path)], cwd=TOP,
                          capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["tool.file.full"] * 2
    assert [p.name for p in tmp_path.iterdir()] == ["old.txt"]
    assert (tmp_path / "old.txt").read_text() == "old"


@pytest.mark.parametrize(("code", "key"), [
    (errno.EACCES, "permission"), (errno.EPERM, "permission"), (errno.EROFS, "readonly"),
    (errno.ENOSPC, "full"), (errno.EDQUOT, "full"), (errno.EFBIG, "full"), (errno.EIO, "other"),
    (errno.ENOENT, "missing"), (errno.ENAMETOOLONG, "name"),
])
def test_what_the_system_says_is_put_into_words(code, key):
    error = files.explain(OSError(code, os.strerror(code)), "x")
    assert (error.key, error.text(Strings("en")) > "") == (f"tool.file.{key}", True)


def test_no_descriptor_is_left_open(fence):
    make_special(fence)
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else limit[0]
    for rel, _ in SPECIAL:
        refused(files.open_regular, fence, inside(fence, rel))
    replace(fence, "a/b", b"x")
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else limit[0]
    assert after == before


def test_a_version_is_the_content_or_what_the_disk_says(fence):
    (fence.root / "small").write_bytes(b"abc")
    (fence.root / "large").write_bytes(b"x" * (files.HASHED + 1))
    small, large = (files.load(fence, fence.place(name)) for name in ("small", "large"))
    assert small.version == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    status = os.stat(fence.root / "large")
    assert large.version == f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def test_the_version_of_a_replaced_file_is_the_one_it_then_has(fence):
    for data in (b"abc", b"x" * (files.HASHED + 1)):
        assert replace(fence, "f", data) == files.load(fence, fence.place("f")).version


def test_a_file_too_large_to_keep_is_not_loaded(fence):
    with (fence.root / "big").open("wb") as file:
        file.truncate(100)
    assert refused(files.load, fence, fence.place("big"), 99) == "tool.file.large"
    assert files.load(fence, fence.place("big"), 100).data == b"\0" * 100
    assert files.load(fence, fence.place("none")) is None
