"""Options that programs have and the tables leave out, and known ways to make a reader of files do
something else. `{top}` is the folder of the test, `{port}` a port that nothing may connect to."""

from __future__ import annotations

OPTIONS = {
    "any": ("--help", "--version", "-", "--", "-o", "--output=x", "-x", "-9", "@list", "-o x", "+x",
            "--files0-from=list", "-f list", "--=x", "---", "-Z", "--no-such", "-O", "--exec=sing"),
    "ls": ("-L", "-H", "--dereference", "--hyperlink", "--dired", "-D", "-RL", "--colo=always"),
    "sort": ("-o x", "-ox", "--output=x", "--out=x", "-T .", "--compress-program=sing", "--co=sing",
             "-S 1",
             "--files0-from=list", "--batch-size=2", "--random-source=.env", "--debug", "-no x",
             "-uox"),
    "uniq": ("README.md x", "- x"),
    "find": ("-exec sing {} +", "-exec sing {} ;", "-execdir sing {} ;", "-ok sing {} ;",
             "-okdir sing {} ;",
             "-delete", "-fprint x", "-fprint0 x", "-fprintf x %p", "-fls x", "-files0-from list",
             "-L", "-H",
             "-follow", "-newermm ../x", "-newer /etc/hostname", "-D exec", "-print -exec sing ;",
             "-context x",
             "-help", "-version", "-newerXY x", "-O9", "-samefile ../outside/secret.txt"),
    "grep": ("-f list", "-flist", "-R", "--dereference-recursive", "--file=list",
             "--exclude-from=list",
             "-rf list", "--fil=list", "-Rn", "-D x", "--include-from=x", "-nHRx"),
    "rg": ("--pre=sing", "--pre sing", "--pre-glob=*", "-z", "--search-zip", "--hostname-bin=sing",
           "-f list",
           "-L", "--follow", "--ignore-file=.env", "--hyperlink-format=x", "--debug", "--file=list",
           "-uuL", "--type-add=x:*", "--auto-hybrid-regex", "--generate=man", "--no-pre=1", "-nz"),
    "date": ("-s @0", "--set=@0", "-f .env", "-r .env", "--reference=.env", "--file=.env",
             "--debug", "010100"),
    "file": ("-C", "-m magic", "-f list", "-z", "-Z", "--compile", "--magic-file=magic",
             "--files-from=list",
             "-S", "-s", "--special-files", "-P bytes=1", "-Cm magic", "--no-sandbox", "-p",
             "--uncompress"),
    "diff": ("--to-file=x", "--from-file=x", "-l", "--paginate", "-F x", "--line-format=x", "-S x",
             "-X list",
             "--exclude-from=list", "-D x", "--GTYPE-group-format=x", "--to=x",
             "--unidirectional-new-file"),
    "sed": ("-i", "--in-place", "-i.bak", "-f list", "-ne 'w x'", "-n --expression='1e sing'",
            "--debug",
            "--file=list", "-ni", "-nf list", "-l 5", "-n --sandbox", "--follow-symlinks", "-nEi"),
    "jq": ("-n", "-f list", "--from-file", "--args", "--arg a b", "--rawfile a .env",
           "--slurpfile a .env",
           "-L jq", "--jsonargs", "--stream", "--seq", "--indent 2", "-rL jq", "--argfile a .env",
           "-Ljq"),
    "du": ("-L", "-D", "-H", "-l", "--files0-from=list", "-X list", "--exclude-from=list",
           "--dereference", "-sL"),
    "wc": ("--files0-from=list", "--files0-from=-", "--files=list"),
    "tail": ("-f", "-F", "--follow", "--pid=1", "--retry", "-s 1", "-nf", "-5f", "+5"),
    "tree": ("-o x", "-l", "-R", "--fromfile", "-H .", "-T x", "--gitfile=x", "--infofile=x",
             "--info",
             "--gitignore", "-oX", "-al", "--hintro=.env", "--houtro=.env"),
    "base64": ("a b", "--output=x", "-o x"),
    "base32": ("a b",),
    "md5sum": ("-c list", "--check list", "--status"),
    "sha256sum": ("-c list", "--check", "-wc list"),
    "cksum": ("-c list", "-a sm3"),
    "od": ("--traditional x", "-S 3", "--endian=big", "--strings"),
    "hexdump": ("-f list", "-e %_p -f list", "-L"),
    "strings": ("@list", "-T x", "--target=x", "-s x", "-w"),
    "stat": ("--cached=never", "--file-sys", "-Lf"),
    "split": ("README.md x",),
    "df": ("--sync", "--no-sync", "-v"),
    "realpath": ("--strip", "/etc/hostname"),
    "comm": ("--check", "a b c"),
    "join": ("-v1 a b c", "--head"),
    "column": ("-J", "-H 1", "--json", "-n x"),
    "printf": ("-v x", "--", "-vx %s"),
    "uname": ("--help", "-x"),
    "id": ("root", "-Z"),
    "nproc": ("--help",),
    "which": ("-s", "--skip-alias", "./x"),
    "command": ("ls", "-p ls", "-p -v ls", "-- ls"),
    "type": ("-f ls", "-- ls"),
    "python3": ("-c 1", "-m pip", "-V -c 1", "x.py", "-VV", "-Vc 1", "--version x", "-i", "-"),
    "python": ("-c 1", "-V x", "-"),
    "pip": ("list", "--version -v", "--log x --version", "download x", "-V --log=x",
            "--python sing --version"),
    "node": ("-e 1", "-v -e 1", "--version --require=x", "-p 1", "x.js", "--v8-options", "-i"),
    "npm": ("ls", "--version --prefix x", "run a", "-v --userconfig=x", "exec sing", "-g",
            "--versions"),
    "seq": ("-s x -f %s 1", "1 2 3 4"),
    "tac": ("-r -s x --help",),
    "git": ("-C .. status", "-c core.pager=sing log", "--exec-path=bin status", "-p log",
            "--paginate log",
            "--git-dir=.git status", "--work-tree=.. status", "--config-env=a=b log", "--bare log",
            "-h", "help",
            "--namespace=x log", "--super-prefix=x log", "--html-path", "--exec-path",
            "--attr-source=x log",
            "fetch", "pull", "push", "clone . x", "ls-remote .", "config -l",
            "config core.pager sing", "gc",
            "config --edit", "apply x", "am x", "archive HEAD", "archive -o x HEAD",
            "archive --remote=. HEAD",
            "bisect run sing", "bundle create x HEAD", "checkout .", "clean -fd", "commit -m x",
            "daemon",
            "difftool -x sing", "filter-branch", "grep -O", "grep -Osing x", "init x", "mergetool",
            "p4", "rm x",
            "rebase -x sing", "submodule foreach sing", "submodule status", "var GIT_EDITOR",
            "var -l", "add .",
            "web--browse x", "instaweb", "credential fill", "hook run pre-commit",
            "update-index --refresh",
            "diff-index HEAD", "diff-files", "fsck", "stripspace", "interpret-trailers x",
            "hash-object -w x",
            "notes add", "range-diff a b c", "request-pull a b", "send-email x",
            "verify-commit HEAD", "svn",
            "whatchanged", "upload-pack .", "receive-pack .", "shell", "alias", "x", "status -v",
            "update-ref x",
            "ext::sing", "remote-ext x", "checkout-index -a", "read-tree HEAD", "mktag",
            "replace a b", "repack",
            "cat-file --batch", "cat-file --textconv HEAD:README.md",
            "cat-file --filters HEAD:README.md",
            "blame --contents ../outside/secret.txt README.md", "blame -S list README.md",
            "fast-export HEAD",
            "blame --ignore-revs-file .env README.md", "ls-files -X list",
            "ls-files --exclude-from=list",
            "ls-files --with-tree=HEAD", "ls-files --recurse-submodules", "rev-parse --parseopt",
            "stash pop",
            "rev-parse --path-format=absolute --git-path x", "rev-parse --resolve-git-dir .git",
            "stash drop",
            "show-branch", "show-ref --exclude-existing", "branch -d x", "branch -m x",
            "branch --edit-description",
            "branch -u x", "tag -d v1", "tag -s x", "tag -v v1", "tag -a x", "remote add a b",
            "remote show origin",
            "remote prune x", "remote set-url a b", "worktree add x", "worktree prune",
            "reflog expire", "reflog delete x",
            "symbolic-ref HEAD refs/heads/x", "count-objects -x", "describe --dirty",
            "describe --broken", "maintenance run",
            "shortlog -e --stdin", "check-ignore --stdin", "check-attr --source=x a b",
            "name-rev --stdin", "credential-store x"),
    "git diff": ("--output=x", "--ext-diff", "--textconv", "--no-index", "-O list",
                 "--submodule=log", "-o x",
                 "--ignore-submodules=none", "--outp=x", "--output x", "-Olist", "--submodule",
                 "--no-index --"),
    "git log": ("--output=x", "--ext-diff", "--textconv", "--show-signature", "--remerge-diff",
                "-Olist", "--stdin",
                "--diff-merges=remerge", "--mailmap-file=x", "--submodule=diff", "-o x",
                "--output-indicator-new=x",
                "--diff-merges=r", "--notes=../x", "--exec=x", "--show-sig", "--alternate-refs",
                "--reflog"),
    "git show": ("--output=x", "--ext-diff", "--textconv", "--show-signature", "--remerge-diff",
                 "-Olist"),
    "git grep": ("-O", "-Osing", "--open-files-in-pager=sing", "--op=sing", "-f list", "--no-index",
                 "--recurse-submodules", "--textconv", "--ext-grep", "-fx", "-nOsing"),
    "git blame": ("--contents=.env", "-S list", "--ignore-revs-file=.env", "--con=x",
                  "--ignore-rev=x", "--textconv"),
    "git stash list": ("--output=x", "--ext-diff", "-Olist"),
    "git stash show": ("--output=x", "--ext-diff", "-Olist", "--textconv"),
    "git diff-tree": ("--output=x", "--ext-diff", "--stdin", "-Olist", "--remerge-diff"),
    "git status": ("-v", "-vv", "--verbose", "--ignore-submodules=none",
                   "--pathspec-from-file=list"),
    "git reflog": ("expire --all", "delete x", "--output=x", "exists HEAD"),
}

FIND_VALUES = {
    "-type": ("f", "d", "l", "p"), "-size": ("1k", "+1"), "-regextype": ("posix-extended",),
              "-user": ("root",),
    "-group": ("root",), "-perm": ("644", "-u=r"), "-maxdepth": ("1", "2"), "-mindepth": ("1",),
    "-printf": ("%p\\n", "%l %s", "%f %Y %F", "%c\\c%p"), "-newermt": ("2024-01-01",),
                "-uid": ("0",),
    "-newerat": ("yesterday",), "-newerct": ("now",), "-newerBt": ("now",), "-lname": ("*out*",),
                 "-regex": (".*md",),
    "-fstype": ("ext4", "nfs"), "-gid": ("0",),
}

TRICKS = tuple(line for line in r"""
sed -n '1e sing' README.md
sed '1w x' README.md
sed -n 's/a/sing/e' README.md
awk 'BEGIN{system("sing")}'
awk '{print > "x"}' README.md
gawk -i inplace '{print}' README.md
tar cf x --checkpoint=1 --checkpoint-action=exec=sing .
tar xf x --to-command=sing
tar -I sing -cf x .
xargs -a list sing
xargs sing
tee x
env sing
env -S 'sing x'
env -i sing
nice sing
timeout 1 sing
nohup sing
setsid sing
stdbuf -o0 sing
time sing
exec sing
eval sing
command sing
builtin eval sing
source list
. list
./bin/sing
bin/sing
{top}/canary/sing
'{top}/canary/sing'
sh -c sing
bash -c sing
bash list
busybox sh -c sing
perl -e 'system("sing")'
python3 -c 'import os;os.system("sing")'
python3 sitecustomize.py
python3 -m pip --version
node -e 'require("child_process").execSync("sing")'
ruby -e 'exec "sing"'
php -r 'system("sing");'
lua -e 'os.execute("sing")'
vim -c ':!sing'
ed -s README.md
ex README.md
less README.md
more README.md
man -P sing ls
dd if=README.md of=x
cp README.md x
mv README.md x
ln -s README.md x
rm x
touch x
mkdir x
truncate -s 0 x
install README.md x
split README.md x
csplit README.md 1
shred x
patch -i x
unlink x
chmod 600 README.md
chown root README.md
mktemp x
mkfifo x
xxd README.md x
xxd -r data.txt x
gzip -k README.md
zip x README.md
zip -T -TT sing x README.md
rsync -e sing a b:c
ssh -o ProxyCommand=sing x
scp -S sing a b:c
curl http://127.0.0.1:{port}/
curl -o x http://127.0.0.1:{port}/
wget http://127.0.0.1:{port}/
nc 127.0.0.1 {port}
telnet 127.0.0.1 {port}
cat /dev/tcp/127.0.0.1/{port}
cat < /dev/tcp/127.0.0.1/{port}
echo x > /dev/tcp/127.0.0.1/{port}
git ls-remote http://127.0.0.1:{port}/x
git fetch http://127.0.0.1:{port}/x
git clone http://127.0.0.1:{port}/x y
git -c protocol.ext.allow=always ls-remote 'ext::sing'
git log http://127.0.0.1:{port}/x
git show ext::sing
git diff http://127.0.0.1:{port}/a http://127.0.0.1:{port}/b
git remote -v show origin
python3 -m http.server {port}
find . -exec sing {} \;
find . -name '*.md' -delete
find README.md -fprintf x %p
find . -newer README.md -exec sing {} +
find . \( -exec sing \; \)
find . -print , -exec sing \;
grep -f /etc/hostname x
grep --file=.env -v x
grep '' /etc/hostname
rg --pre sing x
rg --hostname-bin sing --hyperlink-format default x
rg -z x README.md
jq -n 'env'
jq -n '$ENV.PATH' package.json
jq -n input README.md
jq 'input' package.json
jq -L . 'import "jq/a" as a; a::a' package.json
jq '"\(env)"' package.json
jq '@text "\(env)"' package.json
jq '{"a":env}' package.json
jq '{env}' package.json
jq '{$__prog_args}' package.json
jq '. as [$a,{env:$b}] | $b' package.json
date -f .env
date -s @0
date 01010000
sort -o README.md data.txt
sort --compress-program=sing -S1 data.txt
sort data.txt -o x
sort -k1 data.txt -ox
sort --files0-from=list
sort data.txt -- -o x
uniq data.txt x
comm --output-delimiter=x data.txt data2.txt -o
diff --from-file=README.md data.txt
diff -r . ..
diff -r d src
diff -rq d d
diff d/fifo README.md
diff README.md d
file -m magic README.md
file -C -m magic
file -z README.md
file d/fifo
file d/zero
cat d/fifo
cat d/zero
head -c 10 d/zero
wc -c d/zero
grep -r TODO .
grep -r TODO d
grep -rD read TODO d
grep -D read TODO d
grep -d read TODO d
grep -d recurse TODO .
grep -r TODO d/out
grep -rl secret --include='*' .
grep -rn secret d/*
rg -uuu secret .
rg --hidden --no-ignore secret
rg -g '.env' secret
rg --iglob=.env secret
rg -uuu -g '*' secret d
rg secret -- .env
rg --files --hidden
find . -type f -print0
find d -ls
find -P . -lname '*'
find . -samefile README.md
find d/out -print
ls -laR .
ls -lR d
ls --color=always -l d
ls -F d
ls d/out
ls -lL d
stat -L d/leak
stat d/*
stat -f .
du -a d
tree d
tree -f .
tree -C d
readlink -f d/leak
realpath d/in
realpath --relative-to=. README.md
cat *
cat ./*
cat -- *
cat -*
head -*
wc -- -*
ls -*
ls -- -*
ls *
wc *.txt
cat bin/*
cat @*
grep TODO *
grep TODO -- *
grep TODO -r *
md5sum *
file *
file -- *.txt
stat -- *
du *
sort *
strings @list
strings -- @list
strings ./@list
od ./-o
cat ./-o ./--output=x
cat -- -o
cat -- --output=x
sort -- -o
sort -- data.txt -o
uniq -- -o
diff -- -o -r
git diff -- -o
git log -- -o
git log -- --output=x
git log -p -- README.md
git log --all -p
git show HEAD -- README.md
git diff HEAD --stat -- .
git diff README.md ../outside/secret.txt
git diff -- README.md ../outside/secret.txt
git diff new.txt README.md
git diff d/leak README.md
git diff d new.txt
git diff src docs
git diff -- d src
git diff d d/in
git grep secret
git grep --untracked secret
git grep --untracked secret -- d
git grep --no-exclude-standard --untracked secret
git grep -e secret --and -e TODO
git blame README.md
git ls-files -o -s
git ls-files -o d
git status --ignored
git cat-file -p HEAD:README.md
git cat-file blob HEAD:README.md
git show :README.md
git show stash@{0}
git stash show -p
git stash show -p --include-untracked
git check-attr -a README.md
git check-attr diff README.md .env
git check-ignore -v README.md
git symbolic-ref HEAD
git symbolic-ref --short HEAD
git log -S one -p
git log -G one --pickaxe-all -p
git log -L1,1:README.md
git log -L:one:README.md
git log --follow -p README.md
git log --format=%(describe)
git log --format='%(trailers:key=x)'
git log --notes=x
git log --mailmap
git shortlog -s HEAD
git shortlog
git rev-list --objects --all
git rev-list --count HEAD
git describe --all
git name-rev HEAD
git for-each-ref --format='%(contents)'
git for-each-ref --shell --format='%(refname)'
git branch -vv
git tag -n
git diff --check
git diff --word-diff-regex=.
git diff --anchored=x
git diff --merge-base main
git diff -I x
git diff --ours
git worktree list
git remote get-url origin
git count-objects -v
cat README.md | sh
cat README.md | tee x
cat README.md | xargs sing
echo sing | sh
echo sing | bash
ls | xargs rm
cat <(sing)
cat $(sing)
cat `sing`
cat "$(sing)"
cat "`sing`"
cat ${x:-$(sing)}
ls; sing
ls && sing
ls || sing
ls & sing
ls | sing
!sing
ls !!
ls {README.md,.env}
ls ~
ls ~root
x=1 ls
PATH=bin ls
LD_PRELOAD=x ls
GIT_EXTERNAL_DIFF=sing git diff
export PATH=bin
alias ls=sing
function ls { sing; }
ls > x
ls >> x
ls 2> x
ls >| x
ls &> x
ls 1<> x
ls >/dev/null > x
echo x >&2
if true; then sing; fi
while sing; do :; done
(sing)
{ sing; }
[[ -v 'a[$(sing)]' ]]
[ -v 'a[$(sing)]' ]
test -v 'a[$(sing)]'
printf -v 'a[$(sing)]' x
printf '%s\n' '$(sing)'
printf '%(%F)T'
read x
let 'a[$(sing)]'
declare x
mapfile -C sing
compgen -C sing
jobs -x sing
trap sing EXIT
hash -p sing ls
enable -f x y
echo '$(sing)' "a\$b" \`sing\`
cat 'README.md'
c\at README.md
"cat" README.md
cat README.md # sing
expr README : '.*'
expr 1 + 1
seq 1 3
seq -f %g 3
seq 3 -1 1
tr a-z A-Z
tr -d '\n'
fold -w 5 README.md
sleep 0.01
id -un
whoami
uname -a
nproc
arch
df -h
df .
df d/out
date +%F
date -d yesterday +%s
basename /etc/hostname
dirname ../outside/secret.txt
which ls sing
type ls sing
command -v sing ls
pwd -P
cd .
cd ..; cat outside/secret.txt
cd d/up && ls
npm --version
npm -v
node --version
python3 --version
python3 -V
pip --version
pip3 -V
git --version
git version --build-options
true && false || echo x
""".strip().splitlines())
