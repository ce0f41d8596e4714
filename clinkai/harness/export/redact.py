"""What is nobody's business, taken out of a session before it is shown to others.

Keys and tokens of known shapes, private keys, passwords in addresses, values of secret-like names
(`named.py`), e-mail addresses, home folders. Every text of every record goes through `Redactor`.
Kept: hashes, UUIDs, sums and signatures of packages, embedded images, `user@host` without a domain,
the user and host of ssh and scp (`git@github.com:x/y`): they are needed to follow what was done.
Not covered: names of people, secrets without name or known shape, pictures.
"""

from __future__ import annotations

import json
import re

from clinkai.core.value import Value
from clinkai.harness.export import named
from clinkai.harness.export.named import PUT, looks_random

EMAIL = "[e-mail]"


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
    "sk-", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "pk_live_", "pk_test_", "whsec_", "ghp_",
    "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-",
    "glft-", "glsoat-", "glagent-", "gloas-", "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.xoxp-",
    "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "ya29.", "GOCSPX-", "1//0", "hf_", "npm_", "pypi-",
    "dckr_pat_", "dckr_oat_", "dop_v1_", "doo_v1_", "dor_v1_", "shpat_", "shpca_", "shppa_", "shpss_",
    "sq0atp-", "sq0csp-", "SG.", "key-", "lin_api_", "secret_", "ntn_", "gsk_", "xai-", "pplx-",
    "r8_", "fw_", "nvapi-", "hvs.", "hvb.", "hvr.", "glsa_", "glc_", "sntrys_", "sntryu_", "NRAK-",
    "pul-", "dp.pt.", "dp.st.", "dp.ct.", "pscale_tkn_", "pscale_pw_", "sbp_", "sb_secret_", "figd_",
    "PMAK-", "rubygems_", "tskey-", "CFPAT-", "sl.", "aio_", "fm2_", "fo1_",
    "HRKU-", "nfp_", "lsv2_pt_", "lsv2_sk_", "tvly-", "fc-", "jina_", "pa-", "ops_", "sk_",
    "shippo_live_", "rnd_", "phc_", "phx_", "tfp_", "lip_", "v2.local.", "v4.local.",
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
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----BEGIN )[\s\S]){0,20000}?"
        rf"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|[\s\S]{{0,120}}?{PEM_BODY})"),
        begins=("-----BEGIN ",)),
    Rule(re.compile(rf"(?P<head>Private-Lines: \d+){PEM_BODY}"),
         lambda match: match["head"] + PUT, ("Private-Lines: ",)),
    Rule(re.compile(
        r"(?P<head>://[^\s/:@\"'<>?#]{0,256}:)"
        r"(?P<password>[^\s/\"'<>]{1,512}|\$\{[^}\s]{1,60}\}|<[^>\s]{1,60}>)@"), _password, ("://",)),
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
        rf"{EDGE}[MNO][A-Za-z0-9_-]{{22,27}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}(?![\w.-])"),
        _random, hints=(".",)),
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


# -- people

COUNTRIES = (
    "acadaeafagaialamaoaqarasatauawaxazbabbbdbebfbgbhbibjbmbnbobrbsbtbwbybzcacccdcfcgchcickclcmcncocr"
    "cucvcwcxcyczdedjdkdmdodzeceeegereseteufifjfkfmfofrgagbgdgegfggghgiglgmgngpgqgrgsgtgugwgyhkhmhnhr"
    "hthuidieiliminioiqirisitjejmjojpkekgkhkikmknkpkrkwkykzlalblclilklrlsltlulvlymamcmdmemgmhmkmlmmmn"
    "mompmqmrmsmtmumvmwmxmymznancnenfngninlnonpnrnunzompapepfpgphpkplpmpnprptpwqarerorsrurwsasbscsdse"
    "sgshsiskslsmsnsrssstsvsxsysztctdtftgthtjtktltmtntotrtttvtwtzuaugukusuyuzvavcvevgvivnvuwfwsyeytza"
    "zmzw"
)
"""The country code domains of the IANA root zone, but for `py` and `so`: files are called so."""

TOPS = {COUNTRIES[i: i + 2] for i in range(0, len(COUNTRIES), 2)} | set(
    "com org net edu gov mil int info biz name pro aero coop museum mobi jobs tel travel asia cat post "
    "app dev page cloud online site store tech blog wiki email mail live life world team group agency "
    "company solutions systems digital studio design consulting engineering software network "
    "university school academy institute foundation ngo berlin london paris nyc tokyo wien hamburg "
    "bayern koeln swiss amsterdam vegas law legal health care bank finance money fund ventures capital "
    "news media press shop xyz top club vip art music games ai zone space today test example invalid "
    "local internal corp lan 公司 网络 中国 中文网".split()
)
ADDRESS = re.compile(
    r"(?<![\w.+@%/$-])(?P<local>\w[\w.+'~-]{0,63})(?:@|%40)"
    r"(?P<domain>(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?P<top>[^\W\d_]{2,24}|xn--[\w-]{2,40}))"
    r"(?![\w@-]|\.[^\W_])"
)
SSH = re.compile(r"(?:^|[\s\"'`$(;|&])(?:ssh|scp|sftp|rsync|mosh|sshfs|ssh-copy-id)\b[^\n;|&]{0,200}$")
PROMPT = re.compile(r"\s+[^\s\]]{1,60}\]\s*[$#%]")


def _address(match: re.Match) -> str:
    text, end = match.string, match.end()
    if match["top"].lower() not in TOPS and not match["top"].lower().startswith("xn--"):
        return match[0]
    follows = text[end: end + 2]
    if follows[:1] == ":" and follows[1:].strip():  # scp, a git remote, a prompt
        return match[0]
    before = text[max(0, match.start() - 240): match.start()]
    if before[-1:] == "[" and PROMPT.match(text[end: end + 64]):
        return match[0]
    if SSH.search(before.rpartition("\n")[2]) or re.search(r"://[^\s/]*$", before):
        return match[0]
    return EMAIL


SEPARATOR = r"(?:\\{1,4}|/)"
HOMES = re.compile(
    r"(?:(?P<posix>(?:(?<![\w.~@%/\\-])|(?<=-[ILD]))(?:file://)?(?:(?:/private)?/(?:var|usr|export|data|mnt|net|nfs)"
    r"(?=/home/))?/home/(?P<one>[^\W\d][\w.-]{0,63})(?=[^\w.@:$*{<(/-]|/|:|[.](?:\W|$)|$))"
    r"|(?P<mac>(?<![\w.~@%/\\-])(?:file://)?(?:/(?:Volumes|System/Volumes)/[^/\n]{1,40})?/Users/"
    r"(?P<two>[^\W\d][\w.-]{0,63}))"
    rf"|(?P<win>(?<![A-Za-z0-9])(?:[A-Za-z]:{SEPARATOR}|/mnt/[a-z]/|/cygdrive/[a-z]/|"
    rf"(?<![\w.])/[a-z]/)(?i:users|documents and settings){SEPARATOR}"
    r"(?P<three>[^\W\d][\w.$-]{0,63}(?:[ ][\w.$()-]{1,40}){0,3}(?=\\|/)|[^\W\d][\w.$-]{0,63})))"
)
NOBODY = {"shared", "public", "default", "all users", "default user", "linuxbrew", "user", "users",
          "username", "you", "me", "index", "guest", "name"}
"""Folders beside those of people, and what stands for a name in instructions."""


def _home(match: re.Match) -> str:
    name = (match["one"] or match["two"] or match["three"]).rstrip(".")
    dots = match[0][len(match[0].rstrip(".")):]
    prefix = "file://" if match[0].startswith("file:") else ""
    return match[0] if name.lower() in NOBODY else f"{prefix}~{dots}"


class Redactor:
    """homes: real paths of home folders on this machine, wherever they lie; known: secrets that we
    know ourselves, such as the key for the model server."""

    def __init__(self, homes: tuple = (), known: tuple = ()) -> None:
        self._known = [secret for secret in known if len(secret) >= 8]
        found = sorted({home.rstrip("/\\") for home in homes}, key=len, reverse=True)
        own = [re.escape(home) for home in found if len(home) > 3 and home != "/root"]
        self._own = re.compile(rf"(?<![\w.~-])(?:{'|'.join(own)})(?![\w-])") if own else None

    def text(self, text: str) -> str:
        """`text` without secrets, e-mail addresses and home folders."""
        for secret in self._known:
            text = text.replace(secret, PUT)
        low = text.lower()
        for rule in SECRETS:
            text = rule.apply(text, low)
        text = named.hide(text)
        if "@" in text or "%40" in text:
            text = ADDRESS.sub(_address, text)
        if self._own:
            text = self._own.sub("~", text)
        if "/home/" in text or "sers" in text.lower() or "and Settings" in text:
            text = HOMES.sub(_home, text)
        return text

    def value(self, value: object, name: str = "") -> object:
        """The same for all texts in a JSON value. name: the key it stands under. Arguments of tool
        calls, which are JSON in a text, are read first."""
        if isinstance(value, str):
            if name == "arguments":
                return self._arguments(value)
            return PUT if name and named.is_secret(name, value) else self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(item, key) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item, name) for item in value]
        return value

    def _arguments(self, text: str) -> str:
        try:
            read = json.loads(text)
        except (ValueError, RecursionError):
            return self.text(text)
        kept = self.value(read)
        return text if kept == read else json.dumps(kept, ensure_ascii=False)

