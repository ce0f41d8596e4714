from __future__ import annotations

import pytest

from clinkai.harness.sandbox import paths, seatbelt
from clinkai.harness.sandbox.paths import Rule, Site

HOME = "/home/u"
DISK = {
    HOME: [(".ssh", ""), (".cargo", ""), (".config", ""), (".bashrc", ""), ("work", ""), ("key.pem", ""),
           ("dotfiles", ""), ("data", "/mnt/data"), ("keys", "/home/u/.ssh"), ("all", "/"),
           ("up", "/home")],
    f"{HOME}/.cargo": [("bin", ""), ("credentials.toml", ""), ("registry", "")],
    f"{HOME}/.config": [("gh", ""), ("pip", ""), ("htop", "")],
    f"{HOME}/work": [("a", ""), ("b", "")],
    f"{HOME}/dotfiles": [("ssh", ""), ("vim", "")],
    "/etc": [("passwd", ""), ("shadow", ""), ("ssh", ""), ("ssl", "")],
    "/etc/ssl": [("certs", ""), ("private", "")],
}


def children(folder: str):
    return DISK.get(folder, [])


def rules(site: Site, writes: bool) -> dict[str, str]:
    found = paths.rules(site, writes, children)
    assert len({rule.path for rule in found}) == len(found)
    return {rule.path: rule.kind for rule in found}


SITE = Site(f"{HOME}/work/a", HOME, (*paths.secrets(HOME), f"{HOME}/dotfiles/ssh"),
            ("/usr/bin", "/data/conda/bin", "/mnt/bin", f"{HOME}/.cargo/bin", "/home/bin"), "/tmp/t")


def of_home(found: dict[str, str]) -> dict[str, str]:
    return {path: kind for path, kind in found.items() if not path.startswith((
        *paths.SYSTEM, "/etc", "/dev/"))}


def test_each_child_of_the_home_folder_but_the_secrets():
    assert of_home(rules(SITE, True)) == {
        f"{HOME}/.cargo/bin": "run", f"{HOME}/.cargo/registry": "run", f"{HOME}/.config/htop": "run",
        f"{HOME}/.bashrc": "run", f"{HOME}/work": "run", f"{HOME}/dotfiles/vim": "run",
        "/mnt/data": "run", "/data/conda": "run", "/mnt/bin": "run", "/home/bin": "run",
        f"{HOME}/work/a": "write", "/tmp/t": "write",
    }


def test_a_command_that_reads_writes_nowhere_and_runs_nothing_of_the_workspace():
    found = rules(SITE, False)
    assert {kind for kind in found.values()} == {"run", "look", "device"}
    assert of_home(found)[f"{HOME}/work/a"] == "look"
    assert of_home(found)[f"{HOME}/work/b"] == "run" and f"{HOME}/work" not in found


def test_root_does_not_get_what_modes_close_to_others():
    assert rules(SITE, True)["/etc"] == "run"
    admin = rules(Site("/srv/w", "/root", (), (), "/tmp/t", admin=True), True)
    assert [path for path in admin if path.startswith("/etc")] == ["/etc/passwd", "/etc/ssl/certs"]


def test_devices_are_no_folders():
    found = rules(SITE, True)
    assert {path for path, kind in found.items() if kind == "device"} == set(paths.DEVICES)
    assert found["/dev/shm"] == "write"


@pytest.mark.parametrize(("root", "private", "wide"), [
    (f"{HOME}/work", (), False), (HOME, (), True), ("/home", (), True), ("/", (), True),
    ("/home/user2", (), False), ("/srv", ("/srv/clinkai",), True), ("/srv/w", ("/srv/clinkai",), False),
])
def test_a_workspace_that_holds_the_home_folder_is_too_wide(root, private, wide):
    assert paths.is_wide(Site(root, HOME), private) is wide


def test_without_a_home_folder_there_are_the_system_and_the_workspace():
    assert of_home(rules(Site("/srv/w", "", (), (), "/tmp/t"), True)) == {
        "/srv/w": "write", "/tmp/t": "write"}
    assert Rule("/srv/w", "look") in paths.rules(Site("/srv/w", ""), False, children)


SEATBELT = """(version 1)
(deny default)
(allow process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-read* process-exec {system} (subpath "/Users/u") (subpath "/Users/u/w\\"x") (subpath "/t"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-write* (subpath "/Users/u/w\\"x") (subpath "/t"))
(deny file-write* (subpath "/Users/u/w\\"x/.git/config") (subpath "/Users/u/w\\"x/.git/hooks"))
(deny file-read* file-write* process-exec (subpath "/Users/u/.ssh"))
(allow file-read* (subpath "/Users/u/w\\"x"))
(deny network*)
"""


def test_the_profile_for_macos():
    site = Site('/Users/u/w"x', "/Users/u", ("/Users/u/.ssh",), (), "/t")
    system = " ".join(f'(subpath "{path}")' for path in seatbelt.SYSTEM)
    assert seatbelt.profile(site, True) == SEATBELT.replace("{system}", system)
    assert "file-write*" not in seatbelt.profile(Site("/w", "/Users/u"), False)
    with pytest.raises(ValueError):
        seatbelt.profile(Site("/Users", "/Users/u"), True)
