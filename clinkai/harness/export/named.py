"""Secrets that are known by the name beside them: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`.

What stands there must look like a secret: the weaker the name, the stronger the value. Not covered:
a secret in a sentence without its name.
"""

from __future__ import annotations

import re

PUT = "[redacted]"
"""What stands in place of a secret."""

PASSWORDS = (r"passw(?:or)?[dt]|kennwort|(?<![A-Za-z])pass(?=[\s\"':=_\\])|passwd|pwd|passphrase|"
             r"passcode|pgpass|密码|口令")
KEYS = (
    r"(?:api|access|secret|private|auth|encryption|signing|signature|master|account|storage|shared|"
    r"session|service|subscription|licen[sc]e|deploy|write|admin|server|client|webhook|app|"
    r"application|hmac|aes|jwt|cookie|crypt|vault|integration|routing|root|host)[ _.-]?key"
)
OTHERS = r"(?<=[?&])key|secret|token|credential|jwt|auth|bearer|sig|session[_-]?id|sessid|密钥|令牌"
SUFFIX = (r"(?:[_.-]?(?:\d{1,3}|base64|b64|hex|value|raw|prod|production|dev|test|staging|live|old|"
          r"new|backup|id)|s)?")
NAME = rf"(?:(?P<password>{PASSWORDS})|{KEYS}|{OTHERS}){SUFFIX}"
BETWEEN = (
    r"(?P<end>\\{0,3}[\"'`\])]{0,2})"
    r"(?P<sep>[ \t]{0,3}:[ \t]{0,3}[A-Za-z_][\w\[\]|. ]{0,30}=[ \t]{0,3}"
    r"|[ \t]{0,20}(?:=>|:=|===?|=|::?|->|→|：|＝|\|)[ \t]{0,20}|[ \t](?:is|was)[ \t]|是|为"
    r"|(?<=\w)[ \t]{1,20}|>)"
)
VALUE = (
    r"(?:[bBrRuU]?(?P<quote>\\{0,3}[\"'`])(?P<quoted>(?:(?!(?P=quote))[^\n]){4,4096})(?P=quote)"
    r"|(?P<bare>[^\s\"'`,;&<>\[\](){}|\\][^\s\"'`,;&<>()|\\]{3,4095}))"
)
NAMED = re.compile(f"(?i:{NAME}){BETWEEN}{VALUE}")
HINT = re.compile(
    r"(?i:pass(?:w(?:or)?[dt]|phrase|code)?|kennwort|pwd|key|secret|token|credential|jwt|auth|"
    rf"bearer|sig|session[_-]?id|sessid|密码|口令|密钥|令牌){SUFFIX}{BETWEEN}")
"""How every name ends, and that something may follow it."""

REACH = 16
"""A name begins at most so many characters before its last word."""

ENV_LINE = re.compile(
    r"(?m)^(?P<head>[ \t]*(?:\d+[ \t:|]+)?(?:[+-][ \t]?)?(?:(?:export|set|setx|ENV|ARG)[ \t]+"
    r"|\$env:|-[ \t]+|-e[ \t]+)?(?P<name>[A-Z][A-Z0-9_]{2,63})(?:=|[ \t]=[ \t]))"
    r"(?P<value>[^\s#][^\n]{3,4096}?)(?P<tail>[ \t]*(?:[ \t]#[^\n]*)?)$"
)
ENV_NAME = re.compile(r"(?:^|_)(?:PASS|PASSWORD|PASSWD|PWD|PASSPHRASE|SECRET|TOKEN|KEY|APIKEY|"
                      r"CREDENTIALS?|AUTH|DSN|SALT|PEPPER)(?:_(?:BASE64|B64|HEX|PROD|DEV|TEST|OLD|"
                      r"NEW|\d+))?$|(?:PASSWORD|SECRET|TOKEN|APIKEY)\d*$")
OPEN_NAME = re.compile(r"(?:PUBLIC|PRIMARY|FOREIGN|SORT|PARTITION|CACHE|INDEX|HOT|MAP|ROW|HASH|"
                       r"RANGE|ORDER|GROUP|"
                       r"PUBLISHABLE|SITE|KNOWN|PAD|EOS|BOS|UNK|MASK|SEP|CLS|STOP|NEXT|"
                       r"PAGE|OLD|LC|XKB|REGISTRY|ISSUE)_?(?:KEY|TOKEN)(?:_\w+)?$|^(?:OLD)?PWD$")
OPEN_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])|(?=[A-Z]))(?i:public|primary|foreign|sort|partition|cache|index|hot|page|"
    r"cursor|next|pad|eos|bos|unk|mask|sep|cls|stop|end|start|cancellation|continuation|sync|max|"
    r"min|total|num|n|of|per|prompt|completion|input|output|no|new[ _-]?line)[ _.-]?$")
"""Words before `key` and `token` that make them something else."""

STAND_IN = re.compile(
    r"(?i)\$(?:\{|\(|[a-z_:][\w:]*$|\d$)|<[^>]*>?$|\{.*\}$|%[\w(]|\*{3}|x{4}|\.{3}|…|\[|#\{|@\{|"
    r"(?:(?:your|my|the|some|an?|insert|enter|put|add|change|replace|use|set|see|from|example|"
    r"sample|dummy|fake|placeholder)(?:[-_ ].*|me\b.*|this\b.*)?)$|"
    r"(?:none|null|nil|true|false|undefined|str|string|text|bytes|int|integer|bool|boolean|number|"
    r"object|any|optional|required|hidden|redacted|masked|secret|password|passwd|token|bearer|"
    r"basic|digest|todo|tbd|empty|unset|disabled|enabled|default|value|invalid|missing|identifier|"
    r"keyword|punctuation|operator|literal|unknown|inherit|write|read|auto|always|never|test)$|"
    r"(?:os|process|env|self|this|config|settings|args|options|import|secrets|vars|request|req|app|"
    r"github|inputs|params|cfg|conf|opts|data|user|props|state|ctx|context)\.|"
    r"(?:op|vault|file|https?|ssm|aws|gcp|arn|env|secret|ref):|[~.]{0,2}/[\w.-]+/|projects/")
WORDS_ONLY = re.compile(r"[^\W\d_]+(?:[._:/-][^\W\d_]+)*[.:;!?]?$")
MIXED = re.compile(r"(?=[a-z][A-Z]|[A-Z]{2}[a-z])")
"""Where small and capital letters meet as in no word."""

CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[A-Za-z_][\w.]*[(\[].*")


def hide(text: str) -> str:
    """`text` with the values of secret-like names taken out."""
    text = ENV_LINE.sub(_line, text)
    pieces, done = [], 0
    for hint in HINT.finditer(text):  # the long pattern is tried where it can match only
        if hint.start() < done:
            continue
        for start in range(max(done, hint.start() - REACH), hint.start() + 1):
            match = NAMED.match(text, start)
            if match:
                hidden = _pair(match)
                if hidden != match[0]:  # else there may be a pair in the value
                    pieces += [text[done:start], hidden]
                    done = match.end()
                break
    return "".join([*pieces, text[done:]])


def is_secret(name: str, value: str) -> bool:
    """True where `value`, a text on its own, is the secret that its name says."""
    text = f"{name[-80:]}={value}" if len(value) <= 4096 and value.isprintable() else ""
    found = NAMED.search(text)
    return bool(found) and found.end() == len(text) and _is_pair(found, text[: found.start()], True)


def looks_random(text: str) -> bool:
    """True for what nobody would have chosen as a word: letters and digits mixed in a run of eight
    or more, or small and capital letters mixed again and again."""
    for run in re.findall(r"[A-Za-z0-9]{8,}", text):
        if re.search(r"\d", run) and re.search(r"[A-Za-z]", run):
            return True
        if len(run) >= 16 and len(MIXED.findall(run)) >= 4:
            return True
    joined = re.sub(r"[^A-Za-z0-9]", "", text)
    return (len(joined) >= 20 and bool(re.search(r"\d", joined))
            and len(MIXED.findall(joined)) >= 3)


def is_stand_in(value: str) -> bool:
    """True for what only marks the place of a secret: `$TOKEN`, `<key>`, `your-key`, `None`."""
    return bool(STAND_IN.match(value)) or value == PUT or len(set(value)) < 3


def _line(match: re.Match) -> str:
    """A line of an env file."""
    name, value = match["name"], match["value"].strip()
    quote = value[0] if value[0] in "\"'" and value[-1] == value[0] and len(value) > 1 else ""
    inner = value[1:-1] if quote else value
    if quote and quote in inner or re.search(r"\s", inner) and "PASS" not in name:
        return match[0]  # code, or words
    if not ENV_NAME.search(name) or OPEN_NAME.search(name) or is_stand_in(inner) or len(inner) < 4:
        return match[0]
    if not quote and (CODE.match(inner) or inner.split()[0] != inner):
        return match[0]
    strong = re.search(r"PASS|PWD|SECRET", name)
    mixed = re.search(r"[A-Za-z].*\d|\d.*[A-Za-z]", inner)
    if not strong and not mixed and not looks_random(inner):
        return match[0]
    if "://" in inner:
        return match[0]  # what is secret in an address is found there
    return f"{match['head']}{quote}{PUT}{quote}{match['tail']}"


def _pair(match: re.Match) -> str:
    """A name and its value."""
    text = match.string
    before = text[max(0, match.start() - 48): match.start()]
    value = match["quoted"] or match["bare"]
    if not _is_pair(match, before, bool(match["quoted"])):
        return match[0]
    start = match.start("quoted" if match["quoted"] else "bare") - match.start()
    if not match["quoted"]:
        value = value.rstrip(".,:;!?") if match["sep"].strip() in ("is", "was", "是", "为") else value
    return match[0][:start] + PUT + match[0][start + len(value):]


def _is_pair(match: re.Match, before: str, quoted: bool) -> bool:
    """Whether the value of a name is a secret. before: what stands before the name."""
    value = match["quoted"] or match["bare"]
    separator = match["sep"].strip()
    sure = re.search(r"(?:^|[\s\"'=])--?[\w-]*$|\blogin\s+\S+\s+$", before)
    if not separator and not sure:
        return False
    if separator == ">" and not (re.search(r"<[\w:.-]*$", before)
                                 and match.string.startswith("</", match.end())):
        return False
    if separator == "::" or (before and OPEN_BEFORE.search(before)) or is_stand_in(value):
        return False
    if re.search(r"\s", value) or (not quoted and CODE.match(value)):
        return False
    if match["password"]:
        return _is_password(value, separator, quoted or bool(sure) or separator == ">")
    if re.fullmatch(r"[\d.,:%-]+", value):
        return False
    return looks_random(value)


def _is_password(value: str, separator: str, sure: bool) -> bool:
    """People choose weak ones, so that nearly anything is one; not the words of a form."""
    if value.isdecimal() and not sure and separator == ":":
        return False  # so many tests passed
    if len(value) < 6 or re.search(r"(?i)passw|pwd", value):
        return len(value) >= 6 and bool(re.search(r"\d.*[^\w]|[^\w].*\d", value))
    if WORDS_ONLY.match(value):
        least = 1 if separator in ("is", "was") else 3
        return sure and len(value) >= 8 and separator != "|" or len(MIXED.findall(value)) >= least
    return bool(re.search(r"[\d\W]", value))
