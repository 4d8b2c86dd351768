"""Commands run the code that the table in docs/testing.md says: an implementation notes what happens to it."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from tests.end_to_end.project import Project
from tests.end_to_end.version_control.repository import Repository
from tests.preloaded import python_command

PAGE = Path(__file__).parents[3] / "docs/testing.md"
SPEC = Path(__file__).with_name("canaries.yaml").read_text("utf-8")
NOTE = """
from pathlib import Path


def note(event):
    with Path("events").open("a") as file:
        print(event, file=file)
"""
PACKAGE = """
from canary import note

note("package")
CONTEXT = {"db": lambda: note("injected") or "db"}
"""
MODULE = """
from canary import note
from generated.tools.act import ActTool

note("module")


class Act(ActTool):
    def __init__(self):
        note("instance")

    def setup(self):
        note("set up")

    def execute(self, request, context, *, db):
        note("called")
        return {"done": True}
"""
FUNCTIONS = """
from canary import note

note("module")


def delete_all() -> bool:
    note("called")
    return True
"""
CALLED = ["module", "instance", "package", "set up", "injected", "called"]
LOADED = {"module", "instance", "package"}


@pytest.fixture
def canary(project: Project) -> Project:
    """A project whose implementation notes its import, its creation, its set-up and each call."""
    (project.root / "specs/echo.yaml").unlink(missing_ok=True)
    project.write("canary.py", NOTE)
    project.write("tools/__init__.py", PACKAGE)
    project.add_tool("act", SPEC, MODULE)
    project.generate()
    assert events(project) == []
    return project


def events(project: Project) -> list[str]:
    noted = project.root / "events"
    return noted.read_text().splitlines() if noted.exists() else []


def server() -> str:
    """Return the command of the server that has the tool."""
    return shlex.join([*python_command(os.environ), "-m", "generated.mcp_server"])


def ran(project: Project, *words: str, code: int = 0) -> list[str]:
    """Run a command, which ends with an exit code; return what happened to the implementation."""
    done = project.python("-m", "toolgen", *words)
    assert done.returncode == code, done.stdout + done.stderr
    return events(project)


@pytest.mark.parametrize(
    "words",
    [
        "generate",
        "check",
        "export mcp",
        "budget",
        "list --ask act",
        "export evals",
        "new act",
        "new --all",
        "breaking --against specs",
        "export schema",
        "init",
        "explain unshown-property",
        "import openai functions.json --into copies",
    ],
)
def test_no_code_of_the_project_runs(canary: Project, words: str) -> None:
    canary.write("functions.json", '[{"type": "function", "name": "act", "parameters": {"type": "object"}}]')
    assert ran(canary, *words.split()) == []


@pytest.mark.parametrize("words", ["changelog {}..HEAD", "changelog {}", "breaking --against {}"])
def test_no_code_of_a_commit_runs(canary: Project, words: str) -> None:
    """The specs of both sides differ, and the commits have the implementation."""
    repository = Repository.of(canary)
    canary.add_tool("act", SPEC + "title: Act\n", MODULE)
    canary.add_tool("rest", SPEC.replace("name: act", "name: rest"))
    repository.commit("second")

    assert ran(canary, *words.format("HEAD~1").split()) == []


def test_check_implementations_calls_nothing(canary: Project) -> None:
    assert set(ran(canary, "check", "--implementations")) == LOADED


def test_call_calls_the_named_tool_once(canary: Project) -> None:
    assert sorted(ran(canary, "call", "act")) == sorted(CALLED)


def test_call_asks_first(canary: Project) -> None:
    canary.add_tool("act", SPEC + "confirm: {message: Really?}\n")
    canary.generate()
    assert "called" not in ran(canary, "call", "act", code=1)
    assert ran(canary, "call", "act", "--yes").count("called") == 1


@pytest.mark.parametrize("words", ["test", "test act", "test --update", "test --examples-only"])
def test_test_loads_nothing_of_a_tool_that_acts(canary: Project, words: str) -> None:
    assert "called" not in ran(canary, *words.split())
    assert events(canary) == []


def test_test_against_a_server_calls_nothing_that_acts(canary: Project) -> None:
    assert "called" not in ran(canary, "test", "--against", server())
    assert "called" in ran(canary, "test", "--against", server(), "--all-calls", "--max-calls", "1")


@pytest.mark.parametrize("words", ["import mcp --into copies --stdio", "breaking --against"])
def test_a_server_is_only_asked_for_its_tools(canary: Project, words: str) -> None:
    assert "called" not in ran(canary, *words.split(), server())


def test_import_python_calls_no_function(canary: Project) -> None:
    canary.write("functions.py", FUNCTIONS)
    assert ran(canary, "import", "python", "functions.py", "--implement") == ["module"]


async def test_a_mock_calls_nothing(canary: Project) -> None:
    command, *words = python_command(canary.environment({}))
    parameters = StdioServerParameters(
        command=command,
        args=[*words, "-m", "toolgen", "mock"],
        env=canary.environment({}),
        cwd=canary.root,
    )
    async with asyncio.timeout(90), Client(parameters) as client:
        await client.list_tools()
        assert not (await client.call_tool("act", {})).is_error
    assert events(canary) == []


def test_the_table_has_every_command() -> None:
    from toolgen.cli.parser import COMMANDS

    _, _, section = PAGE.read_text().partition("## What commands run")
    first_cells = [line.split("|")[1] for line in section.partition("\n## ")[0].splitlines() if "|" in line]
    named = {word for cell in first_cells for word in re.findall(r"`(\w+)", cell)}
    assert set(COMMANDS) <= named
