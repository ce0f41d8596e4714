"""Secrets that are known by their shape: tokens of services, private keys, headers, addresses.

Not covered: secrets without a shape of their own (`named.py`).
"""

from __future__ import annotations

import re

from clinkai.core.value import Value
from clinkai.harness.export import named
from clinkai.harness.export.named import PUT, looks_random


class Rule(Value):
    """pattern: what is looked for; put: what takes its place, or a function of the match. begins:
    how every match begins; or, where that is empty, hints: one of them is in every text that the
    pattern is in, in small letters. Both only save time: long texts are common."""

    pattern: re.Pattern
    put: object = PUT
    begins: tuple = ()
    hints: tuple = ("",)

    def apply(self, text: str, low: str) -> str:
        """`text` after the rule; low: the same in small letters, or something like it."""
        if not self.begins:
            found = any([hint in low for hint in self.hints])
            return self.pattern.sub(self.put, text) if found else text
        pieces, done = [], 0
        for start in sorted({at for begin in self.begins for at in _places(text, begin)}):
            match = self.pattern.match(text, start) if start >= done else None
            if match:
                put = self.put if isinstance(self.put, str) else self.put(match)
                pieces += [text[done:start], put]
                done = match.end()
        return "".join([*pieces, text[done:]]) if pieces else text


def _places(text: str, part: str) -> list[int]:
    """Where `part` begins in `text`."""
    places, at = [], text.find(part)
    while at >= 0:
        places.append(at)
        at = text.find(part, at + len(part))
    return places


def _random(match: re.Match) -> str:
    """A known beginning is a key only where what follows is nothing one would write."""
    mixed = len(named.MIXED.findall(re.sub(r"[^A-Za-z0-9]", "", match[0]))) >= 5
    return PUT if mixed or looks_random(match[0]) else match[0]


def _password(match: re.Match) -> str:
    if named.is_stand_in(match["password"]):
        return match[0]
    return f"{match['head']}{PUT}@"


def _user(match: re.Match) -> str:
    return f"{match['head']}{PUT}@" if looks_random(match["user"]) else match[0]


EDGE, STRICT = r"(?<![A-Za-z0-9_.-])", r"(?<![A-Za-z0-9_/+.-])"
"""Before a token: no letter of it. Base64, as of an embedded picture, has none of the marks `_-.`
that the others have."""
BEGINNINGS = (
    "sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_", "whsec_",
    "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glcbt-",
    "glptt-", "glft-", "glsoat-", "glagent-", "gloas-", "xoxa-", "xoxb-", "xoxc-", "xoxd-",
    "xoxe-", "xoxe.xoxp-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "ya29.", "GOCSPX-",
    "1//0", "hf_", "npm_", "pypi-", "dckr_pat_", "dckr_oat_", "dop_v1_", "doo_v1_", "dor_v1_",
    "shpat_", "shpca_", "shppa_", "shpss_", "sq0atp-", "sq0csp-", "SG.", "key-", "lin_api_",
    "secret_", "ntn_", "gsk_", "xai-", "pplx-", "r8_", "fw_", "nvapi-", "hvs.", "hvb.", "hvr.",
    "glsa_", "glc_", "sntrys_", "sntryu_", "NRAK-", "pul-", "dp.pt.", "dp.st.", "dp.ct.",
    "pscale_tkn_", "pscale_pw_", "sbp_", "sb_secret_", "figd_", "PMAK-", "rubygems_", "tskey-",
    "CFPAT-", "sl.", "aio_", "fm2_", "fo1_", "HRKU-", "nfp_", "lsv2_pt_", "lsv2_sk_", "tvly-",
    "fc-", "jina_", "pa-", "ops_", "sk_", "shippo_live_", "rnd_", "phc_", "phx_", "tfp_",
    "lip_", "v2.local.", "v4.local.",
)
"""How the keys and tokens of known services begin; sources: their documentation, and the public
rule sets of gitleaks and of GitHub's secret scanning."""

PEM_BODY = r"(?:(?:[\s>|+:\d\"',]|\\[nrt])*[A-Za-z0-9+/=]{16,76}(?![A-Za-z0-9+/=]))+"

IDS = ("AKIA", "ASIA", "AGPA", "AIDA", "AROA", "AIPA", "ANPA", "ANVA", "ABIA", "ACCA")
"""How the access keys of AWS begin (IAM User Guide, unique identifiers)."""


def _after_head(match: re.Match) -> str:
    return match[0] if named.is_stand_in(match["value"]) else match["head"] + PUT


def _bearer(match: re.Match) -> str:
    """The value of a header that says who one is; of a bare `Bearer x` only what is no word."""
    value, kept = match["value"], match[0][: match.start("value") - match.start()]
    random = looks_random(value)
    if named.is_stand_in(value) or (named.CODE.match(value) and not random):
        return match[0]
    if "cookie" in (match["name"] or "").lower():
        name, equals, cookie = value.partition("=")
        return f"{kept}{name}={PUT}" if equals and looks_random(cookie) else match[0]
    return kept + PUT if random or match["name"] and match["scheme"] else match[0]


SECRETS = (
    Rule(re.compile(
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----BEGIN )[\s\S]){0,20000}?"
        rf"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|[\s\S]{{0,120}}?{PEM_BODY})"),
        begins=("-----BEGIN ",)),
    Rule(re.compile(rf"(?P<head>Private-Lines: \d+){PEM_BODY}"),
         lambda match: match["head"] + PUT, ("Private-Lines: ",)),
    Rule(re.compile(
        r"(?P<head>://[^\s/:@\"'<>?#]{0,256}:)"
        r"(?P<password>[^\s/\"'<>]{1,512}|\$\{[^}\s]{1,60}\}|<[^>\s]{1,60}>)@"),
        _password, ("://",)),
    Rule(re.compile(r"(?P<head>://)(?P<user>[^\s/:@\"'<>?#]{16,512})@"), _user, ("://",)),
    Rule(re.compile(
        r"(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[\w/-]{20,}"
        r"|(?<=/api/webhooks/)\d{16,20}/[\w-]{40,}|(?<=\.webhook\.office\.com/)[\w@/-]{40,}"),
        hints=("hooks.", "webhook")),
    Rule(re.compile(
        rf"{EDGE}(?:{'|'.join(map(re.escape, BEGINNINGS))})[A-Za-z0-9_./+=~-]{{12,}}"),
        _random, BEGINNINGS),
    Rule(re.compile(rf"{STRICT}(?:dapi|ATATT3|ATCTT3|ATBB)[\w=-]{{20,}}(?![/+])"), _random,
         ("dapi", "ATATT3", "ATCTT3", "ATBB")),
    Rule(re.compile(rf"{EDGE}AIza[\w-]{{30,}}"), begins=("AIza",)),
    Rule(re.compile(rf"(?<![A-Za-z0-9/+])(?:{'|'.join(IDS)})[A-Z0-9]{{16}}(?![A-Za-z0-9/+=])"),
         begins=IDS),
    Rule(re.compile(
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){1,3}"),
        begins=("eyJ",)),
    Rule(re.compile(r"AGE-SECRET-KEY-1[A-Za-z0-9]{20,}"), begins=("AGE-SECRET-KEY-1",)),
    Rule(re.compile(rf"{EDGE}[A-Za-z0-9]{{10,}}\.atlasv1\.[\w-]{{20,}}"), hints=("atlasv1",)),
    Rule(re.compile(r"(?:(?<![\w:.-])|(?<=/bot))\d{8,10}:AA[A-Za-z0-9_-]{30,36}(?![\w-])"), _random,
         hints=(":aa",)),
    Rule(re.compile(r"(?<![0-9a-z])[0-9a-f]{32}-us\d{1,2}(?![\w-])"), hints=("-us",)),
    Rule(re.compile(r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])"), begins=("SK",)),
    Rule(re.compile(
        rf"{EDGE}[MNO][A-Za-z0-9_-]{{22,27}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}"
        r"(?![\w.-])"), _random, hints=(".",)),
    Rule(re.compile(rf"{EDGE}pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}"), begins=("pat",)),
    Rule(re.compile(
        r"(?i)(?<![\w-])(?:(?P<name>(?:proxy-)?authorization|(?:set-)?cookie)[\"']?[ \t]*[:=][ \t]*"
        r"[\"']?(?P<scheme>(?:bearer|basic|token|digest|apikey|bot|ssws|negotiate)[ \t]+)?"
        r"|(?:bearer|ssws)[ \t]+)(?P<value>[^\s\"'`<>,;\\)]{6,8192})"), _bearer,
        hints=("authorization", "bearer", "cookie", "ssws")),
    Rule(re.compile(
        r"(?P<head>(?<=[ \t])(?:-u|--user|--proxy-user)[ \t=]*[\"']?[^\s:\"'/]{1,64}:"
        r"|sshpass[ \t]+-p[ \t]*[\"']?)(?P<value>[^\s\"'/:]{4,256})(?=[\s\"']|$)"), _after_head,
        ("-u", "--user", "--proxy-user", "sshpass")),
)
