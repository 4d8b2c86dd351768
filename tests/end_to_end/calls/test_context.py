"""What a tool gets beside its request: progress, injected values, set-up; and what it must not do."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

import pytest

from tests.end_to_end.project import ERAS, SECONDS, Project, error_code, text_of
from tests.runtime.tool_factory import code_of, make_tool, run

INJECT = [{"name": "db", "type": "sqlite3.Connection"}]


async def uses(self: Any, request: Any, context: Any, *, db: Any) -> Any:
    return db.execute("select 1").fetchone()[0]


def plain_uses(self: Any, request: Any, context: Any, *, db: Any) -> Any:
    return db.execute("select 1").fetchone()[0]


@pytest.mark.parametrize("execute", [uses, plain_uses])
@pytest.mark.parametrize(
    ("given", "optional", "why"),
    [
        (None, False, "it is None"),
        (lambda: None, False, "it is None"),
        ("a text", False, "it must be sqlite3.Connection, and is str"),
        ("a text", True, "it must be sqlite3.Connection, and is str"),
        (dict, False, "it must be sqlite3.Connection, and is dict"),
    ],
)
def test_an_injected_value_of_another_type_is_a_missing_dependency(
    execute: Any, given: Any, optional: bool, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    inject = [{**each, "optional": optional} for each in INJECT]
    response = run(make_tool(execute, inject=inject), context={"db": given})

    assert code_of(response) == "missing_dependency"
    assert f"no usable 'db': {why}" in caplog.text


def test_the_log_explains_a_connection_of_another_thread(caplog: pytest.LogCaptureFixture) -> None:
    connection = sqlite3.connect(":memory:")

    assert run(make_tool(uses, inject=INJECT), context={"db": connection}).content == 1
    response = run(make_tool(plain_uses, inject=INJECT), context={"db": connection})

    assert code_of(response) == "missing_dependency"
    assert "Give a factory" in caplog.text
    assert "check_same_thread=False" in caplog.text


REPORTS = """
{kind}def execute(self, request, context):
    for number in range(3):
        {call}context.report_progress(number + 1, 3, "step")
    return 1
"""


@ERAS
async def test_progress_is_reported_from_plain_and_async_functions(project: Project, era: str) -> None:
    project.add_plain_tool("plain_reports", REPORTS.format(kind="", call=""))
    project.add_plain_tool("async_reports", REPORTS.format(kind="async ", call="await "))
    project.generate()

    async with project.stdio_client(era) as client:
        for name in ("plain_reports", "async_reports"):
            reported: asyncio.Queue[float] = asyncio.Queue()

            async def progress(done: float, total: float | None, message: str | None) -> None:
                await reported.put(done)  # noqa: B023

            assert error_code(await client.call_tool(name, {}, progress_callback=progress)) is None
            async with asyncio.timeout(SECONDS):
                assert [await reported.get() for _ in range(3)] == [1, 2, 3]


BLOCKS = """
async def execute(self, request, context):
    {before}
    time.sleep(3)
    return 1
"""


async def test_a_tool_that_blocks_the_event_loop_is_logged_with_its_line(project: Project) -> None:
    names = {"blocks": "pass", "blocks_later": "await asyncio.sleep(0.05)"}
    for name, before in names.items():
        project.add_plain_tool(name, BLOCKS.format(before=before), before="import asyncio, time")
    project.generate()

    async with project.server() as server, server.client("auto") as client:
        assert text_of(await client.call_tool("echo", {"text": "a"}))
        for name in names:
            assert text_of(await client.call_tool(name, {}))

    for name in names:
        (line,) = [line for line in server.log.splitlines() if f"tool {name} blocks the event loop" in line]
        assert f"tools/{name}.py:7 (Tool.execute)" in line
    assert "tool echo blocks" not in server.log
