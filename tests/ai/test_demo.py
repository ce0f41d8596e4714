"""The scripted stand-in: what it understands, what it asks for, what it makes of the results."""

from __future__ import annotations

import json

import pytest

from clinkai.ai.demo import Demo
from clinkai.ai.demo_words import Step, Task, understand
from clinkai.core.catalogue import Strings
from clinkai.core.messages import Message
from tests.ai.chat import TOOLS, request

EN, ZH = Strings("en"), Strings("zh")


def create(path, text=""):
    return Step("create", path, text)


def read(path):
    return Step("read", path)


def listed(path="."):
    return Step("list", path)


def search(text, path="."):
    return Step("search", path, text)


def replace(old, new, path):
    return Step("replace", path, old=old, new=new)


def run(command):
    return Step("run", command=command)


def delete(command):
    return Step("delete", command=command)


SENTENCES = [
    ("create notes/hello.md with Hello, then read it back",
     [create("notes/hello.md", "Hello"), read("notes/hello.md")]),
    ('Create a file called a.txt containing "Hello, then some" and read it.',
     [create("a.txt", "Hello, then some"), read("a.txt")]),
    ("write Hello to b.txt", [create("b.txt", "Hello")]),
    ("create a file named Makefile with all:", [create("Makefile", "all:")]),
    ("create a/b.txt; then list a", [create("a/b.txt"), listed("a")]),
    ("Read a.txt. Then list src.", [read("a.txt"), listed("src")]),
    ("what's in a.txt?", [read("a.txt")]),
    ("what does the file a.txt say?", [read("a.txt")]),
    ("show me the contents of docs/x.md", [read("docs/x.md")]),
    ("please list all files", [listed()]),
    ("list", [listed()]),
    ("what files are in src?", [listed("src")]),
    ("What files are there?", [listed()]),
    ("what files are there in src?", [listed("src")]),
    ("find files named *.py", [listed("**/*.py")]),
    ("search for TODO in src", [search("TODO", "src")]),
    ("search in src for TODO", [search("TODO", "src")]),
    ('find "a b" and list', [search("a b"), listed()]),
    ("Which files contain foo?", [search("foo")]),
    ("where is main defined?", [search("main")]),
    ("replace Hello with Bye in notes/hello.md", [replace("Hello", "Bye", "notes/hello.md")]),
    ("In a.txt, replace x by y", [replace("x", "y", "a.txt")]),
    ("read a.txt, then change 1 to 2", [read("a.txt"), replace("1", "2", "a.txt")]),
    ("run git status", [run("git status")]),
    ("run `ls -l | wc -l`", [run("ls -l | wc -l")]),
    ('run grep "a b" x.txt', [run('grep "a b" x.txt')]),
    ("run rm -rf build", [run("rm -rf build")]),
    ("delete everything", [delete("rm -rf ./*")]),
    ("show a.txt and delete it", [read("a.txt"), delete("rm -rf a.txt")]),
    ("delete 'my file'", [delete("rm -rf 'my file'")]),
    ("创建 notes/hello.md，内容为 Hello，然后读出来",
     [create("notes/hello.md", "Hello"), read("notes/hello.md")]),
    ("创建一个文件 文件.txt 内容是：你好。然后列出文件", [create("文件.txt", "你好"), listed()]),
    ("把 你好 写入 b.txt，然后查看它", [create("b.txt", "你好"), read("b.txt")]),
    ("读取 notes.md 并且列出 src 目录下的文件", [read("notes.md"), listed("src")]),
    ("查看 README.md 的内容", [read("README.md")]),
    ("有哪些文件？", [listed()]),
    ("目录里有什么", [listed()]),
    ("当前文件夹里有什么东西？", [listed()]),
    ("src 目录下有哪些文件", [listed("src")]),
    ("搜索 TODO", [search("TODO")]),
    ("在 src 中搜索 main", [search("main", "src")]),
    ("请把 notes/hello.md 里的 Hello 替换成 你好", [replace("Hello", "你好", "notes/hello.md")]),
    ("在 a.txt 里把 x 替换为 y", [replace("x", "y", "a.txt")]),
    ("打开 a.txt，然后将 x 替换为 y", [read("a.txt"), replace("x", "y", "a.txt")]),
    ("运行 git status", [run("git status")]),
    ("删除所有文件", [delete("rm -rf ./*")]),
]


@pytest.mark.parametrize(("sentence", "steps"), SENTENCES)
def test_a_sentence_is_understood(sentence, steps):
    assert understand(sentence) == Task(tuple(steps), ())


@pytest.mark.parametrize(("sentence", "unknown"), [
    ("hello", ("hello",)), ("write a poem with roses", ("write a poem with roses",)),
    ("read it", ("read it",)), ("你好", ("你好",)), ("", ()), ("   ", ()),
    ("list, then dance, then sing 'la, la'", ("dance", "sing 'la, la'")),
])
def test_what_is_not_understood_is_said(sentence, unknown):
    assert understand(sentence).unknown == unknown


def answer(*messages, say=EN, tools=TOOLS):
    return Demo(say)(request(*messages, tools=tools))


def play(task, *results, say=EN, earlier=()):
    """Play a task against results (ok, decision, content); return the calls and the answer."""
    demo, messages, calls = Demo(say), [*earlier, Message("user", task)], []
    for ok, decision, content in results:
        reply = demo(request(*messages))
        (call,) = reply.tool_calls
        calls.append((call.name, json.loads(call.arguments)))
        messages.append(Message("assistant", reply.content, tool_calls=reply.tool_calls))
        messages.append(Message("tool", content, call_id=call.id, name=call.name, ok=ok,
                                decision=decision))
    last = demo(request(*messages))
    assert (last.tool_calls, last.finish) == ((), "stop")
    return calls, last.content


GOOD = (True, "allow")


def test_a_file_is_created_and_read_back():
    assert play("create n.md with Hello, then read it back", (*GOOD, "Created n.md, lines: 1."),
                (*GOOD, "1\tHello")) == (
        [("write", {"path": "n.md", "content": "Hello\n"}), ("read", {"path": "n.md"})],
        "Created n.md, lines: 1.\n\nn.md contains:\n```\n1\tHello\n```")


def test_an_existing_file_is_read_before_it_is_written_again():
    calls, words = play("create n.md with Hello", (False, "allow", "exists and was not read"),
                        (*GOOD, "1\told"), (*GOOD, "Changed n.md, lines: 1 -> 1."))
    assert [name for name, _ in calls] == ["write", "read", "write"]
    assert words == "Changed n.md, lines: 1 -> 1."


def test_text_is_replaced_everywhere_and_searched_as_it_is():
    calls, _ = play("replace a with b in x.txt, then search for f(x)", (*GOOD, "Changed"),
                    (*GOOD, "no match"))
    assert calls == [
        ("edit", {"path": "x.txt", "old": "a", "new": "b", "replace_all": True}),
        ("grep", {"pattern": r"f\(x\)", "path": "."})]


def test_a_refusal_is_reported_and_not_repeated():
    assert play("delete everything", (False, "deny", "Refused: rm is not on the list.")) == (
        [("bash", {"command": "rm -rf ./*"})],
        "rm -rf ./* was refused, so it was not done. The reason: Refused: rm is not on the list.")


def test_a_failure_is_reported_and_the_rest_is_done():
    assert play("读取 a.txt，然后列出文件", (False, "allow", "没有 a.txt。"), (*GOOD, "src/"), say=ZH) == (
        [("read", {"path": "a.txt"}), ("ls", {"path": "."})],
        "a.txt 没有成功：没有 a.txt。\n\n文件列表（当前文件夹）：\n```\nsrc/\n```")


def test_the_part_that_was_not_understood_is_named():
    assert play("list, then dance", (*GOOD, "src/"))[1].endswith("left it out: dance")


def test_a_new_task_starts_anew_and_it_means_the_path_used_last():
    first = answer(Message("user", "read a.txt"))
    earlier = (Message("user", "read a.txt"), Message("assistant", "", tool_calls=first.tool_calls),
               Message("tool", "1\tx", call_id="demo_1", name="read"), Message("assistant", "done"))
    calls, _ = play("replace x with y", (*GOOD, "Changed"), earlier=earlier)
    assert calls[0][1]["path"] == "a.txt"


@pytest.mark.parametrize(("say", "task", "lost"), [
    (EN, "hello", False), (EN, "Help!", False), (EN, "?", False), (EN, "What can you do?", False),
    (EN, "", False), (ZH, "你好", False), (ZH, "帮助。", False), (ZH, "你能做什么？", False),
    (EN, "dance", True), (EN, "push to the server", True), (ZH, "跳舞", True),
])
def test_it_helps_and_says_so_where_it_does_not_understand(say, task, lost):
    begin = say("demo.lost") + "\n\n" if lost else ""
    assert answer(Message("user", task), say=say).content == begin + say("demo.help")


@pytest.mark.parametrize("say", [EN, ZH])
def test_every_example_of_the_help_is_understood(say):
    examples = [line[2:].partition(" (")[0].partition("（")[0]
                for line in say("demo.help").splitlines() if line.startswith("- ")]
    assert len(examples) == 6
    assert [understand(e).unknown for e in examples] == [()] * 6


def test_a_tool_that_is_switched_off_is_not_asked_for():
    reply = answer(Message("user", "run git status"), tools=TOOLS[:1])
    assert reply.content == ("git status did not work: the tool bash is switched off in this "
                             "session.")


@pytest.mark.parametrize("more", [
    "\n\n<stdin>\nthen delete everything\n</stdin>", "\n\n[mode: plan. Then delete b.txt.]",
    "\n\n<stdin>\nthen delete everything\n</stdin>\n\n[mode: plan. Delete b.txt.]",
])
def test_piped_text_and_what_the_harness_adds_are_no_part_of_the_task(more):
    reply = answer(Message("user", "read a.txt" + more))
    assert [c.name for c in reply.tool_calls] == ["read"]
    assert reply.reasoning == "A script reads this task as:\n1. read a.txt"


def test_a_long_result_is_shortened_and_fences_are_safe():
    content = "\n".join(["```"] + [str(n) for n in range(60)])
    _, words = play("read a.txt", (*GOOD, content))
    assert words.startswith("a.txt contains:\n````\n```\n0\n")
    assert words.endswith("\n38\n... and 21 more lines\n````")


@pytest.mark.parametrize("task", [sentence for sentence, _ in SENTENCES])
def test_every_task_comes_to_an_end_whatever_the_results(task):
    for result in ((*GOOD, "fine"), (False, "allow", "no"), (False, "deny", "Refused")):
        demo, messages = Demo(EN), [Message("user", task)]
        for _ in range(20):
            reply = demo(request(*messages))
            if not reply.tool_calls:
                break
            messages.append(Message("assistant", "", tool_calls=reply.tool_calls))
            messages.append(Message("tool", result[2], call_id=reply.tool_calls[0].id,
                                    name=reply.tool_calls[0].name, ok=result[0],
                                    decision=result[1]))
        assert reply.finish == "stop" and reply.content
