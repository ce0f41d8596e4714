"""Zones of paths: real folders and links, names of other platforms as values."""

from __future__ import annotations

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.harness import names
from clinkai.harness.workspace import Place, Workspace


@pytest.fixture
def ground(tmp_path):
    root = tmp_path / "ws"
    for folder in ("src", ".git/hooks", "node_modules/x", "home/sessions", "real"):
        (root / folder).mkdir(parents=True)
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "outside").mkdir()
    for link, target in (
        ("hooks", ".git/hooks"), ("out", "../outside"), ("notes.md", ".env"), (".env.old", "src"),
        ("loop", "loop"), ("deep", "real"), ("up", ".."), (".claude", "real"),
    ):
        (root / link).symlink_to(target)
    (root / ".env").write_text("SECRET")
    return root


ZONES = [
    ("", "bad"), ("a\0b", "bad"), ("\ud800", "bad"), ("~", "bad"), ("~/x", "bad"), ("~root/x", "bad"),
    ("loop", "bad"), ("loop/x", "bad"),
    (".", "inside"), ("src", "inside"), ("src/", "inside"), ("src/../src/./new.py", "inside"),
    ("./~x", "inside"), ("...", "inside"), ("..x", "inside"), ("-rf", "inside"),
    ("missing/deep/new.py", "inside"), ("deep/new.py", "inside"), ("a~b", "inside"),
    ("..", "outside"), ("../ws-evil/x", "outside"), ("/etc/passwd", "outside"),
    ("//etc/passwd", "outside"), ("out/x", "outside"), ("src/../../x", "outside"),
    ("missing/../../x", "outside"), ("up/outside/x", "outside"), ("up", "outside"),
    (".git", "private"), (".GIT/config", "private"), ("src/.git/config", "private"),
    (".git/../.git/HEAD", "private"), ("hooks/pre-commit", "private"), ("hooks", "private"),
    (".gi\u200ct/config", "private"), ("git~1/config", "private"), (".git./config", "private"),
    ("home/sessions/1.jsonl", "private"), ("home", "private"),
    (".env", "secret"), ("src/.ENV.local", "secret"), ("notes.md", "secret"), (".envrc", "secret"),
    (".env.old", "secret"), ("keys/id_rsa", "secret"), ("id_ed25519", "secret"), ("a.pem", "secret"),
    ("x/server.KEY", "secret"), (".ssh/config", "secret"), (".aws/credentials", "secret"),
    (".netrc", "secret"), (".npmrc", "secret"), (".pypirc", "secret"), (".git-credentials", "secret"),
    ("client_secret_1.json", "secret"), ("store.p12", "secret"), (".env.production.local", "secret"),
    (".env.example", "inside"), (".env.sample", "inside"), (".env.template", "inside"),
    (".env.dev", "inside"), (".env.development", "inside"), (".env.local.example", "inside"),
    ("id_rsa.pub", "inside"), ("src/env.ts", "inside"), ("environment.md", "inside"),
    ("keys.py", "inside"), ("monkey.keys", "inside"), (".gitignore", "inside"),
    (".github/workflows/ci.yml", "inside"), (".vscode/settings.json", "inside"),
    ("node_modules/x/index.js", "inside"), (".claude/x", "inside"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("text", "zone"), ZONES)
def test_zone_for_reading(ground, text, zone):
    assert Workspace(ground, [ground / "home"]).place(text).zone == zone


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("text", "zone"), [
    ("src/new.py", "inside"), ("node_modules/x/index.js", "private"), ("a/Node_Modules/x", "private"),
    (".git/config", "private"), (".vscode/settings.json", "protected"), (".VSCode", "protected"),
    *((name, "protected") for name in (
        ".pre-commit-config.yaml", ".lefthook.yml", ".opencode/plugin/x.js", ".kiro/settings/mcp.json",
        ".windsurf/x", ".amazonq/mcp.json", ".zed/tasks.json", "sub/.nvim.lua", ".Exrc")),
    (".idea/x", "protected"), (".husky/pre-commit", "protected"), (".claude/x", "protected"),
    ("a/.cursor/mcp.json", "protected"), (".codex/x", "protected"), (".gemini/x", "protected"),
    (".roo/mcp.json", "protected"), (".mcp.json", "protected"), (".clinkai/x", "protected"),
    (".github/hooks/x", "protected"), (".envrc", "protected"), (".devcontainer/x", "protected"),
    (".github/workflows/ci.yml", "inside"), ("hooks.py", "inside"), ("github/hooks/x", "inside"),
    (".env", "secret"), ("../x", "outside"),
])
def test_zone_for_writing(ground, text, zone):
    assert Workspace(ground, [ground / "home"]).place(text, writes=True).zone == zone


def test_a_place_says_where_it_really_is(ground):
    fence = Workspace(ground)
    assert [fence.place(text) for text in ("deep/a.txt", "", "../x", ".")] == [
        Place("deep/a.txt", f"{ground}/real/a.txt", "real/a.txt", "inside"),
        Place("", "", "", "bad", "tool.path.empty"),
        Place("../x", f"{ground.parent}/x", f"{ground.parent}/x", "outside"),
        Place(".", str(ground), "", "inside"),
    ]


def test_absolute_paths_and_another_name_of_the_root_are_inside(ground, tmp_path):
    (tmp_path / "alias").symlink_to(ground)
    fence = Workspace(tmp_path / "alias")
    assert fence.place(f"{ground}/src/a").rel == "src/a"
    assert fence.place(f"{tmp_path}/alias/src/a").rel == "src/a"
    assert fence.place(f"{tmp_path}/alias/.claude/x", writes=True).zone == "protected"


def test_secrets_ok_frees_by_name_and_by_path(ground):
    fence = Workspace(ground, secrets_ok=["*.pem", "conf/.env", "fixtures/**"])
    zones = {text: fence.place(text).zone for text in
             ("a/b.PEM", ".env", "conf/.env", "x/conf/.env", "fixtures/a/id_rsa", "id_rsa")}
    assert zones == {"a/b.PEM": "inside", ".env": "secret", "conf/.env": "inside",
                     "x/conf/.env": "secret", "fixtures/a/id_rsa": "inside", "id_rsa": "secret"}


def test_a_private_folder_is_private_from_everywhere(ground, tmp_path):
    fence = Workspace(ground / "src", [ground / "home"])
    assert fence.place("../home/x").zone == "private"
    assert not fence.hides
    assert Workspace(ground, [ground / "home"]).hides


@pytest.mark.parametrize(("platform", "same", "other"), [
    ("linux", "README", "readme"), ("darwin", "caf\u00e9", "CAFE\u0301"), ("win32", "README", "readme"),
])
def test_names_compare_as_the_platform_does(platform, same, other):
    fold = names.folder_of(platform)
    assert (fold(same) == fold(other)) == (platform != "linux")


def test_the_root_compares_as_the_platform_does(tmp_path):
    (tmp_path / "Work").mkdir()
    fence = Workspace(tmp_path / "Work", platform="darwin")
    assert fence.place(f"{tmp_path}/WORK/a.txt").rel == "a.txt"
    assert Workspace(tmp_path / "Work", platform="linux").place(f"{tmp_path}/WORK/a").zone == "outside"


@pytest.mark.parametrize(("text", "kind"), [
    (r"\\host\share\x", "unc"), ("//host/share/x", "unc"), (r"\\?\C:\x", "unc"), (r"\\.\COM1", "unc"),
    (r"\Windows\x", "drive"), ("/Windows", "drive"), ("C:x", "drive"), ("c:", "drive"),
    ("a.txt:stream", "stream"), (".git::$INDEX_ALLOCATION/x", "stream"), (r"C:\a:b", "stream"),
    ("CON", "device"), ("src/nul.txt", "device"), ("com1", "device"), ("COM\u00b9.log", "device"),
    ("LPT9 .txt", "device"), ("CONOUT$", "device"),
    ("a.", "trailing"), ("a /b", "trailing"), (r"...\x", "trailing"),
    ("GIT~1/x", "short"), ("PROGRA~1.TXT", "short"),
    ("a<b", "characters"), ('a"b', "characters"), ("a|b", "characters"), ("a\tb", "characters"),
    (r"src\main.py", ""), ("src/main.py", ""), (r"C:\work\a", ""), ("../x", ""), ("com", ""),
    ("console.txt", ""), ("a~b", ""), ("notes~old.txt", ""), (".", ""), ("com10", ""),
])
def test_windows_names(text, kind):
    assert names.windows_problem(text) == (f"tool.path.{kind}" if kind else "")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_problem_has_words(lang):
    say = Strings(lang)
    kinds = ("empty", "nul", "encoding", "tilde", "loop", "unc", "drive", "stream", "device",
             "trailing", "short", "characters", "outside", "private", "secret", "protected")
    assert all(say(f"tool.path.{kind}", path="x") for kind in kinds)


def test_nothing_makes_place_raise(ground):
    fence = Workspace(ground)
    for text in ("a" * 5000, "a/" * 3000, "\x01", "\n", "x" * 300, "loop/../loop", "src/\udcff"):
        assert fence.place(text).zone in ("inside", "bad")
