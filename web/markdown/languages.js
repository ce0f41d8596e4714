// What has a colour in which language. A rule is [kind, start], or [kind, start, inner, end] for
// what may go on over lines; kind "" is plain, "!" gives up on the rest of the block. Kinds: c
// comment, s string, k keyword, n number, t tag, type or section, a name of a value; add, del, at:
// lines of a diff.

const BLOCK = ["c", "\\/\\*", "[^*]|\\*(?!\\/)", "\\*\\/"];
const SLASHES = ["c", "\\/\\/.*"];
const HASH = ["c", "(?<![^\\s;&|(])#.*"];
const DOUBLE = ["s", '"(?:\\\\.|[^"\\\\])*"'];
const SINGLE = ["s", "'(?:\\\\.|[^'\\\\])*'"];
const CHAR = ["s", "'(?:\\\\.[^'\\\\]{0,8}|[^'\\\\])'"];
const NUMBER = ["n", "(?<![\\w$.])(?:0[xX][\\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|" +
  "\\d[\\d_]*(?:\\.\\d[\\d_]*)?(?:[eE][+-]?\\d+)?)[a-zA-Z%]{0,4}\\b"];
const triple = (mark, prefix) => ["s", `${prefix}${mark.repeat(3)}`,
  `\\\\(?:.|$)|${mark}(?!${mark}${mark})|[^${mark}\\\\]`, mark.repeat(3)];

const SCRIPT = "as async await break case catch class const continue debugger default delete " +
  "do else export extends false finally for from function get if import in instanceof let " +
  "new null of return set static super switch this throw true try typeof undefined var void " +
  "while with yield";
const TYPED = " abstract any boolean declare enum implements interface is keyof namespace " +
  "never number private protected public readonly satisfies string type unknown";
const C = "auto bool break case char const continue default do double else enum extern false " +
  "float for goto if inline int long NULL register return short signed sizeof static struct " +
  "switch true typedef union unsigned void volatile while";
const CPP = " alignas catch class co_await co_return co_yield concept consteval constexpr " +
  "constinit decltype delete explicit final friend mutable namespace new noexcept nullptr " +
  "operator override private protected public requires static_assert template this throw try " +
  "typename using virtual";

// A slash begins a pattern where no value can stand before it.
const PATTERN = ["s", "(?<=(?:^|[(=,:\\[!&|?{};]|\\breturn)\\s{0,8})\\/(?![*/])" +
  "(?:\\\\.|\\[(?:\\\\.|[^\\]\\\\])*\\]|[^\\\\/[])+\\/[dgimsuvy]*"];
const TEMPLATE = ["s", "`", "\\\\(?:.|$)|\\$\\{[^`{}]*\\}|\\$(?!\\{)|[^\\\\$`]", "`"];
const script = (words) => ({
  rules: [SLASHES, BLOCK, PATTERN, TEMPLATE, DOUBLE, SINGLE, ["t", "@[A-Za-z_]\\w*"], NUMBER],
  words: { k: words },
});

export const LANGUAGES = {
  python: {
    rules: [HASH, triple('"', "[rRbBfFuU]{0,2}"), triple("'", "[rRbBfFuU]{0,2}"),
      ["s", `[rRbBfFuU]{0,2}(?:${DOUBLE[1]}|${SINGLE[1]})`], ["t", "(?<=^\\s*)@[\\w.]+"], NUMBER],
    words: { k: "False None True and as assert async await break class continue def del elif " +
      "else except finally for from global if import in is lambda nonlocal not or pass raise " +
      "return try while with yield" },
  },
  js: script(SCRIPT),
  ts: script(SCRIPT + TYPED),
  json: {
    rules: [SLASHES, BLOCK, ["a", '"(?:\\\\.|[^"\\\\])*"(?=\\s*:)'], DOUBLE,
      ["n", "-?\\b\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\b"]],
    words: { k: "true false null" },
  },
  shell: {
    // Text behind << and strings over several lines look like anything.
    rules: [["!", "<<"], HASH, ["s", "\\$?'[^']*'"], DOUBLE, ["!", "['\"`]"],
      ["a", "\\$(?:[A-Za-z_]\\w*|\\{[^{}]*\\}|[0-9@#?*!$-])"], ["", "\\\\."],
      ["", "-{1,2}[A-Za-z][\\w-]*"]],
    words: { k: "if then else elif fi for while until do done case esac in function select " +
      "return exit export local readonly unset" },
  },
  diff: {
    rules: [["at", "^(?:diff |index |--- |\\+\\+\\+ |@@|Only in |new file|deleted file|rename).*"],
      ["add", "^\\+.*"], ["del", "^-.*"], ["", "^.+"]],
  },
  html: {
    rules: [["c", "<!--", "[^-]|-(?!->)", "-->"],
      ["", "<(?:script|style)\\b[^>]*>", "[^<]|<(?!\\/(?:script|style))", "<\\/(?:script|style)>"],
      ["t", "<[!/]?[A-Za-z][\\w:-]*|\\/?>"], ["s", "(?<==)(?:\"[^\"]*\"|'[^']*')"],
      ["a", "(?<=\\s)[\\w:@.-]+(?==)"],
      ["k", "&#?\\w{1,31};"]],
  },
  css: {
    rules: [BLOCK, DOUBLE, SINGLE, ["k", "@[\\w-]+"],
      ["a", "(?<=(?:^|[{;])\\s{0,32})-{0,2}[A-Za-z][\\w-]*(?=:\\s)"],
      ["n", "(?<![\\w-])[+-]?\\d*\\.?\\d+(?:[a-z]{1,4}|%)?\\b|#[\\da-fA-F]{3,8}\\b(?=[^{]*;)"],
      ["", "[\\w-]+"]],
  },
  markdown: {
    rules: [["k", "^#{1,6}\\s.*"], ["s", "^\\s{0,3}(?:```|~~~).*|`[^`]+`"], ["c", "^\\s{0,3}>.*"],
      ["t", "^\\s*(?:[-*+]|\\d{1,9}[.)])(?=\\s)"], ["", "\\w+"]],
  },
  c: { rules: [SLASHES, BLOCK, ["t", "^\\s*#\\s*[a-z]+"], DOUBLE, CHAR, NUMBER], words: { k: C } },
  cpp: {
    rules: [["!", "\\b(?:u8|[uUL])?R\""], SLASHES, BLOCK, ["t", "^\\s*#\\s*[a-z]+"],
      DOUBLE, CHAR, NUMBER],
    words: { k: C + CPP },
  },
  rust: {
    rules: [SLASHES, ["!", "\\/\\*(?:[^*]|\\*(?!\\/))*\\/\\*"], BLOCK, ["!", '\\b[bc]?r##+"'],
      ["s", '\\b[bc]?r#"', '[^"]|"(?!#)', '"#'], ["s", '\\b[bc]?r"', '[^"]', '"'],
      ["s", '"', '\\\\(?:.|$)|[^"\\\\]', '"'], CHAR,
      ["t", "'[A-Za-z_]\\w*|#!?\\[[^\\]]*\\]"], NUMBER],
    words: { k: "as async await break const continue crate dyn else enum extern false fn for " +
      "if impl in let loop match mod move mut pub ref return self Self static struct super " +
      "trait true type union unsafe use where while" },
  },
  go: {
    rules: [SLASHES, BLOCK, ["s", "`", "[^`]", "`"], DOUBLE, CHAR, NUMBER],
    words: { k: "break case chan const continue default defer else fallthrough false for " +
      "func go goto if import interface iota map nil package range return select struct " +
      "switch true type var",
    t: "any bool byte error float32 float64 int int8 int16 int32 int64 rune string uint " +
      "uint8 uint16 uint32 uint64 uintptr" },
  },
  java: {
    rules: [SLASHES, BLOCK, triple('"', ""), DOUBLE, CHAR, ["t", "@[A-Za-z_]\\w*"], NUMBER],
    words: { k: "abstract assert boolean break byte case catch char class const continue " +
      "default do double else enum extends false final finally float for if implements " +
      "import instanceof int interface long native new null package permits private " +
      "protected public record return sealed short static strictfp super switch synchronized " +
      "this throw throws transient true try var void volatile while yield" },
  },
  sql: {
    rules: [["c", "--.*"], BLOCK, ["s", "'", "[^']|''", "'(?!')"], ["", '"[^"]*"|`[^`]*`'], NUMBER],
    words: { k: "add all alter and as asc begin between by case cast check column commit " +
      "constraint create cross default delete desc distinct drop else end except exists " +
      "explain false foreign from full grant group having if in index inner insert intersect " +
      "into is join key left like limit not null offset on or order outer over partition " +
      "primary references returning revoke right rollback select set table then transaction " +
      "true truncate union unique update using values view when where with" },
    fold: true,
  },
  yaml: {
    // What stands below | or > is anything.
    rules: [["!", "[:-]\\s+[|>][+-]?\\d?\\s*$"], HASH,
      ["a", "(?<=^\\s*(?:- )*)[\\w./-]+(?=:(?:\\s|$))"],
      ["s", "(?<=[\\s[{,])(?:\"(?:\\\\.|[^\"\\\\])*\"|'(?:''|[^'])*')(?=\\s*(?:$|[#,\\]}:]))"],
      ["n", "(?<=[:-]\\s+)(?:true|false|null|~|-?\\d+(?:\\.\\d+)?)(?=\\s*(?:$|\\s#))"],
      ["t", "^(?:---|\\.\\.\\.)$|(?<=\\s)[&*][\\w-]+"], ["", "[^\\s,\\[\\]{}]+"]],
  },
  toml: {
    rules: [["c", "#.*"], ["t", "^\\s*\\[{1,2}[^\\[\\]]+\\]{1,2}"],
      ["a", "(?<=^\\s*)[\\w.\"-]+(?=\\s*=)"],
      triple('"', ""), ["s", "'''", "'(?!'')|[^']", "'''"], DOUBLE, ["s", "'[^']*'"],
      ["n", "\\d{4}-\\d\\d-\\d\\d(?:[T ]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:\\d\\d)?)?"],
      NUMBER],
    words: { k: "true false inf nan" },
  },
};

/** Other names of them. */
export const ALIASES = new Map(("py=python python3=python pyi=python javascript=js jsx=js " +
  "mjs=js cjs=js node=js typescript=ts tsx=ts jsonc=json json5=json jsonl=json sh=shell " +
  "bash=shell zsh=shell patch=diff htm=html xml=html svg=html vue=html md=markdown h=c " +
  "c++=cpp cc=cpp cxx=cpp hpp=cpp rs=rust golang=go postgresql=sql mysql=sql sqlite=sql " +
  "yml=yaml").split(" ").map((pair) => pair.split("=")));
