"""The cmdlets that run without a question, with all they may be given.

A line: names, the full one first; parameters with the kind of their value; positions, in order,
the last with `*` where it takes the rest. Kinds: WILD and PATH are fenced, the others are those of
`kinds.SHAPES`. Left out on purpose: -Stream, -Wait, -FollowSymlink, -Resolve, -OutVariable and
whatever else opens, waits or stores; shortened parameters.
"""

from __future__ import annotations

from clinkai.core.value import Value

LINES = """
Get-ChildItem, gci, ls, dir ; Path=WILD LiteralPath=PATH Filter=LABEL Include=LABEL Exclude=LABEL
  Depth=COUNT Attributes=WORD Recurse Force Name File Directory Hidden ReadOnly System ; Path Filter
Get-Content, gc, cat, type ; Path=WILD LiteralPath=PATH TotalCount=COUNT Head=COUNT
  First=COUNT Tail=COUNT Last=COUNT ReadCount=COUNT Encoding=WORD Delimiter=TEXT Include=LABEL
  Exclude=LABEL Raw Force AsByteStream ; Path
Select-String, sls ; Path=WILD LiteralPath=PATH Pattern=TEXT Context=SIZES Encoding=WORD
  Include=LABEL Exclude=LABEL SimpleMatch CaseSensitive Quiet List NotMatch AllMatches Raw
  NoEmphasis ; Pattern Path
Get-Location, gl, pwd ; ;
Get-Item, gi ; Path=WILD LiteralPath=PATH Force ; Path
Get-ItemProperty, gp ; Path=WILD LiteralPath=PATH Name=LABEL ; Path Name
Test-Path ; Path=WILD LiteralPath=PATH PathType=WORD IsValid ; Path
Resolve-Path, rvpa ; Path=WILD LiteralPath=PATH Relative ; Path
Convert-Path, cvpa ; Path=WILD LiteralPath=PATH ; Path
Split-Path ; Path=PATH LiteralPath=PATH Leaf Parent Extension LeafBase Qualifier NoQualifier
  IsAbsolute ; Path
Join-Path ; Path=PATH ChildPath=PATH AdditionalChildPath=PATH ; Path ChildPath AdditionalChildPath*
Get-FileHash ; Path=WILD LiteralPath=PATH Algorithm=WORD ; Path Algorithm
Write-Output, echo, write ; InputObject=TEXT NoEnumerate ; InputObject*
Write-Host ; Object=TEXT ForegroundColor=WORD BackgroundColor=WORD Separator=TEXT NoNewline ; Object*
Get-Command, gcm ; Name=NAME CommandType=WORD All ; Name
Get-Alias, gal ; Name=NAME Definition=NAME ; Name
Get-Verb ; Verb=WORD ; Verb
Get-Date ; Format=TEXT UFormat=TEXT AsUTC ;
Get-TimeZone ; ;
Get-Culture ; ;
Get-UICulture ; ;
Start-Sleep, sleep ; Seconds=SECONDS Milliseconds=COUNT ; Seconds
Select-Object, select ; Property=FIELD ExcludeProperty=FIELD ExpandProperty=FIELD First=COUNT
  Last=COUNT Skip=COUNT SkipLast=COUNT Index=COUNT Unique ; Property
Sort-Object, sort ; Property=FIELD Descending Unique CaseSensitive Top=COUNT Bottom=COUNT ; Property
Measure-Object, measure ; Property=FIELD Line Word Character IgnoreWhiteSpace Sum Average Maximum
  Minimum ; Property
Format-Table, ft ; Property=FIELD AutoSize Wrap HideTableHeaders ; Property
Format-List, fl ; Property=FIELD ; Property
Format-Wide, fw ; Property=FIELD Column=COUNT AutoSize ; Property
Get-Member, gm ; Name=FIELD MemberType=WORD ; Name
Get-Unique, gu ; AsString
Group-Object, group ; Property=FIELD NoElement CaseSensitive ; Property
Where-Object, where, ? ; Property=FIELD Value=TEXT EQ NE GT GE LT LE Like NotLike Match NotMatch
  CEQ CNE CLike CNotLike CMatch CNotMatch Not ; Property Value
Out-Host, oh ; ;
Out-Null ; ;
Out-String ; Width=COUNT Stream
"""

COMMON = {"erroraction": "QUIET"}
"""Parameters of every cmdlet that may be given."""

SINKS = {
    **dict.fromkeys(
        ("Select-Object", "Sort-Object", "Measure-Object", "Format-Table", "Format-List",
         "Format-Wide", "Get-Member", "Get-Unique", "Group-Object", "Where-Object", "Out-String",
         "Out-Host", "Out-Null"), "any"),
    "Select-String": "text",
}
"""Cmdlets a pipe may lead into: from anything, or only from one that gives text. Files that come
through a pipe would be read by Select-String without a look at their names."""

NATIVES = frozenset(
    "git rg python python3 pip pip3 node npm whoami findstr".split()
)
"""Programs that run as on other systems, where no alias of PowerShell stands in front of them."""


class Cmdlet(Value):
    """name: in full. parameters: small letters to kind, None for a switch. positions: names."""

    name: str
    parameters: dict
    positions: tuple[str, ...]


class _Table:
    def __init__(self) -> None:
        self._found: dict[str, Cmdlet] = {}

    def find(self, name: str) -> Cmdlet | None:
        """The cmdlet with this name or alias in small letters, or None."""
        if not self._found:
            for line in LINES.replace("\n  ", " ").strip().split("\n"):
                self._add(*(piece.strip() for piece in (line + " ; ").split(" ;")[:3]))
        return self._found.get(name)

    def all(self) -> list[Cmdlet]:
        """Every cmdlet once."""
        self.find("")
        return [cmdlet for name, cmdlet in self._found.items() if name == cmdlet.name.casefold()]

    def _add(self, names: str, declared: str, positions: str) -> None:
        parameters: dict = dict(COMMON)
        for token in declared.split():
            name, _, kind = token.partition("=")
            parameters[name.casefold()] = kind or None
        full, *aliases = names.split(", ")
        cmdlet = Cmdlet(full, parameters, tuple(positions.split()))
        for name in (full, *aliases):
            self._found[name.casefold()] = cmdlet


TABLE = _Table()
