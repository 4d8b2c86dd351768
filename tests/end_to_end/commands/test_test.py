"""`toolgen test`: what it prints, its exit codes, and implementations that hang, exit or are missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.project import Project
from tests.processes import is_gone

SPEC = Path(__file__).with_name("test_test.yaml").read_text("utf-8")
MODULE = """
import os
import sys
import time
import subprocess
from generated.tools.{name} import {kind}Tool


class {kind}({kind}Tool):
    def execute(self, request, context):
        {line}
        return {{"number": request.number if request.number is not None else 1}}
"""

EXITING = """
import asyncio
import sys
from generated.tools.exiting import ExitingTool


class Exiting(ExitingTool):
    async def execute(self, request, context):
        async def leave():
            {line}

        task = asyncio.create_task(leave())
        await asyncio.sleep(0.01)
        return {{"number": 1 if request.number is None else request.number}}
"""

FIXTURES = """
from generated import catalog

def toolgen_toolkit(folder):
    return catalog.toolkit()
"""


NO_OTHERS = ("--max-calls", "0")  # than the calls of examples


def spec_of(name: str, timeout: int = 10) -> str:
    return SPEC.replace("NAME", name).replace("TIMEOUT", str(timeout))


def add(project: Project, name: str, line: str = "pass", timeout: int = 10) -> None:
    module = MODULE.format(name=name, kind=name.capitalize(), line=line)
    project.add_tool(name, spec_of(name, timeout), module)


def run(project: Project, *words: str) -> tuple[int, dict[str, dict[str, Any]]]:
    done = project.toolgen("test", "--format", "json", *words)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, {tool["name"]: tool for tool in json.loads(done.stdout)["tools"]}


@pytest.mark.parametrize("line", ["sys.exit(3)", "raise KeyboardInterrupt"])
def test_a_task_that_a_tool_started_ends_no_test(project: Project, line: str) -> None:
    """Servers survive such a task, and so does the test."""
    project.add_tool("exiting", spec_of("exiting"), EXITING.format(line=line))
    project.generate()
    code, tools = run(project, "--examples-only")
    assert (code, tools["exiting"]["failures"]) == (0, [])
    assert tools["exiting"]["examples"] == 1


def test_tools_are_isolated_from_each_other(project: Project) -> None:
    """One that exits, one that leaves a process and one without implementation do not disturb the others."""
    child = project.root / "child"
    add(project, "good")
    add(project, "floods", "sys.stdout.write('x' * 1_000_000)")
    add(
        project,
        "leaves",
        f"open({str(child)!r}, 'w').write(str(subprocess.Popen(['sleep', '60']).pid)); os._exit(3)",
    )
    project.add_tool("absent", spec_of("absent", 1))
    project.generate()
    code, tools = run(project)
    results = {name: tool["result"] for name, tool in tools.items()}
    assert code == 1
    assert results == {
        "echo": "not tested",
        "good": "passed",
        "floods": "passed",
        "leaves": "failed",
        "absent": "not implemented",
    }
    (failure,) = tools["leaves"]["failures"]
    assert (failure["code"], failure["line"]) == ("implementation-crashed", 1)
    assert "ended the process (exit code 3)" in failure["message"]
    assert failure["command"] == """toolgen call leaves --input '{"number":3}'"""
    assert is_gone(int(child.read_text()))


def test_a_call_that_hangs_is_told(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolgen.language.diagnostic import no_progress
    from toolgen.project.building.project_build import program_of, read_inputs
    from toolgen.testing.processes import implementation_tests
    from toolgen.testing.runner import RunOptions
    from toolgen.testing.tool_under_test import tool_under_test

    monkeypatch.setattr(implementation_tests, "CALL_SECONDS", 1.0)
    monkeypatch.setattr(implementation_tests, "LATE_SECONDS", 1.0)
    project.add_tool(
        "hangs",
        spec_of("hangs", 1),
        MODULE.format(name="hangs", kind="Hangs", line="while True: pass").replace("def ex", "async def ex"),
    )
    project.generate()
    inputs = read_inputs(str(project.root))
    tools = [tool_under_test(tool) for tool in program_of(inputs).tools if tool.spec.name == "hangs"]
    (report,) = implementation_tests.test_implementations(
        inputs.project, tools, RunOptions(), others=tools, progress=no_progress
    )
    assert [failure.message for failure in report.failures] == ["a call hangs in tools/hangs.py:10"]


def test_progress_names_the_tool_and_the_fixture_that_is_waited_for(project: Project) -> None:
    from toolgen.project import read_project
    from toolgen.testing.project_tests import run_project_tests
    from toolgen.testing.runner import RunOptions

    add(project, "good")
    slow = FIXTURES.replace("    return", "    time.sleep(1.5)\n    return").replace(
        "from", "import time\nfrom", 1
    )
    project.write("tests/toolgen_fixtures.py", slow)
    project.generate()
    shown: list[tuple[str, int, int]] = []
    run_project_tests(
        read_project(str(project.root)),
        RunOptions(examples_only=True),
        names=["good"],
        progress=lambda *progress: shown.append(progress),
    )
    assert ("testing good, in toolgen_toolkit", 0, 1) in shown


def test_without_generated_code_nothing_can_be_tested(project: Project) -> None:
    done = project.toolgen("test", "--frozen")
    assert (done.returncode, "error[not-generated]" in done.stderr) == (2, True)


def test_update_writes_how_the_calls_end_now_and_keeps_comments(project: Project) -> None:
    spec = spec_of("good") + (
        "  # kept\n"
        "  - {name: wrong, input: {number: 4}, output: {number: 5}}  # gone\n"
        "  - {name: two, input: {number: 2}, output: {number: 2}}\n"
    )
    project.add_tool("good", spec, MODULE.format(name="good", kind="Good", line="pass"))
    project.write("tests/toolgen_fixtures.py", FIXTURES)
    project.generate()
    done = project.toolgen("test", "good", *NO_OTHERS)
    assert done.returncode == 1
    assert "3 examples without a recorded outcome; to record: toolgen test --update" in done.stderr
    done = project.toolgen("test", "good", "--update", *NO_OTHERS)
    assert done.returncode == 0, done.stdout
    removed = [line for line in done.stdout.splitlines() if line.startswith("-") and line[1:2] != "-"]
    assert removed == ["-  - {name: wrong, input: {number: 4}, output: {number: 5}}  # gone"]
    text = (project.root / "specs/good.yaml").read_text()
    assert "# kept" in text
    assert "{name: two, input: {number: 2}, output: {number: 2}}" in text
    recorded = json.loads((project.root / "tests/outcomes/good.json").read_text())
    assert recorded["examples"] == {"three": {}, "wrong": {}, "two": {}}, "there is nothing but the outputs"
    (project.root / "tests/outcomes/good.json").write_text('{"examples": {"gone": {}, "two": {"state": 1}}}')
    done = project.toolgen("test", "good", *NO_OTHERS)
    assert (done.returncode, "error[outcome-changed] example 'two' has another" in done.stdout) == (1, True)
    assert "not in the specs: 'gone' in tests/outcomes/good.json; to remove:" in done.stderr


def test_update_fails_for_a_crash_and_keeps_what_was_recorded(project: Project) -> None:
    add(project, "breaks")
    project.generate()
    project.write("tests/toolgen_fixtures.py", FIXTURES)
    run(project, "--update", *NO_OTHERS, "breaks")
    recorded = (project.root / "tests/outcomes/breaks.json").read_text()
    add(project, "breaks", "assert request.number != 3")

    code, tools = run(project, "--update", *NO_OTHERS, "breaks")

    (failure,) = tools["breaks"]["failures"]
    command = """toolgen call breaks --input '{"number":3}'"""
    assert (code, failure["check"], failure["command"]) == (1, "example", command)
    assert (project.root / "tests/outcomes/breaks.json").read_text() == recorded
