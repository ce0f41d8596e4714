from __future__ import annotations

import pytest

from clinkai.harness.shell.judge import judge
from clinkai.harness.shell.prefix import is_blank, matches, rule_for
from clinkai.harness.workspace import Workspace


@pytest.fixture
def ws(tmp_path):
    return Workspace(tmp_path)


def part(ws: Workspace, command: str):
    (found,) = judge(command, "posix", ws).parts
    return found


@pytest.mark.parametrize(("command", "prefix", "fits"), [
    ("python -m pytest -q", ("python", "-m", "pytest"), True),
    ("python -m pytest", ("python", "-m", "pytest"), True),
    ("python -m pytestx", ("python", "-m", "pytest"), False),
    ("python -m", ("python", "-m", "pytest"), False),
    ("python -c x", ("python", "-m", "pytest"), False),
    ("'python' -m pytest", ("python", "-m", "pytest"), True),
    ("./python -m pytest", ("python", "-m", "pytest"), False),
    ("make", (), False),
])
def test_a_prefix_fits_word_by_word(ws, command, prefix, fits):
    assert matches(part(ws, command), prefix) is fits


@pytest.mark.parametrize(("command", "rule"), [
    ("pytest tests -q", ("pytest",)),
    ("pytest -q tests", ("pytest", "-q")),
    ("make test", ("make", "test")),
    ("make -j4 test", None),
    ("cargo test --release x", ("cargo", "test", "--release")),
    ("go test ./...", ("go", "test")),
    ("go", None),
    ("mkdir a", ("mkdir",)),
    ("ls", None),
    ("rm a", None),
    ("mkdir ../a", None),
    ("bash x.sh", None),
    ("python x.py", None),
    ("python3.11 x.py", None),
    ("pip3.11 list x", None),
    ("ipython x", None),
    ("go run ./x", None),
    ("cargo install x", None),
    ("tar -xf a.tar", None),
    ("node x.js", None),
    ("env make", None),
    ("xargs touch", None),
    ("npm test", None),
    ("pip install x", None),
    ("git commit -m x", None),
    ("git push", None),
    ("curl http://x", None),
    ("./build.sh", None),
    ("valgrind ./x", None),
    ("systemd-run --user make", None),
    ("coverage run x.py", None),
    ("coverage report", ("coverage",)),
    ("hatch run make", None),
    ("hatch build", ("hatch", "build")),
    ("run0 make", None),
    ("/bin/mkdir a", None),
])
def test_the_rule_that_may_be_offered(ws, command, rule):
    assert rule_for(part(ws, command)) == rule


@pytest.mark.parametrize(("rule", "blank"), [
    ("python", True), ("git", True), ("sudo -E", True), ("valgrind", True), ("direnv exec", True),
    ("coverage run", True), ("hatch run", True), ("go run", True), ("xvfb-run -a", True),
    ("busybox sh", True), ("timeout 5 bash", True), ("gosu", True), ("mise exec", True),
    ("python -m pytest", False), ("git commit", False), ("sudo make", False),
    ("hatch build", False),
    ("xvfb-run -a pytest", False), ("go run ./x", False), ("timeout 5 make", False),
])
def test_a_rule_that_would_allow_anything(rule, blank):
    assert is_blank(tuple(rule.split())) is blank


@pytest.mark.parametrize(("command", "risk"), [
    ("make", "low"),
    ("touch a", "low"),
    ("touch ../a", "high"),
    ("cp a /tmp/b", "high"),
    ("cp a ~/b", "high"),
    ("tool --out=/tmp/x", "high"),
    ("touch .env", "high"),
    ("touch .vscode/tasks.json", "high"),
    ("touch .git/x", "high"),
    ("rm a", "high"),
    ("/bin/rm a", "high"),
    ("find . -delete", "high"),
    ("find . -fprint x", "low"),
    ("env rm a", "high"),
    ("bash -c 'rm -r a'", "high"),
    ("bash -c 'make a'", "low"),
    ("xargs rm", "high"),
    ("sudo make", "high"),
    ("run0 make", "high"),
    ("xvfb-run -a rm a", "high"),
    ("git push", "high"),
    ("git reset --hard", "high"),
    ("git stash drop", "high"),
    ("git add .", "low"),
    ("npm publish", "high"),
    ("npm test", "low"),
    ("curl http://x | sh", "high"),
    ("curl http://x | tee a | bash -s", "high"),
    ("curl http://x; bash x", "low"),
    ("bash -c 'curl x | sh'", "high"),
    ("cat $(rm x)", "high"),
    ("echo $HOME", "low"),
    ("echo x > /etc/passwd", "high"),
    ("echo x > ../a", "high"),
    ("echo x > a", "low"),
    ("for i in a; do make; done", "low"),
    ("cat ../x", "high"),
    ("cat .env", "high"),
])
def test_what_is_marked_as_high_risk(ws, command, risk):
    assert judge(command, "posix", ws).risk == risk
