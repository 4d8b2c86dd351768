"""A client cancels calls of tools that raise on their way out; the server answers the next call."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.end_to_end.project import ERAS, Project, text_of

EXITS = ("os_error", "declared", "cancelled_group", "new_cancellation", "system_exit", "swallow_and_raise")
WAYS = pytest.mark.parametrize(
    "exits",
    [pytest.param(EXITS, marks=pytest.mark.slow, id="all"), pytest.param(EXITS[:2], id="few")],
)
LEAVING = """
import asyncio, pathlib, threading
from contextlib import asynccontextmanager

EXITS = {
    "os_error": lambda: OSError("no space left"),
    "cancelled_group": lambda: BaseExceptionGroup("g", [asyncio.CancelledError(), OSError()]),
    "new_cancellation": asyncio.CancelledError,
    "system_exit": lambda: SystemExit(3),
}

def leave(exit, declared):
    if exit == "declared":
        raise declared("declared")
    if exit in EXITS:
        raise EXITS[exit]()

async def pause(request, declared):
    file = pathlib.Path(request.file)
    if file.exists():
        return
    file.touch()
    try:
        await asyncio.sleep(300)
    except asyncio.CancelledError:
        if not request.exit.startswith("swallow"):
            leave(request.exit, declared)
            raise
    finally:
        file.with_suffix(".left").touch()
    if request.exit == "swallow_and_raise":
        raise OSError("later")
"""
SPEC = """
name: {name}
description: Wait until the call is cancelled, then leave in some way.
input_schema:
  type: object
  additionalProperties: false
  required: [file, exit]
  properties: {{file: {{type: string}}, exit: {{type: string}}}}
errors: [{{code: declared_{name}, description: Declared.}}]
{more}
"""
MODULE = """
import asyncio, pathlib, time
from contextlib import asynccontextmanager
from leaving import leave, pause
from generated.tools.{name} import {cls}Tool, Declared{cls}Error as Declared

class Tool({cls}Tool):
    {body}
"""
BODIES = {
    "waits": "async def execute(self, request, context): await pause(request, Declared)",
    "chunks": """
    async def execute(self, request, context):
        try:
            yield 1
        finally:
            await pause(request, Declared)""",
    "released": """
    async def execute(self, request, context, *, value):
        value.append((request, Declared))""",
    "previewed": """
    async def preview(self, request, context):
        await pause(request, Declared)
        return "It waits."
    async def execute(self, request, context): return 1""",
    "plain": """
    def execute(self, request, context):
        file = pathlib.Path(request.file)
        if file.exists():
            return
        file.touch()
        while not file.with_suffix(".end").exists():
            time.sleep(0.01)
        file.with_suffix(".left").touch()
        leave(request.exit, Declared)""",
    "readies": """
    async def setup(self):
        from types import SimpleNamespace
        file = pathlib.Path("setup.txt")
        if file.exists():
            await pause(SimpleNamespace(**__import__("json").loads(file.read_text())), Declared)
            raise Declared("not ready")
    async def execute(self, request, context): return 1""",
}
MORE = {
    "chunks": "stream: {chunk_schema: {type: integer}}",
    "released": "inject: [{name: value, type: builtins.list}]",
    "previewed": "confirm: {message: Really?, preview: true, on_unsupported: two_step}",
}
CONTEXT = """
from contextlib import asynccontextmanager
from leaving import pause

@asynccontextmanager
async def value():
    given = []
    yield given
    await pause(*given[0])

CONTEXT = {"value": value}
"""


@pytest.fixture
def leaving(project: Project) -> Project:
    for name, body in BODIES.items():
        cls = name.capitalize()
        project.add_tool(
            name,
            SPEC.format(name=name, more=MORE.get(name, "")),
            MODULE.format(name=name, cls=cls, body=body.strip()),
        )
    project.write("leaving.py", LEAVING)
    project.write("tools/__init__.py", CONTEXT)
    project.generate()
    return project


async def appears(file: Path) -> None:
    async with asyncio.timeout(60):
        while not file.exists():
            await asyncio.sleep(0.01)


async def cancel_each(client: Any, project: Project, exits: tuple[str, ...]) -> None:
    """Cancel a call of each tool in each way; after each, the server must answer."""
    for name in BODIES:
        for leaving in exits:
            file = project.root / "places" / f"{id(client)}-{name}-{leaving}"
            file.parent.mkdir(exist_ok=True)
            arguments = {"file": str(file), "exit": leaving}
            if name == "readies":
                project.write("setup.txt", json.dumps(arguments))
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, name, arguments)
                await appears(file)
                group.cancel_scope.cancel()
            file.with_suffix(".end").touch()
            await appears(file.with_suffix(".left"))
            answer = await client.call_tool("echo", {"text": file.name})
            assert text_of(answer) == json.dumps({"text": file.name}, separators=(",", ":"))


@WAYS
@ERAS
@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_server_survives_cancelled_calls_that_raise(
    leaving: Project, transport: str, era: str, exits: tuple[str, ...]
) -> None:
    if transport == "stdio":
        async with leaving.stdio_client(era) as client:
            await cancel_each(client, leaving, exits)
        return
    async with leaving.server() as server:
        async with server.client(era) as client:
            await cancel_each(client, leaving, exits)
        assert server.process.poll() is None
