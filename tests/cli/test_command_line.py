"""The command line: parsing, exit codes, pipes, errors, completion."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from toolgen.changes.table import RULES, SERVER_RULES
from toolgen.cli import main
from toolgen.cli.output import progress_line, say
from toolgen.cli.parser import COMMANDS, SUBCOMMANDS, SUCCESSORS, TOPICS
from toolgen.language.codes import CODES

from tests.samples import sample

from .conftest import Cli

VERBS = (*COMMANDS, *(f"{verb} {word}" for verb, words in SUBCOMMANDS.items() for word in words))


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_every_command_has_help_and_few_flags(empty: Cli, verb: str) -> None:
    done = empty(*verb.split(), "--help")
    assert done.code == 0
    assert f"usage: toolgen {verb} " in done.out
    assert empty("help", *verb.split()).out == done.out
    assert "-q, --quiet" in done.out
    people, *_ = re.split("\n(?:server|all commands):\n", done.out)
    flags = [line for line in people.splitlines() if line.startswith("  -") and "-h, --help" not in line]
    assert len(flags) <= 8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["genrate"], "did you mean 'generate'?"),
        (["help", "setings"], "did you mean 'settings'?"),
        (["import", "opnapi", "x.json"], "did you mean 'openapi'?"),
        (["check", "--format", "jsn"], "did you mean 'json'?"),
        (["export", "stubs", "--langage", "python"], "did you mean '--language'?"),
        *(([*words.split()], f"use `toolgen {successor}`") for words, successor in SUCCESSORS.items()),
        (["import", "openapi", "x.json", "--implment"], "did you mean '--implement'?"),
        (["explain", "no-spec"], "did you mean 'no-specs'?"),
        (["call"], "arguments are required: NAME\n"),
        (["breaking"], "for example toolgen breaking --against main"),
    ],
)
def test_misspelt_and_missing_words_get_a_suggestion(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert out == ""


def test_a_misspelt_variable_is_said_by_every_command(project: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGEN_SHOP_QUEUE", "a variable of somebody else")
    assert project("list").err == ""
    monkeypatch.setenv("TOOLGEN_CACHEDIR", "x")
    warning = (
        "warning: the environment variable TOOLGEN_CACHEDIR is not known: did you mean 'TOOLGEN_CACHE_DIR'?"
    )
    assert project("list", "--quiet").err == f"{warning}\n"


@pytest.mark.parametrize("words", [[], ["--help"], ["help"]])
def test_the_help_has_every_command_on_one_line_and_names_the_topics(empty: Cli, words: list[str]) -> None:
    done = empty(*words)
    assert (done.code, done.err) == (0, "")
    assert re.findall(r"^  ([a-z]+)  ", done.out, re.MULTILINE)[: len(COMMANDS)] == list(COMMANDS)
    assert max(map(len, done.out.splitlines())) <= 100
    assert "://" not in done.out
    assert all(topic in done.out.splitlines()[-1] for topic in TOPICS)


def test_topics_are_shown_from_what_the_program_uses(empty: Cli) -> None:
    lines = (r"name +\S", 'specs = "specs"', "TOOLGEN_LOG_LEVEL +least")
    for topic, line in zip(TOPICS, lines, strict=True):
        assert re.search(f"^{line}", empty("help", topic).out, re.MULTILINE), topic


@pytest.mark.parametrize("words", [["--quiet", "check"], ["check", "-q"]])
def test_quiet_leaves_out_messages_and_keeps_errors(project: Cli, words: list[str]) -> None:
    project("generate")
    done = project(*words)
    assert (done.code, done.err) == (0, "")
    assert project("check").err.startswith("clean: 1 tool"), "only while it is asked for"
    broken = project.spec("greet", "name: greet\n")
    assert broken.name in project(*words).err


def test_list_prints_one_line_for_each_tool(project: Cli) -> None:
    project.spec("say_bye")
    assert project("list").out == "greet    Say hello to somebody.\nsay_bye  Say hello to somebody.\n"
    tools = json.loads(project("list", "--format", "json").out)["tools"]
    assert tools[0] == {
        "name": "greet",
        "description": "Say hello to somebody.",
        "spec": "specs/greet.yaml",
    }
    assert project("list").code == 0


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_shown_on_a_terminal_from_the_first_second_on_until_there_is_output(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    with progress_line("testing") as report, progress_line("reading"):
        report("testing greet", 1, 2)
        time.sleep(1.2)
        say("one tool failed")
    *shown, said = capsys.readouterr().err.split("\r\x1b[K")
    assert ("testing greet: 1 of 2, 1 s" in shown) == is_terminal
    assert said == "one tool failed\n"


def test_progress_of_workers_needs_no_thread(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    threads = threading.active_count()
    with progress_line("making tools", ticks=False) as report:
        assert threading.active_count() == threads
        time.sleep(1)
        report("making tools", 100, 200)
    assert "making tools: 100 of 200, 1 s" in capsys.readouterr().err


def test_list_and_new_compile_no_other_tool(project: Cli) -> None:
    wrong = "examples: [{name: wrong, input: {}, error: undeclared}]"
    project.spec("other", "name: broken_too\ndescription: B.\ninput_schema: {type: object}\n")
    project.spec("broken", f"name: broken\ndescription: Break.\ninput_schema: {{type: object}}\n{wrong}\n")
    assert project("check").code == 2
    assert project("list").out == "broken      Break.\nbroken_too  B.\ngreet       Say hello to somebody.\n"
    assert project("new", "wave", "--description", "Wave.").code == 0
    assert project("new", "greet").code == 0
    assert "error[duplicate-tool]" in project("new", "broken_too", "--description", "B.").err


SHELLS = {
    "bash": """eval "$(toolgen completion bash)"
        COMP_LINE="toolgen gen"; COMP_POINT=11; COMP_TYPE=9; COMP_CWORD=1
        _python_argcomplete toolgen gen toolgen; echo "${COMPREPLY[@]}" """,
    "zsh": """autoload -U compinit && compinit -u -D
        eval "$(toolgen completion zsh)"
        compadd() { print -l -- "$@" }; _describe() { print -l -- ${(P)2} }
        print ${_comps[toolgen]}""",
    "fish": """toolgen completion fish | source; complete -C 'toolgen gen'""",
}


def in_shell(shell: str, script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    words = [shell, *(["-f"] if shell == "zsh" else []), "-c", script]
    env = {**os.environ, "PATH": path, "HOME": str(folder)}
    return subprocess.run(words, env=env, capture_output=True, text=True, check=False, cwd=folder)


# zsh and fish are packages of Debian that a machine may not have
@pytest.mark.parametrize("shell", sample([each for each in SHELLS if shutil.which(each)], (0,)))
def test_the_completion_script_works_in_a_real_shell(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.fail(f"this test needs {shell} (Debian: apt-get install {shell})")
    done = in_shell(shell, SHELLS[shell], tmp_path)
    assert ("_python_argcomplete" if shell == "zsh" else "generate") in done.stdout, done.stderr


def test_names_of_tools_are_completed(project: Cli) -> None:
    line = "toolgen call gr"
    shell = f"""eval "$(toolgen completion bash)"
        COMP_LINE="{line}"; COMP_POINT={len(line)}; COMP_TYPE=9; COMP_CWORD=2
        _python_argcomplete toolgen gr call; echo "${{COMPREPLY[@]}}" """
    done = in_shell("bash", shell, project.root)
    assert done.stdout.split() == ["greet"], done.stderr


def test_a_folder_without_configuration_is_refused(empty: Cli) -> None:
    as_json = empty("generate", "--format", "json")
    assert (as_json.code, as_json.err) == (2, "")
    assert json.loads(as_json.out)["diagnostics"][0]["code"] == "no-configuration"


def test_explain(empty: Cli) -> None:
    everything = empty("explain")
    assert everything.code == 0
    assert len(everything.out.splitlines()) == len(CODES) + len(RULES) + len(SERVER_RULES)
    one = empty("explain", "error[foreign-file]")
    assert one.code == 0
    assert "error[foreign-file]" in one.out
    data = json.loads(empty("explain", "foreign-file", "--format", "json").out)
    assert data["severity"] == "error"
    assert data["fix"] in one.out
    rule = empty("explain", "warning[scope-removed]")
    assert "scope-removed: callers need one scope less" in rule.out
    levels = json.loads(empty("explain", "scope-removed", "--format", "json").out)["levels"]
    assert levels == [{"direction": "request", "category": "safety", "level": "error"}]


def test_a_bug_gives_exit_code_3_and_its_traceback(project: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgen.project.inputs.specs.read_specs", lambda project: 1 / 0)
    done = project("check")
    assert done.code == 3
    assert "bug in toolgen" in done.err
    assert "ZeroDivisionError: division by zero" in done.err


def test_a_full_disk_is_not_a_bug_of_toolgen(project: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(project: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "cache/entry")

    monkeypatch.setattr("toolgen.project.inputs.specs.read_specs", fill)
    done = project("generate")
    assert (done.code, done.err) == (2, "toolgen: error[cannot-write] cache/entry: no space left on device\n")


def test_help_imports_little() -> None:
    code = (
        "import argparse, sys\n"
        "argparse.ArgumentParser().format_help()\n"  # on Python 3.14 it imports `dataclasses` for its colours
        "before = set(sys.modules)\n"
        "from toolgen.cli import main; main(['--help'])\n"
        "print(sorted({'dataclasses', 'inspect', 'pydantic', 'subprocess', 'yaml'} & sys.modules.keys() - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_closed_pipe_does_not_change_the_exit_code(project: Cli) -> None:
    """The exit code is the command's own, and no traceback is shown."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "toolgen", "-C", str(project.root), "check"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert done.returncode == 1
    assert done.stderr == ""


def test_data_is_utf8_in_any_locale(project: Cli) -> None:
    path = project.spec("greet")
    project("generate")
    path.write_text(path.read_text().replace("Say hello", "Sag „hallö“"))
    done = project.process("check", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="")
    assert done.code == 1
    assert "hallö" in done.out
