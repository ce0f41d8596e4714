"""The programs that run without a question, with all they may be given.

Reading a line: `options`. Tags: `glob` (file names may be matched), `count` (`-20` is a number),
`apart` (a short option's value is a word of its own), `alone` (exactly one option, nothing else),
`away` (runs outside the workspace: a file there could choose another program), `expression`
(arguments are those of find), `silent` and `asked` (one of the options in `NEEDS` must be given).

The lists hold what GNU, BSD and busybox programs understand alike or one of them refuses; an
option that follows links, reads names from a file, writes, waits or starts a program is on none.
Operands are fenced; programs that print what the environment holds are not here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clinkai.harness.shell import git, languages
from clinkai.harness.shell.options import Spec, Table, expand, read
from clinkai.harness.shell.script import Refused, Word

if TYPE_CHECKING:
    from clinkai.harness.shell.fence import Fence

NAME = re.compile(r"[a-z][a-z0-9]*")

TABLE = Table(r"""
ls ; -aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ1 --all --almost-all --author --escape --directory
  --ignore-backups --classify?WORD --file-type --full-time --group-directories-first
  --no-group --human-readable --si --inode --kibibytes --numeric-uid-gid --literal
  --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --context
  --zero --color?WORD --sort=WORD --time=WORD --time-style=TEXT --format=WORD --hide=TEXT
  --indicator-style=WORD --quoting-style=WORD --ignore=TEXT --block-size=TEXT --width=NUMBER
  ; PATH* ; glob
cat ; -AbeEnstTuv --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs
  --show-nonprinting ; PATH* ; glob
tac ; -br -s=TEXT --before --regex --separator=TEXT ; FILE+
head ; -qvz -n=COUNT -c=NUMBER --lines=NUMBER --bytes=NUMBER --quiet --silent --verbose
  --zero-terminated ; PATH* ; glob count
tail ; -qvz -n=COUNT -c=NUMBER --lines=NUMBER --bytes=NUMBER --quiet --silent --verbose
  --zero-terminated ; PATH* ; glob count
wc ; -clLmw --bytes --chars --lines --words --max-line-length --total=WORD ; PATH* ; glob
nl ; -p -b=TEXT -d=TEXT -f=TEXT -h=TEXT -i=NUMBER -l=NUMBER -n=WORD -s=TEXT -v=NUMBER -w=NUMBER
  --body-numbering=TEXT --number-format=WORD --number-width=NUMBER --number-separator=TEXT
  --starting-line-number=NUMBER --line-increment=NUMBER ; PATH* ; glob
rev ; ; PATH*
fold ; -bs -w=NUMBER --bytes --spaces --width=NUMBER ; PATH*
expand ; -i -t=SIZES --initial --tabs=SIZES ; PATH*
unexpand ; -a -t=SIZES --all --first-only --tabs=SIZES ; PATH*
fmt ; -cstu -w=NUMBER --crown-margin --split-only --tagged-paragraph --uniform-spacing
  --width=NUMBER ; PATH*
column ; -tx -s=TEXT -c=NUMBER -o=TEXT --table --separator=TEXT --output-separator=TEXT ; PATH*
cut ; -nsz -b=LIST -c=LIST -f=LIST -d=TEXT --bytes=LIST --characters=LIST --fields=LIST
  --delimiter=TEXT --only-delimited --complement --output-delimiter=TEXT --zero-terminated ; PATH*
paste ; -sz -d=TEXT --serial --delimiters=TEXT --zero-terminated ; PATH*
tr ; -cCdst --complement --delete --squeeze-repeats --truncate-set1 ; TEXT TEXT?
sort ; -bcCdfghimMnrRsuVz -k=KEY -t=TEXT --key=KEY --field-separator=TEXT --numeric-sort
  --general-numeric-sort --human-numeric-sort --version-sort --month-sort --random-sort --reverse
  --unique --ignore-case --ignore-leading-blanks --dictionary-order --ignore-nonprinting --merge
  --stable --check?WORD --zero-terminated --sort=WORD --parallel=NUMBER ; PATH*
uniq ; -cdDiuz -f=NUMBER -s=NUMBER -w=NUMBER --count --repeated --all-repeated?WORD --group?WORD
  --unique --ignore-case --skip-fields=NUMBER --skip-chars=NUMBER --check-chars=NUMBER
  --zero-terminated ; PATH?
comm ; -123z --check-order --nocheck-order --output-delimiter=TEXT --total --zero-terminated
  ; PATH PATH
cmp ; -bls -n=NUMBER -i=SKIP --print-bytes --verbose --quiet --silent --bytes=NUMBER
  --ignore-initial=SKIP ; PATH PATH
join ; -iz -1=NUMBER -2=NUMBER -j=NUMBER -t=TEXT -o=TEXT -e=TEXT -a=NUMBER -v=NUMBER
  --ignore-case --check-order --nocheck-order --header --zero-terminated ; PATH PATH
diff ; -abBcdeEiNnpqrstTuwyZ -U=NUMBER -C=NUMBER -W=NUMBER -I=TEXT -x=TEXT -L=TEXT --text
  --brief --report-identical-files --unified?NUMBER --context?NUMBER --ed --normal --rcs
  --side-by-side --width=NUMBER --left-column --suppress-common-lines --show-c-function
  --label=TEXT --expand-tabs --initial-tab --recursive --no-dereference --new-file
  --ignore-case --ignore-tab-expansion --ignore-trailing-space --ignore-space-change
  --ignore-all-space --ignore-blank-lines --ignore-matching-lines=TEXT --strip-trailing-cr
  --minimal --speed-large-files --exclude=TEXT --color?WORD ; PATH PATH
base64, base32 ; -diD -w=NUMBER -b=NUMBER --decode --ignore-garbage --wrap=NUMBER ; PATH?
md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum ; -btz --binary --text --tag
  --zero ; PATH* ; glob
cksum, sum ; ; PATH* ; glob
od ; -abcdfhilosvx -A=WORD -t=TEXT -N=NUMBER -j=NUMBER -w?NUMBER --address-radix=WORD
  --format=TEXT --read-bytes=NUMBER --skip-bytes=NUMBER --width?NUMBER --output-duplicates ; PATH*
hexdump, hd ; -bcCdovx -n=NUMBER -s=NUMBER -e=TEXT --canonical --length=NUMBER --skip=NUMBER
  --no-squeezing ; PATH*
strings ; -af -n=NUMBER -t=WORD -e=WORD --all --bytes=NUMBER --radix=WORD --encoding=WORD
  --print-file-name ; OBJECT* ; count
stat ; -fLtx -c=TEXT --format=TEXT --printf=TEXT --dereference --file-system --terse ; PATH+ ; glob
file ; -bhikILnNr0v -F=TEXT --brief --mime --mime-type --mime-encoding --keep-going --extension
  --no-dereference --dereference --no-buffer --no-pad --print0 --separator=TEXT --version
  ; PATH* ; glob
du ; -0abchkmsSx -B=TEXT -d=NUMBER -t=NUMBER --all --apparent-size --bytes --total
  --human-readable --si --summarize --separate-dirs --one-file-system --max-depth=NUMBER
  --threshold=NUMBER --exclude=TEXT --block-size=TEXT --time?WORD --null ; PATH* ; glob
df ; -ahHiklmPT -t=WORD -x=WORD -B=TEXT --all --human-readable --si --inodes --local
  --portability --print-type --total --output?TEXT --type=WORD --exclude-type=WORD
  --block-size=TEXT ; PATH*
date ; -uR -I?WORD -d=MOMENT --utc --universal --rfc-email --rfc-2822 --iso-8601?WORD
  --rfc-3339=WORD --date=MOMENT ; PLUS?
grep, egrep, fgrep ; -abcEFGhHiIlLnoPqrsTUvwxyzZ -e=TEXT -m=NUMBER -A=NUMBER -B=NUMBER -C=NUMBER
  -d=ACTION -D=DEVICES --regexp=TEXT --max-count=NUMBER --after-context=NUMBER
  --before-context=NUMBER --context=NUMBER --color?WORD --colour?WORD --include=TEXT
  --exclude=TEXT --exclude-dir=TEXT --label=TEXT --binary-files=WORD --directories=ACTION
  --devices=DEVICES --group-separator=TEXT --no-group-separator --extended-regexp --fixed-strings
  --basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp
  --null-data --invert-match --count --files-with-matches --files-without-match --only-matching
  --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number
  --initial-tab --text --null --recursive --line-buffered ; TEXT/e/regexp PATH* ; glob count
rg ; -abcFhHiIlnNopPqsSuUvVwx0. -A=NUMBER -B=NUMBER -C=NUMBER -m=NUMBER -M=NUMBER -d=NUMBER
  -j=NUMBER -e=TEXT -g=TEXT -t=WORD -T=WORD -r=TEXT -E=WORD --after-context=NUMBER
  --before-context=NUMBER --context=NUMBER --max-count=NUMBER --max-columns=NUMBER
  --max-columns-preview --max-depth=NUMBER --maxdepth=NUMBER --max-filesize=NUMBER
  --threads=NUMBER --regexp=TEXT --glob=TEXT --iglob=TEXT --type=WORD --type-not=WORD
  --replace=TEXT --encoding=WORD --color=WORD --colors=TEXT --sort=WORD --sortr=WORD --engine=WORD
  --context-separator=TEXT --field-match-separator=TEXT --field-context-separator=TEXT
  --line-number --no-line-number --ignore-case --case-sensitive --smart-case --word-regexp
  --line-regexp --files-with-matches --files-without-match --count --count-matches
  --only-matching --invert-match --fixed-strings --pcre2 --multiline --multiline-dotall --hidden
  --no-hidden --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-parent --no-ignore-global
  --unrestricted --text --binary --quiet --with-filename --no-filename --heading --no-heading
  --json --vimgrep --column --no-column --trim --stats --files --type-list --null --null-data
  --passthru --one-file-system --no-messages --no-config --no-follow --crlf --byte-offset
  --no-unicode --pretty --include-zero --no-mmap --version
  ; TEXT/e/regexp/files/type-list/version/V PATH*
find ; ; ; expression
tree ; -aACdDfFghiJnNpqQrstuUvxX -L=NUMBER -I=TEXT -P=TEXT --noreport --dirsfirst --prune
  --matchdirs --ignore-case --du --si --inodes --device --metafirst --charset=WORD --sort=WORD
  --filelimit=NUMBER --timefmt=TEXT ; PATH* ; apart
sed ; -nErsuz -e=SED --quiet --silent --regexp-extended --expression=SED --posix
  ; SED/e/expression PATH* ; silent
jq ; -acCejMrRsS --ascii-output --compact-output --color-output --exit-status --join-output
  --monochrome-output --raw-output --raw-input --slurp --sort-keys --tab ; JQ PATH*
basename ; -az -s=TEXT --multiple --zero --suffix=TEXT ; TEXT+
dirname ; -z --zero ; TEXT+
realpath ; -emqszLP --canonicalize-existing --canonicalize-missing --quiet --no-symlinks --zero
  --relative-to=PATH --relative-base=PATH --logical --physical ; PATH+
readlink ; -efmnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline
  --quiet --silent --verbose --zero ; PATH+
seq ; -w -s=TEXT -f=TEXT --equal-width --separator=TEXT --format=TEXT ; COUNT COUNT? COUNT?
expr ; ; TEXT+
printf ; ; PLAIN TEXT*
echo ; -neE ; TEXT*
pwd ; -LP
true, false ; ;
cd ; ; ROOT
sleep ; ; SECONDS
uname ; -asnrvmpio --all --kernel-name --nodename --kernel-release --kernel-version --machine
  --processor --hardware-platform --operating-system
whoami ; ;
id ; -ugGnrz --user --group --groups --name --real --zero
arch ; ;
nproc ; --all --ignore=NUMBER
which ; -a --all ; NAME+
type ; -aptP ; NAME+
command ; -vV ; NAME+ ; asked
python, python3, pip, pip3 ; -V --version ; ; alone away
node, npm ; -v --version ; ; alone away
""")

NEEDS = {"silent": ("n", "quiet", "silent"), "asked": ("v", "V")}
"""sed prints every line unless told not to; `command NAME` would run it."""


def check(words: tuple[Word, ...], fence: Fence) -> tuple[str, ...]:
    """The argv of a simple command that runs without a question. Raises Refused."""
    program = words[0]
    if "/" in program.text or "\\" in program.raw:
        raise Refused("gate.program.path", program.raw)
    if program.raw != program.text or not NAME.fullmatch(program.text):
        raise Refused("gate.program", program.raw)
    if program.text == "git":
        return git.check(words, fence)
    spec = TABLE.find(program.text)
    if not spec:
        raise Refused("gate.program", program.raw)
    rest = expand(spec, words[1:], fence)
    if "expression" in spec.tags:
        languages.find(rest, fence)
    elif spec.name == "echo":
        pass  # it prints what it does not know
    else:
        _check_given(spec, rest, fence)
    return (program.text, *(word.text for word in rest))


def _check_given(spec: Spec, rest: tuple[Word, ...], fence: Fence) -> None:
    given = read(spec, rest, fence)
    if "alone" in spec.tags and len(rest) != 1:
        word = rest[1].raw if rest else spec.name
        raise Refused("gate.version", word, program=spec.name)
    for tag, wanted in NEEDS.items():
        if tag in spec.tags and not given.has(*wanted):
            raise Refused("gate.option.needed", spec.name, program=spec.name, option="-" + wanted[0])


def is_away(program: str) -> bool:
    """True for a program that must not start in the workspace."""
    spec = TABLE.find(program)
    return bool(spec) and "away" in spec.tags
