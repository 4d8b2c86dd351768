"""Injected values of a plain tool are released when its thread has ended, not when its call has."""

from __future__ import annotations

import asyncio
import textwrap

import pytest

from tests.end_to_end.project import NEWEST_ERA, Project, error_code, text_of

INJECT = "inject: [{name: db, type: typing.Any}]\n"
CONTEXT = """
import asyncio, pathlib
from contextlib import asynccontextmanager

class Connection:
    users = 0
    most = 0
    uses_after_close = 0
    closed = True
    threads = 0

    def begin(self):
        self.threads += 1
        Connection.most = max(Connection.most, self.threads)

    def end(self):
        self.threads -= 1

    def use(self):
        if self.closed:
            Connection.uses_after_close += 1

pool = asyncio.Queue()
pool.put_nowait(Connection())

@asynccontextmanager
async def db():
    connection = await pool.get()
    Connection.users += 1
    Connection.most = max(Connection.most, Connection.users)
    connection.closed = False
    try:
        yield connection
    finally:
        connection.closed = True
        Connection.users -= 1
        pool.put_nowait(connection)

CONTEXT = {"db": db}
"""
STATE = """
async def execute(self, request, context):
    found = tools.Connection
    return [found.most, found.uses_after_close, found.users]
"""
WORK = "db.begin()\nfor _ in range(30):\n    time.sleep(0.02)\n    db.use()\ndb.end()"
TOOLS = {
    "uses": (
        "",
        f"def execute(self, request, context, *, db):\n{textwrap.indent(WORK, '    ')}\n    return 1",
    ),
    "times_out": (
        "timeout: 0.2",
        f"def execute(self, request, context, *, db):\n{textwrap.indent(WORK, '    ')}\n    return 1",
    ),
    "previews": (
        "confirm: {message: Really?, preview: true, on_unsupported: two_step}\ntimeout: 0.2",
        "def execute(self, request, context, *, db): return 1\n\n"
        f"def preview(self, request, context, *, db):\n{textwrap.indent(WORK, '    ')}\n    return 'it'",
    ),
}


@pytest.fixture
def one_connection(project: Project) -> Project:
    for name, (more, body) in TOOLS.items():
        project.add_plain_tool(name, body, before="import time", more=INJECT + more)
    project.add_plain_tool("state", STATE, before="import tools")
    project.write("tools/__init__.py", CONTEXT)
    project.generate()
    return project


@NEWEST_ERA
@pytest.mark.parametrize("name", ["times_out", "previews"])
async def test_a_connection_is_not_shared_after_a_timeout(
    one_connection: Project, era: str, name: str
) -> None:
    async with one_connection.stdio_client(era) as client:
        codes = [error_code(await client.call_tool(name, {})) for _ in range(4)]
        assert codes == ["timeout"] * 4
        while (found := text_of(await client.call_tool("state", {}))).rpartition(",")[2] != "0]":
            await asyncio.sleep(0.1)
    assert found == "[1,0,0]"


IN_PROCESS = """
import asyncio
from generated import catalog
import tools

async def main():
    kit = catalog.toolkit()
    for number in range(10):
        task = asyncio.create_task(kit.call("uses", {}))
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
    while tools.Connection.users:
        await asyncio.sleep(0.05)
    print(tools.Connection.most, tools.Connection.uses_after_close)

asyncio.run(asyncio.wait_for(main(), 60))
"""


def test_a_connection_is_not_shared_after_a_cancellation(one_connection: Project) -> None:
    done = one_connection.python("-c", IN_PROCESS)
    assert done.stdout == "1 0\n", done.stderr
