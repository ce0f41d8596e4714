"""What a sentence asks the scripted stand-in to do, in English or Chinese.

Understood: creating a file, reading, listing, searching, replacing, running a command, deleting;
several of them joined by "then". What stands in quotes is taken as it is.
Not understood: everything else, which is said and not guessed at.
"""

from __future__ import annotations

import re

from clinkai.core.value import Value


class Step(Value):
    """One thing to do. kind: create, read, list, search, replace, run, delete. text: the content
    or what to look for; old, new: of a replacement; command: of run and delete."""

    kind: str
    path: str = ""
    text: str = ""
    old: str = ""
    new: str = ""
    command: str = ""


class Task(Value):
    """steps: what was understood; unknown: the parts that were not."""

    steps: tuple
    unknown: tuple


QUOTED = re.compile(
    r'"([^"]*)"|`([^`]*)`|“([^”]*)”|「([^」]*)」|‘([^’]*)’|(?<!\w)\'([^\']*)\'(?!\w)'
)
OPEN, CLOSE = "\ue000", "\ue001"
HELD = re.compile(f"{OPEN}(\\d+){CLOSE}")

VERBS = ("read|show|list|search|find|replace|change|run|execute|delete|remove|create|write|make"
         "|open|print|grep|look")
VERBS_ZH = "读|查看|打开|显示|列出|搜索|查找|替换|把|将|运行|执行|删除|创建|新建|写"
BORDER = re.compile(
    rf"[,;.]?\s+(?:and\s+)?then,?\s+|\s*;\s+|\n+|\.\s+(?=[A-Z])|,?\s+and\s+(?=(?:{VERBS})\b)"
    rf"|[，,。；;]?\s*(?:然后再?|接着再?|随后|之后再?|最后再?)[，,]?\s*"
    rf"|[，,]?\s*并且?(?={VERBS_ZH})|[，,]\s*再(?={VERBS_ZH})|[。；]\s*", re.I)
FILLER = re.compile(
    r"(?:please|(?:and\s+)?then|now|first|next|finally|kindly|(?:can|could|would)\s+you"
    r"|i\s+want\s+you\s+to)[,\s]+"
    r"|(?:请你?|帮我|麻烦你?|首先|先|现在|最后|再)\s*", re.I)

PATH = r"(?P<path>[^\s,，。；;、?？]+)"
PATH_ZH = rf"(?P<path>(?:[A-Za-z0-9_./\\~*{OPEN}{CLOSE}-]|[\u4e00-\u9fff]++(?=\.[A-Za-z]))++)"
A = r"(?:(?:an?|the|new|empty|text)\s+)*"
IN = r"(?:in|into|inside|under|within|of|to)\s+(?:the\s+)?(?:file\s+|folder\s+|directory\s+)?"
HERE = r"(?:\s+(?:here|folder|directory|workspace))*"

RULES = tuple((kind, re.compile(pattern, re.I | re.S)) for kind, pattern in (
    ("replace", rf"(?:replace|change|substitute)\s+(?:the\s+(?:word|text)\s+)?(?P<old>.+?)"
                rf"\s+(?:with|by|to|into)\s+(?P<new>.+?)(?:\s+{IN}{PATH})?"),
    ("replace", rf"{IN}{PATH},?\s+(?:replace|change)\s+(?P<old>.+?)\s+(?:with|by|to|into)\s+"
                r"(?P<new>.+)"),
    ("create", rf"(?:create|write|make|save)\s+{A}(?:file\s+)?(?:called\s+|named\s+)?{PATH},?\s+"
               r"(?:with|containing|that\s+(?:says|contains)|saying)\s+(?:the\s+)?"
               r"(?:(?:text|contents?|words?|line)\s+)?(?P<text>.+)"),
    ("create", rf"(?:write|put|save|add)\s+(?P<text>.+?)\s+{IN}{A}(?:file\s+)?"
               rf"(?:called\s+|named\s+)?{PATH}"),
    ("create", rf"(?:create|make)\s+{A}(?:file\s+)?(?:called\s+|named\s+)?{PATH}"),
    ("delete", r"(?:delete|remove|erase|wipe)\s+(?:the\s+)?(?:file\s+|folder\s+)?(?P<path>.+)"),
    ("run", r"(?:run|execute)\s+(?:the\s+)?(?:command\s+)?(?P<command>.+)"),
    ("list", rf"find\s+(?:all\s+)?files\s+(?:named|called|matching|like)\s+{PATH}"),
    ("list", r"(?:list|ls|show)\s+(?:me\s+)?(?:(?:all|the|my)\s+)*(?:files|folders|everything)"
             rf"(?:\s+{IN}{PATH})?{HERE}"),
    ("list", rf"(?:list|ls)(?:\s+(?:the\s+)?contents)?(?:\s+(?:{IN})?{PATH})?{HERE}"),
    ("list", rf"what\s+files\s+are\s+(?:there|(?:there\s+)?(?:here|{IN}{PATH})){HERE}\??"),
    ("search", rf"(?:search|look)\s+{IN}{PATH}\s+for\s+(?P<text>.+)"),
    ("search", r"(?:search(?:\s+for)?|look\s+for|grep(?:\s+for)?|find)\s+(?:(?:all|every|the)\s+)*"
               r"(?:(?:lines?|files)\s+(?:with|containing)\s+|text\s+|word\s+)?"
               rf"(?P<text>.+?)(?:\s+{IN}{PATH})?"),
    ("search", r"(?:which|what)\s+files?\s+(?:contain|mention)s?\s+(?P<text>.+?)\??"),
    ("search", r"where\s+is\s+(?P<text>.+?)(?:\s+(?:defined|used|mentioned|set))?\??"),
    ("read", r"(?:read|show|open|print|display|cat)\s+(?:me\s+)?(?:(?:the\s+)?contents?\s+of\s+)?"
             rf"(?:the\s+)?(?:file\s+)?{PATH}(?:\s+(?:back|again|out|to\s+me))*"),
    ("read", rf"what(?:\s+is|'s)\s+in\s+(?:the\s+)?(?:file\s+)?{PATH}?\??"),
    ("read", rf"what\s+does\s+(?:the\s+)?(?:file\s+)?{PATH}\s+(?:say|contain)\??"),

    ("replace", rf"[把将在]\s*{PATH_ZH}\s*(?:文件)?(?:[里中]面?的?|的)\s*[把将]?\s*(?P<old>\S.*?)\s*"
                r"(?:替换|换|改)[成为]\s*(?P<new>.+)"),
    ("replace", r"[把将]?\s*(?P<old>\S+?)\s*(?:替换|换|改)[成为]\s*(?P<new>.+)"),
    ("create", rf"(?:新建|创建|建立|写|生成)\s*(?:一个)?新?(?:文件(?!\.))?\s*{PATH_ZH}\s*(?:文件)?[，,]?\s*"
               r"(?:内容[为是写]?|写上|写入|写|包含|里面写)\s*[:：]?\s*(?P<text>.+)"),
    ("create", rf"[把将]\s*(?P<text>.+?)\s*(?:写入|写进|写到|保存到|存到)\s*(?:文件)?\s*{PATH_ZH}"
               r"(?:文件)?[里中]?"),
    ("create", rf"(?:新建|创建|建立)\s*(?:一个)?[新空]?(?:文件)?\s*{PATH_ZH}"),
    ("delete", r"(?:删除|删掉|清空)\s*(?:文件夹?)?\s*(?P<path>.+)"),
    ("delete", r"[把将]\s*(?P<path>.+?)\s*(?:删除|删掉|清空)"),
    ("run", r"(?:运行|执行)\s*(?:一下)?(?:命令)?\s*[:：]?\s*(?P<command>.+)"),
    ("search", rf"在\s*{PATH_ZH}\s*(?:里面?|中|下)?\s*(?:搜索|查找|寻找|找)\s*(?:一下)?(?:包含)?\s*"
               r"(?P<text>.+)"),
    ("search", r"(?:搜索|查找|寻找|找)\s*(?:一下)?(?:包含)?\s*(?P<text>.+?)\s*(?:的(?:文件|行|地方))?"),
    ("list", rf"(?:列出|显示|查看|看看)\s*(?:所有|全部|当前)*\s*{PATH_ZH}?\s*(?:文件夹|目录)?(?:里面?|下面?|中)?"
             r"的?(?:所有|全部)?(?:文件|目录|文件夹)"),
    ("list", rf"列出\s*{PATH_ZH}\s*(?:里面?|下面?|中)?(?:的内容)?"),
    ("list", rf"(?:{PATH_ZH}|当前)?\s*(?:文件夹|目录)?(?:这里|里面?|下面?|中)?都?有(?:哪些|什么|啥)"
             r"(?:文件|东西)?[?？]?"),
    ("read", r"(?:读取?|查看|打开|显示|看看?)(?:一下|出来|回来|回)?\s*(?:文件(?!\.))?\s*"
             rf"(?:它|{PATH_ZH})?\s*(?:的内容|文件|出来|回来)*"),
    ("read", rf"[把将]\s*(?:它|{PATH_ZH})\s*(?:读|显示|打印)(?:出来|一下|回来)?"),
))
"""Tried in order; the first that fits a whole part of the sentence says what it means."""

GREETINGS = {"help", "?", "hello", "hi", "hey", "hello there", "what can you do", "who are you",
             "帮助", "你好", "您好", "你能做什么", "你会做什么", "你是谁"}
"""Answered with the help, which does not say then that nothing was understood."""

PRONOUNS = {"it", "that", "this", "them", "它", "该文件", "这个文件"}
EVERYTHING = {"everything", "all", "all files", "all the files", "all of it", "所有文件", "全部文件",
              "所有", "全部", "一切", "所有内容"}


def understand(sentence: str, last: str = "") -> Task:
    """Return what `sentence` asks for; `last` is the path that "it" means at its beginning."""
    quotes: list[re.Match] = []

    def hold(found: re.Match) -> str:
        quotes.append(found)
        return f"{OPEN}{len(quotes) - 1}{CLOSE}"

    steps: list[Step] = []
    unknown: list[str] = []
    for part in BORDER.split(QUOTED.sub(hold, sentence)):
        part = re.sub(r"(?<=\w)[.。]$|[!！]+$", "", part.strip()).strip(" ,，;")
        while (filler := FILLER.match(part)) and filler.end() < len(part):
            part = part[filler.end():]
        if not part:
            continue
        step = _step(part, quotes, last)
        if step is None:
            unknown.append(_plain(part, quotes))
        else:
            steps.append(step)
            last = step.path or last
    return Task(tuple(steps), tuple(unknown))


def _step(part: str, quotes: list[re.Match], last: str) -> Step | None:
    for kind, rule in RULES:
        found = rule.fullmatch(part)
        if found:
            groups = {k: _plain(v, quotes) for k, v in found.groupdict(default="").items()}
            if kind == "create" and not re.search(rf"[./\\{OPEN}]", found["path"]):
                if not re.search(r"\bfile\b|文件", part):
                    return None  # "write a poem with roses in it"
            return _made(kind, groups, last)
    return None


def _made(kind: str, groups: dict[str, str], last: str) -> Step | None:
    path = groups.pop("path", "").strip()
    if kind == "delete":
        everything = path.lower() in EVERYTHING
        target = "./*" if everything else _word(last if path.lower() in PRONOUNS else path)
        return Step("delete", command=f"rm -rf {target}")
    if path.lower() in PRONOUNS or (not path and kind in ("read", "replace")):
        path = last
    if not path and kind in ("create", "read", "replace"):
        return None
    if kind in ("list", "search"):
        path = path or "."
    if kind == "list" and "*" in path and "/" not in path:
        path = f"**/{path}"
    return Step(kind, path, **{k: v.strip() for k, v in groups.items()})


def _plain(text: str, quotes: list[re.Match]) -> str:
    """`text` with what stood in quotes: bare where that is all of it, else as it was."""
    alone = HELD.fullmatch(text)
    if alone:
        return next(g for g in quotes[int(alone[1])].groups() if g is not None)
    return HELD.sub(lambda held: quotes[int(held[1])][0], text)


def _word(path: str) -> str:
    """`path` as one word of a shell."""
    if re.fullmatch(r"[\w./-]+", path):
        return path
    return "'" + path.replace("'", "'\\''") + "'"
