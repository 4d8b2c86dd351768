"""Progress reports, injected context managers, types of injected values, and set-up."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from tests.end_to_end.project import ERAS, Project, error_code, text_of

SPEC = """
name: {name}
description: Use what is given.
input_schema: {{type: object, additionalProperties: false, properties: {{}}}}
{more}
"""
MODULE = """
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    {kind}def execute(self, request, context, *, db):
        return db.execute("select 1").fetchone()[0]
"""
CONTEXT = """
import pathlib, sqlite3
from contextlib import contextmanager

def nothing():
    return None

@contextmanager
def entered():
    db = sqlite3.connect(":memory:")
    try:
        yield db
    finally:
        db.execute("select 1")  # in the thread that made it
        db.close()
        pathlib.Path("left").touch()

def connect():
    return sqlite3.connect(":memory:")

CONTEXTS = {
    "missing": {},
    "none": {"db": None},
    "gives_none": {"db": nothing},
    "wrong": {"db": "a text"},
    "gives_wrong": {"db": dict},
    "entered": {"db": entered},
    "connects": {"db": connect},
    "value": {"db": connect()},
}
"""
CALL = """
import asyncio, logging, sys
import tools
from generated import catalog
logging.basicConfig()
kit = catalog.toolkit(context=tools.CONTEXTS[sys.argv[2]])
response = asyncio.run(kit.call(sys.argv[1], {}))
print(response.error.code if response.error else response.content)
"""
CODES = {
    "missing": "missing_dependency",
    "none": "missing_dependency",
    "gives_none": "missing_dependency",
    "wrong": "missing_dependency",
    "gives_wrong": "missing_dependency",
    "entered": "1",
    "connects": "1",
}


@pytest.fixture
def injecting(project: Project) -> Project:
    more = "inject: [{name: db, type: sqlite3.Connection}]"
    for name, kind in (("async_uses", "async "), ("plain_uses", "")):
        cls = "".join(word.capitalize() for word in name.split("_"))
        module = MODULE.format(name=name, cls=cls, kind=kind)
        project.add_tool(name, SPEC.format(name=name, more=more), module)
    project.write("tools/__init__.py", CONTEXT)
    project.generate()
    return project


@pytest.mark.parametrize("name", ["async_uses", "plain_uses"])
def test_an_injected_value_of_another_type_is_a_missing_dependency(injecting: Project, name: str) -> None:
    for given, code in CODES.items():
        done = injecting.python("-c", CALL, name, given)
        assert done.stdout == f"{code}\n", (given, done.stderr)
        if given in ("none", "gives_none"):
            assert "no usable 'db': it is None" in done.stderr
        if given == "wrong":
            assert "no usable 'db': it must be sqlite3.Connection, and is str" in done.stderr
    assert (injecting.root / "left").exists()


def test_the_log_explains_a_connection_of_another_thread(injecting: Project) -> None:
    assert injecting.python("-c", CALL, "async_uses", "value").stdout == "1\n"
    done = injecting.python("-c", CALL, "plain_uses", "value")
    assert done.stdout == "missing_dependency\n"
    assert "Give a factory" in done.stderr
    assert "check_same_thread=False" in done.stderr


PROGRESS = """
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    {kind}def execute(self, request, context):
        for number in range(3):
            {call}context.report_progress(number + 1, 3, "step")
        return 1
"""


@ERAS
def test_progress_is_reported_from_plain_and_async_functions(project: Project, era: str) -> None:
    names = {"plain_reports": ("", ""), "async_reports": ("async ", "await "), "forgets": ("async ", "")}
    for name, (kind, call) in names.items():
        cls = "".join(word.capitalize() for word in name.split("_"))
        module = PROGRESS.format(name=name, cls=cls, kind=kind, call=call)
        project.add_tool(name, SPEC.format(name=name, more=""), module)
    project.generate()

    async def run() -> None:
        async with project.stdio_client(era) as client:
            for name in names:
                reported: list[float] = []

                async def progress(done: float, total: float | None, message: str | None) -> None:
                    reported.append(done)  # noqa: B023

                assert error_code(await client.call_tool(name, {}, progress_callback=progress)) is None
                until = time.monotonic() + 10
                while len(reported) < 3 and time.monotonic() < until and name != "forgets":
                    await asyncio.sleep(0.02)
                assert reported == [1, 2, 3][: len(reported)]
                assert name == "forgets" or len(reported) == 3

    asyncio.run(run())


SETUP = """
import sqlite3
from toolgen.runtime import SetupContext
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    {kind}def setup(self, context: SetupContext) -> None:
        assert context.tool_name == "{name}"
        context.logger.info("ready")
        assert context.config is not None and context.checkpoint is not None
        self.db = context.get("db")
        self.size = context.values["size"]

    async def execute(self, request, context):
        return [self.db, self.size]

    {kind}def close(self):
        assert self.db == "open"
        print("close")
"""
SETUP_MAIN = """
import asyncio, logging, sys
from generated import catalog
logging.basicConfig()

async def main():
    async with catalog.toolkit(context={"db": "open", "size": 3}) as kit:
        for _ in range(2):
            print((await kit.call(sys.argv[1], {})).as_text())

asyncio.run(main())
"""


@pytest.mark.parametrize("name", ["async_setup", "plain_setup"])
def test_setup_receives_configuration_and_context(project: Project, name: str) -> None:
    kind = "async " if name == "async_setup" else ""
    cls = "".join(word.capitalize() for word in name.split("_"))
    module = SETUP.format(name=name, cls=cls, kind=kind)
    project.add_tool(name, SPEC.format(name=name, more=""), module)
    project.generate()
    done = project.python("-c", SETUP_MAIN, name)
    assert done.stdout.splitlines() == ['["open",3]', '["open",3]', "close"], done.stderr


HOLDS = """
import asyncio, time
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    async def execute(self, request, context):
        {before}
        time.sleep(3)
        return 1
"""


def test_a_tool_that_blocks_the_event_loop_is_logged_with_its_line(project: Project) -> None:
    names: dict[str, Any] = {"holds": "pass", "holds_later": "await asyncio.sleep(0.05)"}
    for name, before in names.items():
        cls = "".join(word.capitalize() for word in name.split("_"))
        module = HOLDS.format(name=name, cls=cls, before=before)
        project.add_tool(name, SPEC.format(name=name, more="timeout: 20"), module)
    project.generate()

    async def run() -> str:
        async with project.server() as server, server.client("auto") as client:
            for name in ("echo", *names):
                arguments = {"text": "a"} if name == "echo" else {}
                assert text_of(await client.call_tool(name, arguments))
        return server.log

    log = asyncio.run(run())
    for name in names:
        (line,) = [line for line in log.splitlines() if f"tool {name} blocks the event loop" in line]
        assert f"tools/{name}.py:7 (Tool.execute)" in line
    assert "tool echo holds" not in log
