"""The command line as values: what is a sub-command, an option, a word."""

from __future__ import annotations

import pytest

from clinkai.core.catalogue import LANGUAGES, Strings
from clinkai.core.errors import UsageError
from clinkai.ui.help_text import help_text
from clinkai.ui.options import COMMANDS, EVERYWHERE, OF_RUNS, Parsed, options_of, parse

READ = [
    ([], Parsed("", (), {})),
    (["fix it"], Parsed("", ("fix it",), {})),
    (["fix it", "-"], Parsed("", ("fix it", "-"), {})),
    (["-"], Parsed("", ("-",), {})),
    (["web"], Parsed("web", (), {})),
    (["web please"], Parsed("", ("web please",), {})),
    (["--", "web"], Parsed("", ("web",), {})),
    (["-p", "web"], Parsed("", ("web",), {"print": True})),
    (["--print", "doctor"], Parsed("", ("doctor",), {"print": True})),
    (["demo", "-p", "x"], Parsed("demo", ("x",), {"print": True})),
    (["demo", "web"], Parsed("demo", ("web",), {})),
    (["--", "--json"], Parsed("", ("--json",), {})),
    (["- tidy up"], Parsed("", ("- tidy up",), {})),
    (["--model", "m", "doctor", "--json"], Parsed("doctor", (), {"model": "m", "json": True})),
    (["--model=a=b", "x"], Parsed("", ("x",), {"model": "a=b"})),
    (["--model", "-x", "x"], Parsed("", ("x",), {"model": "-x"})),
    (["x", "--allow", "git push", "--allow=make"],
     Parsed("", ("x",), {"allow": ("git push", "make")})),
    (["--resume", "auto", "x"], Parsed("", ("x",), {"resume": "auto"})),
    (["x", "--resume"], Parsed("", ("x",), {"resume": ""})),
    (["--resume", "--json", "x"], Parsed("", ("x",), {"resume": "", "json": True})),
    (["policy", "check", "--", "--version"], Parsed("policy", ("check", "--version"), {})),
    (["policy", "check", "--dialect", "posix", "--", "ls -l"],
     Parsed("policy", ("check", "ls -l"), {"dialect": "posix"})),
    (["--dialect", "posix", "policy", "check", "--", "ls"],
     Parsed("policy", ("check", "ls"), {"dialect": "posix"})),
    (["probe", "--prompt", "-"], Parsed("probe", (), {"prompt": "-"})),
    (["--model", "m", "--model", "m", "x"], Parsed("", ("x",), {"model": "m"})),
    (["eval", "check", "--repeat", "2"], Parsed("eval", ("check",), {"repeat": "2"})),
    (["a", "b", "--help"], Parsed("", ("a", "b"), {"help": True})),
]


@pytest.mark.parametrize(("argv", "parsed"), READ)
def test_command_lines_are_read(argv, parsed):
    assert parse(argv) == parsed


WRONG = [
    (["fix", "the", "bug"], "in quotes", 'python clinkai.py "fix the bug"'),
    (["demo", 'say "hi"', "now"], "in quotes", 'python clinkai.py demo "say \\"hi\\" now"'),
    (["x", "-", "y"], "in quotes", '"x - y"'),
    (["--colour", "x"], "no option --colour", "--no-color"),
    (["--zzz"], "no option --zzz", "--help"),
    (["--model"], "--model NAME", "--help"),
    (["--model", "--json", "x"], "--model NAME", "--help"),
    (["--json=1", "x"], "--json takes no value", "--help"),
    (["--model", "a", "--model", "b", "x"], "--model was given twice", "--help"),
    (["doctor", "--resume", "auto"], "--resume means nothing to doctor", "doctor --help"),
    (["--dialect", "posix", "x"], "--dialect belongs to another", "--help"),
    (["doctor", "now"], "“now”", "doctor --help"),
    (["policy", "check", "--", "ls", "-l"], "“-l”", "policy --help"),
]


@pytest.mark.parametrize(("argv", "what", "advice"), WRONG)
def test_mistakes_say_what_is_wrong_and_what_to_do(argv, what, advice):
    with pytest.raises(UsageError) as caught:
        parse(argv)
    say = Strings("en")
    assert what in caught.value.text(say)
    assert advice in caught.value.advice(say)
    assert caught.value.text(Strings("zh")) and caught.value.exit_code == 2


@pytest.mark.parametrize("name", list(COMMANDS))
def test_options_before_and_after_the_sub_command_are_equal(name):
    for option in options_of(COMMANDS[name]):
        given = [f"{option.flags[-1]}=v" if option.value else option.flags[-1]]
        if option.name == "print":
            continue  # before the sub-command it makes a task of it: see READ
        assert parse([*given, name]) == parse([name, *given])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_help_names_every_command_option_and_setting(lang):
    text = help_text("", Strings(lang))
    assert [name for name in COMMANDS if f"\n  {name} " not in text] == []
    assert [o.name for o in (*EVERYWHERE, *OF_RUNS) if f"  {', '.join(o.flags)}" not in text] == []


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_a_help_with_its_own_options(name, lang):
    text = help_text(name, Strings(lang))
    missing = [o.name for o in options_of(COMMANDS[name]) if f"  {', '.join(o.flags)}" not in text]
    assert missing == []


def test_the_suite_understands_what_is_passed_on():
    from eval.options import parse as parse_eval

    given = ["--list", "--only=x", "--repeat=2", "--jobs=2", "--out=o", "--tasks=t"]
    assert [f"--{o.name}" for o in COMMANDS["eval"].own] == [g.partition("=")[0] for g in given]
    assert parse_eval(given).repeat == 2
