"""Tests call a tool only if its contract says that this does no harm, or on data that was made for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.commands.test_pytest_plugin import pytest_run
from tests.end_to_end.project import Project
from tests.http_server import QuietHandler, serve

SPEC = Path(__file__).with_name("no_harm.yaml").read_text("utf-8")
MODULE = """
from pathlib import Path

from generated.tools.book import BookTool


class Book(BookTool):
    def execute(self, request, context{parameters}):
        with Path("bookings").open("a") as file:
            print(request.seat, file=file)
        return {{"seat": request.seat or 0}}
"""
FIXTURES = """
from generated import catalog


def toolgen_toolkit(folder):
    return catalog.toolkit(context={"db": folder})
"""
TEST = """
import pytest


@pytest.mark.toolgen("book"{marker})
def test_book(toolgen_case):
    toolgen_case.check()
"""
READS = "{readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false}"
ACTS = "{readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true}"


def add_booking(project: Project, annotations: str, more: str = "", parameters: str = "") -> None:
    """Add a tool that notes each of its calls in the project's folder."""
    project.add_tool(
        "book", SPEC.format(annotations=annotations, more=more), MODULE.format(parameters=parameters)
    )
    (project.root / "specs/echo.yaml").unlink(missing_ok=True)


def calls(project: Project) -> int:
    """Return how often the tool was called."""
    noted = project.root / "bookings"
    return len(noted.read_text().splitlines()) if noted.exists() else 0


def report_of(project: Project, *words: str) -> dict[str, Any]:
    """Return the report of the tool; `toolgen test` must end with exit code 0."""
    done = project.toolgen("test", "--format", "json", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    (tool,) = json.loads(done.stdout)["tools"]
    return dict(tool)


@pytest.mark.parametrize(
    ("annotations", "result"),
    {
        "{}": "not tested",
        ACTS: "not tested",
        "{readOnlyHint: false, destructiveHint: false}": "not tested",
        "{idempotentHint: true}": "not tested",  # MCP: a missing destructiveHint is true
        "{idempotentHint: true, destructiveHint: false}": "passed",
        "{readOnlyHint: true}": "passed",
    }.items(),
)
def test_a_tool_is_called_only_if_its_annotations_promise_no_harm(
    project: Project, annotations: str, result: str
) -> None:
    add_booking(project, annotations)
    project.generate()
    assert report_of(project, "--max-calls", "5")["result"] == result
    assert bool(calls(project)) is (result == "passed")


@pytest.mark.slow
def test_a_tool_that_asks_the_user_is_not_called_with_the_default_context(project: Project) -> None:
    add_booking(
        project,
        READS,
        "confirm: {message: Book it?}\ninject: [{name: db, type: pathlib.Path}]",
        ", *, db",
    )
    project.write("tools/__init__.py", "from pathlib import Path\n\nCONTEXT = {'db': Path('.')}\n")
    project.generate()
    assert report_of(project)["result"] == "not tested"
    assert calls(project) == 0
    project.write("tests/toolgen_fixtures.py", FIXTURES)
    assert report_of(project, "--max-calls", "5")["result"] == "passed"
    assert calls(project) > 1


def test_the_report_says_how_to_test_a_tool_that_acts(project: Project) -> None:
    add_booking(project, ACTS)
    project.generate()
    done = project.toolgen("test")
    assert done.returncode == 0
    assert done.stdout == (
        "not tested  book: it may change or destroy something, and there is no fixture toolgen_toolkit with "
        "data for tests\n"
    )
    assert done.stderr == (
        "1 tool, 0 calls, seed 0: no failures, 1 not tested\n"
        "to test them, give them data for tests in tests/toolgen_fixtures.py:\n"
        "    def toolgen_toolkit(folder):\n"
        "        return generated.catalog.toolkit(context={...})  # with data in `folder`\n"
        "if a tool does no harm, say so in its `annotations`: readOnlyHint: true, for example\n"
        "--all-calls calls all tools, with the project's own data\n"
    )
    assert report_of(project)["not_tested"].startswith("it may change or destroy something")


def test_pytest_calls_only_tools_that_do_no_harm(project: Project) -> None:
    add_booking(project, ACTS)
    project.write("tests/test_book.py", TEST.format(marker=""))
    project.generate()
    done = pytest_run(project, "-rs", "tests")
    assert (done.returncode, calls(project)) == (0, 0), done.stdout
    assert "not tested: it may change or destroy something" in done.stdout
    assert pytest_run(project, "--toolgen-all-calls", "tests").returncode == 0
    assert calls(project) > 1


def test_a_toolkit_of_a_conftest_is_for_tests(project: Project) -> None:
    add_booking(project, ACTS)
    project.write("tests/test_book.py", TEST.format(marker=""))
    made = "from generated import catalog\n    return catalog.toolkit(context={})"
    project.write(
        "tests/conftest.py", f"import pytest\n\n\n@pytest.fixture\ndef toolgen_toolkit():\n    {made}\n"
    )
    project.generate()
    assert pytest_run(project, "tests").returncode == 0
    assert calls(project) > 1


def test_the_test_of_a_stub_calls_nothing_once_the_stub_is_edited(project: Project) -> None:
    add_booking(project, READS)
    (project.root / "tools/book.py").unlink()
    assert project.toolgen("new", "--all").returncode == 0
    project.generate()
    written = pytest_run(project, "tests")
    assert (written.returncode, "1 passed" in written.stdout) == (0, True), written.stdout
    project.write("tools/book.py", MODULE.format(parameters=""))
    done = pytest_run(project, "tests")
    assert (done.returncode, calls(project)) == (1, 0)
    assert "remove implemented=False" in done.stdout


@contextmanager
def recording_api() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Run an API that accepts everything; yield its URL, and the methods and paths that were asked for."""
    seen: list[tuple[str, str]] = []

    class Api(QuietHandler):
        def answer(self) -> None:
            seen.append((self.command, self.path.partition("?")[0]))
            self.received()
            self.reply(b"")

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = answer

    with serve(Api) as url:
        yield url, seen


OPERATIONS: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {
        "/pets": {
            method: {
                "operationId": f"{method}_pets",
                "description": "Pets.",
                "parameters": [{"name": "name", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "OK."}},
            }
            for method in ("get", "head", "post", "put", "delete", "patch")
        }
    },
}


def test_nothing_is_created_by_testing_an_imported_api(project: Project) -> None:
    """98 pets were, in the live API."""
    (project.root / "specs/echo.yaml").unlink()
    with recording_api() as (url, seen):
        document = {**OPERATIONS, "servers": [{"url": url}]}
        project.write("pets.json", json.dumps(document))
        done = project.toolgen("import", "openapi", "pets.json", "--implement")
        assert done.returncode == 0, done.stderr
        assert "`toolgen test` does not call 4 tools: they may change or destroy something" in done.stderr
        project.generate()
        done = project.toolgen("test", "--max-calls", "5", "--format", "json")
    results = {tool["name"]: tool["result"] for tool in json.loads(done.stdout)["tools"]}
    acting = {name for name, result in results.items() if result == "not tested"}
    assert acting == {"post_pets", "put_pets", "delete_pets", "patch_pets"}
    assert {method for method, _ in seen} <= {"GET", "HEAD"}


@pytest.mark.slow
def test_a_fixture_does_not_vouch_for_an_api_elsewhere(project: Project) -> None:
    """A toolkit of its own does not give an HTTP API other data: the fixture has to name a local one."""
    (project.root / "specs/echo.yaml").unlink()
    paths = {"/pets": {"post": OPERATIONS["paths"]["/pets"]["post"]}}
    document = {**OPERATIONS, "paths": paths, "servers": [{"url": "https://pets.example.com"}]}
    project.write("pets.json", json.dumps(document))
    assert project.toolgen("import", "openapi", "pets.json", "--implement").returncode == 0
    project.generate()
    fixture = (
        "from generated import catalog\n\ndef toolgen_toolkit(folder):\n{}    return catalog.toolkit()\n"
    )
    project.write("tests/toolgen_fixtures.py", fixture.format(""))
    report = report_of(project)
    assert report["result"] == "not tested"
    reason = re.search(r"something at pets.example.com; let toolgen_toolkit set (\w+)", report["not_tested"])
    assert reason
    with recording_api() as (url, seen):
        name = f"    import os; os.environ[{reason[1]!r}] = {url!r}\n"
        project.write("tests/toolgen_fixtures.py", fixture.format(name))
        assert report_of(project, "--max-calls", "5")["calls"] > 1
    assert seen
