from __future__ import annotations

import os

import pytest

from clinkai.core.catalogue import Strings
from clinkai.harness.names import is_secret
from clinkai.harness.shell import cmdlets, git, hardening, kinds, programs
from clinkai.harness.shell.judge import judge
from clinkai.harness.shell.run import Job, run_script
from clinkai.harness.workspace import Workspace
from tests.harness.shell import project

ALLOWED = """
ls -la
ls -1 --color=never src docs
ls *.md src/[am]*.py
cat README.md -
cat -- -n.txt
head -20 README.md
head -n5 README.md
head --lines=5 README.md
tail -n +10 README.md
wc -lc README.md
stat -c %s README.md
file -b README.md
du -sh --max-depth=1 .
df -h
date -u +%Y-%m-%d
date -d '2 days ago' +%F
which git python3
type -a ls
command -v git
find src -name '*.py' -not -path '*/sub/*' -newer README.md -printf '%p\\n'
find . \\( -name a -o -name b \\) -prune -o -type f -print
grep -rn --include='*.py' -e TODO -e FIXME src
grep -5 TODO README.md
grep -c TODO README.md 2>/dev/null
rg -n -g '!tests' -tpy 'a|b' src
rg --files src
sort -t, -k2,2nr data.txt
sort -k1 -u data.txt
uniq -c data.txt
cut -d' ' -f1,3- data.txt
tr a-z A-Z
diff -u README.md setup.py
diff -r src tests
cmp -s data.txt data2.txt
comm -12 data.txt data2.txt
sed -n '1,5p;10p' README.md
sed -n -e '/^def/,/^}/p' src/main.py
sed -n '$=' README.md
jq -r '.scripts | keys[]' package.json
jq '{name, v: .version, deps: (.dependencies // {} | length)}' package.json
jq -c '[.[] | select(.a == "x") | {id: .id}] | sort_by(.id)' package.json
tree -a -L 2 -I 'node_modules|.git' src
python3 --version
node -v
base64 -w 0 data.txt
sha256sum README.md setup.py
xargs
"""

ASKED = """
ls -L
ls -R ..
ls out
cat leak.txt
tac
tac -
tac README.md -
cat .env
cat .[e]nv
cat *
cat deploy/*
cat */server.pem
cat .*
cat out/*
cat */../x
cat README.md/../../outside/secret.txt
head -n
tail -f app.log
tail --follow app.log
tail -20f app.log
wc --files0-from=x
file -f x
file -m x README.md
du -L .
date -s x
date 0101
date -r x
date -d 'TZ=":/etc/passwd" now'
date --dat=now
find src -exec cat {} +
find . -name x -delete
find -L .
find . -newermm ../x
find . -name
find . -fprintf x y
find * -name x
find . -name *.py
grep -R x .
grep -f x README.md
grep -rf x .
grep -e x -f../x README.md
grep --include-from=x y
grep --exclude-from=x y .
grep -d x y .
grep -D read TODO README.md
grep -rDread TODO .
grep -r --devices=read TODO .
grep x leak.txt
rg -L x
rg -uuuL x
rg -f x y
rg --pre=x y
rg --no-ignore-file=x y
rg --hostname-bin x y
sort -o x data.txt
sort -T . data.txt
sort -S 1 data.txt
sort --out=x data.txt
sort *.txt
uniq a b
cut -d
tr a b c
diff a
diff a b c
diff --to-file=x a
sed -n 's/a/b/p' README.md
sed -n '1p;w x' README.md
sed -n '1,$p' -i README.md
sed '1p' README.md
sed -n --in-place '1p' README.md
sed -n '/a/w x' README.md
sed -n '/a\\/w x/e' README.md
sed -nf x README.md
sed -s -n 1r/etc/passwd README.md
jq -n env
jq 'env' package.json
jq '$ENV.PATH' package.json
jq 'input' package.json
jq '[input_filename, env]' package.json
jq '.[1,input:2]' package.json
jq '"\\(env)"' package.json
jq 'import "x" as x; .' package.json
jq '$__prog_args' package.json
jq --args . package.json
jq -rf x package.json
jq --arg a b . package.json
jq '.a |= input' package.json
tree -Ifoo x
tree -L2 src
tree -o x
tree --fromfile x
tree -R
python3 -V -c x
python3 --version x
python -c x
python
node --version --require=x
npm -g
command ls
command -v
type
basename
printf -v x y
echo x > y
id root
stat
strings @x
sleep 1e9
sleep infinity
seq 1 2 3 4
od --traditional x
hexdump -f x data.txt
base64 a b
base64 -o x data.txt
ls;rm x
env
printenv
test -f x
[ -f x ]
cd src
exit
LS
ls.exe
'ls'
l\\s
""" + "less README.md\nmore README.md\nman ls\nxxd data.txt\nawk 1 data.txt\ntee x\nxargs ls\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_what_is_no_file_is_asked_about(tmp_path):
    """Reading a pipe with nobody at the other end never ends."""
    made = Workspace(project.make(tmp_path))
    os.mkfifo(made.root / "pipe")
    (made.root / "link").symlink_to("pipe")
    commands = ("cat pipe", "cat link", "wc -l p*pe", "diff README.md pipe", "git diff pipe README.md",
                "file ./src/../pipe", "Get-Content pipe")
    dialects = ("powershell" if "-" in command.split()[0] else "posix" for command in commands)
    found = {c: judge(c, dialect, made).trouble[0] for c, dialect in zip(commands, dialects)}
    assert found == dict.fromkeys(commands, "gate.operand.bad")


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    return Workspace(project.make(tmp_path_factory.mktemp("programs")))


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line != "xargs"]


def test_reading_forms_run_without_a_question(ws):
    assert {c: judge(c, "posix", ws).trouble for c in lines(ALLOWED)
            if not judge(c, "posix", ws).listed} == {}


def test_other_forms_are_asked_about(ws):
    assert [c for c in lines(ASKED) if judge(c, "posix", ws).listed] == []


def test_every_line_of_the_tables_can_be_read():
    for table in (programs.TABLE, git.TABLE):
        for name in table.names():
            spec = table.find(name)
            used = {kind[1:] for kind in (*spec.short.values(), *spec.long.values()) if kind}
            used |= {kind for kind, _, _ in spec.operands}
            assert used <= kinds.SHAPES.keys() | kinds.RULES.keys(), name
    for cmdlet in cmdlets.TABLE.all():
        used = set(cmdlet.parameters.values()) - {None}
        assert used <= kinds.SHAPES.keys() | {"TEXT", "PATH", "WILD"}, cmdlet.name
        places = {name.rstrip("*").casefold() for name in cmdlet.positions}
        assert places <= cmdlet.parameters.keys(), cmdlet.name


def test_wild_cards_become_the_names_that_were_fenced(ws):
    part = judge("wc -l *.py src/*.py", "posix", ws).parts[0]
    assert part.argv == ("wc", "-l", "setup.py", "src/a.py", "src/main.py")
    assert judge("ls -d */", "posix", ws).trouble == ("gate.operand.outside", {"word": "*/"})


def test_a_name_that_looks_like_an_option_is_judged_as_one(ws):
    assert judge("ls -*.txt", "posix", ws).parts[0].argv == ("ls", "-*.txt")
    assert not judge("cat -*", "posix", ws).listed


def test_a_search_through_folders_leaves_secret_files_out(ws):
    def harden(*argv: str) -> tuple[str, ...]:
        return hardening.harden(argv, ws.path)

    argv = harden("grep", "-rn", "secret", ".", "--include=.env")
    assert argv[:5] == ("grep", "-rn", "secret", ".", "--include=.env")
    assert "--exclude=.env*" in argv[5:]
    assert harden("grep", "-re", "--", "--", ".")[:3] == ("grep", "-re", "--")
    assert harden("grep", "x", "a") == ("grep", "x", "a")
    assert harden("rg", "x", "--", "a")[-2:] == ("--", "a")
    assert harden("diff", "README.md", "inner.txt") == ("diff", "README.md", "inner.txt")
    for command in ("grep -r secret .", "grep -r secret . --include=.env", "diff -r . src",
                    "diff . .", "diff -y . .", "diff -y --left-column src ."):
        done = run_script(judge(command, "posix", ws), Job(ws.path, Strings("en")))
        assert b".env:" not in done.output and b"server.pem:" not in done.output, command
        assert b"OUTSIDE" not in done.output
        assert bool(done.output) is ("--include" not in command and command != "diff . .")


def test_the_names_left_out_are_the_secret_ones():
    samples = (glob.replace("*", "") if glob.startswith(".env") else glob.replace("*", "x")
               for glob in hardening.SECRETS if glob != ".git")
    assert all(map(is_secret, samples))


def test_a_program_of_the_workspace_is_never_picked(tmp_path):
    ws = Workspace(project.make(tmp_path))
    for folder in (ws.root, ws.root / "bin", tmp_path / "links"):
        folder.mkdir(exist_ok=True)
    evil = ws.root / "bin" / "wc"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/fired\n")
    evil.chmod(0o755)
    (tmp_path / "links" / "wc").symlink_to(evil)
    before = os.environ["PATH"]
    os.environ["PATH"] = os.pathsep.join((".", "", "bin", str(ws.root / "bin"),
                                          str(tmp_path / "links"), before))
    try:
        done = run_script(judge("wc -l README.md", "posix", ws), Job(ws.path, Strings("en")))
    finally:
        os.environ["PATH"] = before
    assert (done.exit, done.output) == (0, b"1 README.md\n")
    assert not (tmp_path / "fired").exists()
