"""A session as one HTML file: no script, nothing loaded from anywhere, everything escaped.

The page forbids itself whatever it does not need, so that not even a mistake here could run or load
something. Characters that cannot be seen or turn the direction are shown as `<U+202E>`.
Not covered: Markdown inside messages, beyond fenced code.
"""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape

from clinkai.core.text import size
from clinkai.core.visible import clean
from clinkai.harness.export.steps import Call, Step, Trail, facts, outcome, parts

POLICY = ("default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
          "form-action 'none'")

STYLE = """\
:root{color-scheme:light dark;--bg:#fff;--surface:#f6f7f9;--line:#d5d9e0;--text:#1b1f27;
--muted:#566072;--bubble:#e9edff;--code:#f4f5f8;--accent:#3450d8;--ok:#17774a;--warn:#8a5a00;
--error:#b3261e;--add:#e4f5ec;--del:#fde9e7}
@media(prefers-color-scheme:dark){:root{--bg:#0f1115;--surface:#161920;--line:#2b303b;
--text:#e4e7ec;--muted:#9aa3b2;--bubble:#1f2638;--code:#12151b;--accent:#7d97ff;--ok:#5fc992;
--warn:#e3b35a;--error:#f2857e;--add:#12271d;--del:#2c1719}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:15px/1.65 system-ui,"PingFang SC",
"Microsoft YaHei","Noto Sans CJK SC",sans-serif;overflow-wrap:anywhere}
:lang(zh) body,body:lang(zh){line-height:1.75}
main{max-width:760px;margin:0 auto;padding:32px 16px 48px}
h1{font-size:22px;line-height:1.4;margin:0 0 12px}
h2{font-size:12px;font-weight:600;color:var(--muted);margin:0 0 4px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 12px;margin:0 0 12px;font-size:12px}
dt,.meta{color:var(--muted);font-size:12px}dd{margin:0}
section{margin:24px 0}
.said{white-space:pre-wrap;unicode-bidi:plaintext}
.user .body{background:var(--bubble);border-radius:10px;padding:8px 12px}
.stop .body{color:var(--error)}
pre,code{font:13px/1.5 ui-monospace,"Cascadia Mono",Consolas,"Noto Sans Mono CJK SC",monospace}
pre{background:var(--code);border:1px solid var(--line);border-radius:6px;padding:8px 12px;
margin:8px 0;white-space:pre-wrap;overflow:auto;unicode-bidi:plaintext}
details{margin:4px 0;color:var(--muted)}details>*{color:var(--text)}
summary{cursor:pointer;color:var(--muted);font-size:13px}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
summary b{color:var(--text)}
.ok{color:var(--ok)}.failed{color:var(--error)}.denied{color:var(--warn)}
pre span{display:block}
.add{background:var(--add)}.del{background:var(--del)}
img{max-width:100%;border-radius:6px}footer{border-top:1px solid var(--line);padding-top:12px}
"""

FENCED = re.compile(r"(?ms)^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)")


def render(trail: Trail, say, picture=None) -> str:
    """The whole page. picture(sha): the bytes of an image, or None; without it images are named."""
    title = _text(" ".join(trail.title.split()) or trail.id)
    rows = "".join(f"<dt>{_text(label)}</dt><dd>{_text(value)}</dd>"
                   for label, value in facts(trail, say))
    body = [f"<h1>{title}</h1>", f"<dl>{rows}</dl>"]
    if trail.begin("system"):
        body.append(_folded(_text(say("export.system")), _pre(trail.begin("system"))))
    body += [_step(step, say, picture) for step in trail.steps]
    note = _text(say("export.redacted" if trail.redacted else "export.whole"))
    return (
        f'<!DOCTYPE html>\n<html lang="{say.lang}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(body) + f'\n<footer class="meta">{note}</footer>\n</main>\n</body>\n</html>\n'
    )


def _step(step: Step, say, picture) -> str:
    head = _text(say(f"export.step.{step.kind}"))
    if step.kind == "cut":
        return f'<section class="cut">{_folded(head, _pre(step.text))}</section>'
    inner = []
    if step.reasoning:
        inner.append(_folded(_text(say("export.thinking")), _pre(step.reasoning)))
    if step.text:
        inner.append(f'<div class="body">{_said(step.text)}</div>')
    inner += [_image(image, say, picture) for image in step.images]
    inner += [_call(call, say) for call in step.calls]
    return f'<section class="{step.kind}"><h2>{head}</h2>{"".join(inner)}</section>'


def _call(call: Call, say) -> str:
    result = call.result
    kind = "failed" if result is None or not result.ok else "ok"
    if result is not None and result.decision == "deny":
        kind = "denied"
    named = parts(call)
    first = " ".join(named[0][1].split())[:120] if named else ""
    head = (f"<b>{_text(call.name)}</b> <code>{_text(first)}</code> "
            f'<span class="{kind}">{_text(outcome(result, say))}</span>')
    inner = [f'<div class="meta">{_text(name)}</div>{_pre(value)}' for name, value in named]
    if result is not None:
        inner.append(f'<div class="meta">{_text(say("export.result"))}</div>{_pre(result.content)}')
        if result.diff:
            inner.append(_diff(result.diff))
    return _folded(head, "".join(inner))


def _diff(diff: str) -> str:
    lines = []
    for line in clean(diff).split("\n"):
        kind = {"+": "add", "-": "del"}.get(line[:1], "same")
        lines.append(f'<span class="{kind}">{escape(line) or " "}</span>')
    return f"<pre>{''.join(lines)}</pre>"


def _image(image, say, picture) -> str:
    words = _text(say("export.image", mime=image.mime, size=size(image.size)))
    data = picture(image) if picture else None
    if data is None:
        return f'<p class="meta">{words}</p>'
    source = f"data:{escape(image.mime)};base64,{b64encode(data).decode()}"
    return f'<p><img alt="{words}" src="{source}"></p>'


def _said(text: str) -> str:
    """A message: fenced code apart, the rest as it was typed."""
    text = clean(text)
    pieces, at = [], 0
    for block in FENCED.finditer(text):
        pieces += [_plain(text[at: block.start()]), f"<pre>{escape(block[2].rstrip())}</pre>"]
        at = block.end()
    return "".join([*pieces, _plain(text[at:])])


def _plain(text: str) -> str:
    text = text.strip("\n")
    return f'<div class="said">{escape(text)}</div>' if text else ""


def _pre(text: str) -> str:
    return f"<pre>{_text(text)}</pre>"


def _folded(head: str, inner: str) -> str:
    return f"<details><summary>{head}</summary>{inner}</details>"


def _text(text: str) -> str:
    return escape(clean(text))
