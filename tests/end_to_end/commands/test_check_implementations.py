"""`toolgen check --implementations` finds every kind of broken implementation; servers warn at start."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from tests.end_to_end.project import ECHO_SPEC, Project
from tests.samples import sample

PLAIN = """
name: broken
description: A tool whose implementation is broken.
input_schema: {type: object, additionalProperties: false}
"""
INJECTING = PLAIN + "inject: [{name: db, type: sqlite3.Connection}]\n"
CONFIRMING = PLAIN + "confirm: {message: Sure?, preview: true}\n"
HEAD = "from generated.tools.broken import BrokenTool\n\n"
GOOD = HEAD + "class Broken(BrokenTool):\n    async def execute(self, request, context):\n        return 1\n"

BROKEN: dict[str, tuple[str, str, str, int, str]] = {
    "two classes": (
        PLAIN,
        GOOD + "\nclass Other(BrokenTool):\n    def execute(self, request, context): ...\n",
        "implementation-class",
        7,
        "2 classes implement broken (Broken, Other)",
    ),
    "no class": (PLAIN, "x = 1\n", "implementation-class", 1, "no class of tools.broken extends BrokenTool"),
    "import error": (
        PLAIN,
        "import json\nimport no_such_library\n" + GOOD,
        "implementation-import",
        2,
        "ModuleNotFoundError: No module named 'no_such_library'",
    ),
    "ends the process": (PLAIN, "import os\nos._exit(7)\n", "implementation-import", 1, "(exit code 7)"),
    "missing injected keyword": (
        INJECTING,
        GOOD,
        "implementation-signature",
        4,
        "must accept (self, request, context, *, db)",
    ),
    "preview missing": (CONFIRMING, GOOD, "implementation-class", 3, "does not define preview"),
    "wrong base class": (
        PLAIN,
        "from toolgen.runtime import BaseTool\n\nclass Broken(BaseTool):\n"
        "    def execute(self, request, context): ...\n",
        "implementation-class",
        3,
        "Broken does not extend BrokenTool of generated.tools.broken",
    ),
    "constructor that fails": (
        PLAIN,
        GOOD + "\n    def __init__(self):\n        raise OSError('no key')\n",
        "implementation-constructor",
        8,
        "Broken(), without arguments, failed with OSError: no key",
    ),
}


def check(project: Project) -> tuple[int, list[dict[str, Any]]]:
    """Return exit code and implementation diagnostics of `check --implementations --format json`."""
    done = project.toolgen("check", "--implementations", "--format", "json")
    return done.returncode, json.loads(done.stdout)["implementations"]


@pytest.mark.parametrize("kind", sample(BROKEN, range(0, len(BROKEN), 3)))
def test_a_broken_implementation_is_found_with_file_and_line(project: Project, kind: str) -> None:
    spec, module, code, line, words = BROKEN[kind]
    project.add_tool("broken", spec)
    project.generate()
    (project.root / "tools/broken.py").write_text(module)
    done = project.toolgen("check", "--implementations")
    assert done.returncode == 1, done.stderr
    assert f"tools/broken.py:{line}:" in done.stderr
    assert f"error[{code}]" in done.stderr
    assert words in done.stderr
    assert "echo" not in done.stderr, "the other tool is well"
    assert project.toolgen("check").returncode == 0, "without the flag, no code of the project runs"


def test_working_implementations_are_clean(project: Project) -> None:
    project.generate()
    done = project.toolgen("check", "--implementations")
    assert (done.returncode, done.stdout) == (0, "")
    assert "implementations: clean" in done.stderr
    assert check(project) == (0, [])


def test_a_missing_module_is_found(project: Project) -> None:
    project.add_tool("broken", PLAIN)
    project.generate()
    code, (fault,) = check(project)
    assert (code, fault["code"], fault["file"]) == (1, "implementation-missing", "tools/broken.py")


def test_an_error_in_a_helper_is_reported_at_its_line(project: Project) -> None:
    project.add_tool("broken", PLAIN)
    project.write("tools/_helper.py", "x = 1\ny = undefined_name\n")
    project.write("tools/broken.py", "from . import _helper\n" + GOOD)
    project.generate()
    code, (fault,) = check(project)
    assert (code, fault["file"], fault["line"]) == (1, "tools/_helper.py", 2)
    assert "NameError" in fault["message"]


def test_a_package_that_does_not_import_is_reported_once(project: Project) -> None:
    project.write("tools/__init__.py", "x = 1\nraise RuntimeError('no')\n")
    project.generate()
    code, (fault,) = check(project)
    assert (code, fault["file"], fault["line"]) == (1, "tools/__init__.py", 2)


CONTEXTS = {  # the package of implementations → the places of faults
    "CONTEXT = {}\n": [("specs/broken.yaml", 4)],
    "import sqlite3\nCONTEXT = {sqlite3.Connection: lambda: sqlite3.connect(':memory:')}\n": [],
    "": [],  # the application has a toolkit of its own
    "def CONTEXT(): ...\n": [("tools/__init__.py", 1)],
    "CONTEXT = None\n": [("tools/__init__.py", 1)],
}


@pytest.mark.parametrize("package", CONTEXTS)
def test_a_value_that_context_lacks_is_found(project: Project, package: str) -> None:
    module = GOOD.replace("request, context", "request, context, *, db")
    project.add_tool("broken", INJECTING, module)
    project.write("tools/__init__.py", package)
    project.generate()
    _, faults = check(project)
    assert [(fault["file"], fault["line"]) for fault in faults] == CONTEXTS[package]
    assert all(fault["code"] == "implementation-context" for fault in faults)


def test_a_context_that_is_not_a_mapping_says_so_in_the_log(project: Project) -> None:
    project.write("tools/__init__.py", "def CONTEXT(): ...\n")
    project.generate()
    done = project.toolgen("call", "echo", "text=hi")
    assert done.returncode != 0
    assert "CONTEXT of tools must be a dict of values, not a function" in done.stderr


def test_the_check_stops_where_an_implementation_ends_the_process(project: Project) -> None:
    project.add_tool("a", ECHO_SPEC.replace("name: echo", "name: a"), "1 / 0\n")
    project.add_tool("b", ECHO_SPEC.replace("name: echo", "name: b"), "import os\nos._exit(0)\n")
    project.add_tool("c", ECHO_SPEC.replace("name: echo", "name: c"), "1 / 0\n")
    project.generate()

    code, faults = check(project)

    assert code == 1
    assert [fault["file"] for fault in faults] == ["tools/a.py", "tools/b.py"]
    assert "the check stopped here" in faults[1]["message"]


def test_without_the_setting_there_is_nothing_to_check(project: Project) -> None:
    project.write("toolgen.toml", 'specs = "specs"\noutput = "generated"\n')
    project.generate()
    done = project.toolgen("check", "--implementations")
    assert done.returncode == 2
    assert "has no `implementations` setting" in done.stderr


async def test_the_server_warns_at_start_and_serves_the_others(project: Project) -> None:
    project.add_tool("broken", PLAIN, "class Broken(\n")
    project.add_tool("absent", PLAIN.replace("broken", "absent"))
    project.generate()

    async with project.server() as server, server.client("auto") as client:
        assert not (await client.call_tool("echo", {"text": "hi"})).is_error
        async with asyncio.timeout(20):
            while "tools/broken.py" not in server.log:
                await asyncio.sleep(0.05)
        found = server.log
    warnings = [line for line in found.splitlines() if " WARNING " in line]
    assert len(warnings) == 2
    assert re.search(r"absent has no implementation: there is no module tools.absent", warnings[0])
    assert re.search(r"tools/broken.py:1: importing tools.broken failed with SyntaxError", warnings[1])
