from __future__ import annotations

import pytest

from clinkai.harness.shell import plan, powershell
from clinkai.harness.shell.judge import judge
from clinkai.harness.workspace import Workspace
from tests.harness.shell import project

ALLOWED = """
Get-ChildItem
gci -Recurse -Filter *.md -Name
ls src,docs
dir 'docs'
Get-Content README.md -Tail 10
cat -Path 'docs/user guide.md' -TotalCount 5
type "docs\\user guide.md"
Get-Content -LiteralPath README.md -Raw -Encoding utf8
Get-Content nosuch.txt -ErrorAction SilentlyContinue
Select-String TODO src\\*.py
sls -Pattern 'a|b; $c' -Path README.md -Context 2,3
Get-ChildItem -Recurse | Select-Object -First 5 | Format-Table Name,Length -AutoSize
Get-Content README.md | Measure-Object -Line
Get-Content README.md | Select-String TODO
Get-ChildItem | Sort-Object Length -Descending
Get-Location; Get-ChildItem
gc -First 5 README.md
gc 'README.md','docs/user guide.md', setup.py
Get-ChildItem src, docs | Select-Object Name, Length
Get-ChildItem -Recurse | Where-Object Name -Like '*.py' | Group-Object Extension -NoElement
git blame -L 10,20 src/main.py
gc src\\[a-z]*.py
Get-ChildItem | Out-Null
Test-Path src\\main.py -PathType Leaf
Join-Path src main.py
Split-Path -Leaf src\\main.py
Get-FileHash README.md -Algorithm SHA256
Get-Command git
Get-Date -Format 'yyyy-MM-dd'
Write-Output 'x; y | z'
echo hello world
Write-Host 'it''s'
git log --format="%h|%s" -5
git diff HEAD~1 -- src
git log HEAD~3..HEAD main...feature
git show HEAD:README.md
git log --oneline -- "*.py"
rg -n 'a|b' src
python --version
findstr /n /i TODO README.md
findstr /c:"a b" src\\*.py
"""

ASKED = """
Get-ChildItem ..
Get-Content .env
Get-Content *
Get-Content .e*
gc deploy\\*.pem
gc leak.txt
gc out\\secret.txt
gc src\\..\\..\\outside\\secret.txt
gc -Tail
gc -Tail -Raw
gc README.md -Wait
gc README.md -Stream x
gc README.md -OutVariable x
gc README.md -ErrorAction Inquire
gc README.md ,../x
gc README.md,
gc ,README.md
gc README.md -Raw:$true
gc "a"b
gc #x
gc [x]::y
gc x::y
gc `x
gc $x
gc "$x"
gc @x
gc {x}
gc (x)
gc README.md > x
gc README.md 2>&1
gc README.md &
gc README.md && gc x
gc README.md || gc x
gc README.md |
| gc
gc –Path x
gc “x”
gc env:PATH
gc C:\\x
gc C:x
gc \\\\host\\x
gc /etc/passwd
gc NUL
gc x.
gc 'src/.`./../outside/secret.txt'
gc '.e`nv'
gc .\\[!a]env
gc .\\[^a]env
gc ENV~?
ls env:*
ls C:*
ls \\*
ls /*
sls -Path hklm:* -Pattern x
gc README.md；x
gc src, ..
gc 'README.md', .env
gc 'README.md'x,y
gc README.md, -Raw
git log a, b
findstr KEY ENV~?
Get-ChildItem | Where-Object { calc }
Get-ChildItem | Out-Host -Paging
gc ~\\x
gc PROGRA~1
Get-ChildItem -Follow
Get-ChildItem -FollowSymlink
Get-ChildItem -Filter ..\\*
Get-ChildItem | Get-Content
Write-Output x | Get-Content
Get-ChildItem | Select-String KEY
Get-ChildItem -Recurse | sls KEY
Select-Object -First 1 | Get-Item
git log | Select-Object -First 5
Get-Content README.md | rg x
Get-ChildItem | % Name
Get-ChildItem | Remove-Item
Select-Object x.y
Remove-Item x
Get-Process
Get-Command .\\x
Get-Command x -ArgumentList y
'Get-Content' x
Get-Content.exe x
Join-Path src x -Resolve
git diff a,b
git diff PROGRA~1
git diff xmain~1
git diff ENV~1 x
git diff 'HEAD~1..\\..\\x'
git log src..\\..\\..\\x
git diff 'x' > y
git log -p ..\\x
rg x C:\\Users
findstr /s KEY *.txt
findstr /f:x y
findstr /g:x y
findstr KEY .env
wc -l README.md
grep x README.md
sort README.md
"""


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    return Workspace(project.make(tmp_path_factory.mktemp("powershell")))


def test_reading_forms_run_without_a_question(ws):
    scripts = [judge(line, "powershell", ws) for line in ALLOWED.strip().splitlines()]
    assert {s.text: s.trouble for s in scripts if not s.listed} == {}


def test_other_forms_are_asked_about(ws):
    scripts = [judge(line, "powershell", ws) for line in ASKED.strip().splitlines()]
    assert [s.text for s in scripts if s.listed] == []


@pytest.mark.parametrize(("text", "built"), [
    ("gc -path 'a b' -Tail 5", ["Get-Content -path 'a b' -Tail '5'"]),
    ("ls src,docs | select -First 2; pwd",
     ["Get-ChildItem 'src','docs' | Select-Object -First '2'", "Get-Location"]),
    ("echo \"it's\" 'x''y' \"a\"\"b\"", ["Write-Output 'it''s' 'x''y' 'a\"b'"]),
    ("git status; echo a", ["", "Write-Output 'a'"]),
    ("ls 'src', \"docs\",tests", ["Get-ChildItem 'src','docs','tests'"]),
    ("echo 'a,b', c", ["Write-Output 'a,b','c'"]),
])
def test_what_runs_is_rebuilt_from_the_words(ws, text, built):
    assert judge(text, "powershell", ws).listed
    assert powershell.command_lines(text) == built


def test_natives_run_as_programs_and_cmdlets_in_one_powershell(ws):
    script = judge("git log -5; ls | select -First 2", "powershell", ws)
    native, shell = plan.of_script(script, ws.path)
    assert native.stages[0].argv[0] == "git" and "--no-textconv" in native.stages[0].argv
    assert shell.stages[0].argv[1:5] == ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command")
    assert shell.stages[0].argv[5].endswith("Get-ChildItem | Select-Object -First '2'")


def test_windows_names_are_judged_wherever_the_check_runs(ws):
    for path in ("aux", "a:b", "x ", "\\x", "\\\\?\\C:\\x", "a<b", "c:x"):
        assert not judge(f"Get-Content '{path}'", "powershell", ws).listed, path
