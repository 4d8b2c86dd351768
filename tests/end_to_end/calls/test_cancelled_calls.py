"""A client cancels calls of tools that raise on their way out; the server answers the next call.

Set-up, previews, streams and injected values that are cancelled: tests/runtime/test_cancellation.py.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from pathlib import Path

import anyio
import pytest

from tests.end_to_end.project import ERAS, TRANSPORTS, Project, text_of

EXITS = ("os_error", "swallow_and_raise", "cancelled_group", "new_cancellation", "system_exit")
BEFORE = """
import asyncio, pathlib, time

EXITS = {
    "os_error": OSError("no space left"),
    "cancelled_group": BaseExceptionGroup("g", [asyncio.CancelledError(), OSError()]),
    "new_cancellation": asyncio.CancelledError(),
    "system_exit": SystemExit(3),
    "swallow_and_raise": OSError("later"),
}
"""
BODIES = {
    "waits": """
async def execute(self, request, context):
    file = pathlib.Path(request.file)
    file.touch()
    try:
        await asyncio.sleep(300)
    except asyncio.CancelledError:
        if request.exit != "swallow_and_raise":
            raise EXITS[request.exit]
    finally:
        file.with_suffix(".left").touch()
    raise EXITS[request.exit]
""",
    "plain": """
def execute(self, request, context):
    file = pathlib.Path(request.file)
    file.touch()
    while not file.with_suffix(".end").exists():
        time.sleep(0.01)
    file.with_suffix(".left").touch()
    raise EXITS[request.exit]
""",
}


@pytest.fixture
def leaving(project: Project) -> Project:
    for name, body in BODIES.items():
        properties = "file: {type: string}, exit: {type: string}"
        project.add_plain_tool(name, body, before=BEFORE, properties=properties)
    project.generate()
    return project


async def appears(file: Path) -> None:
    async with asyncio.timeout(60):
        while not file.exists():
            await asyncio.sleep(0.01)


@ERAS
@TRANSPORTS
async def test_a_server_survives_cancelled_calls_that_raise(
    leaving: Project, transport: str, era: str
) -> None:
    async with leaving.client(transport, era) as client:
        for name, leave in itertools.product(BODIES, EXITS):
            file = leaving.root / f"{name}-{leave}"
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, name, {"file": str(file), "exit": leave})
                await appears(file)
                group.cancel_scope.cancel()
            file.with_suffix(".end").touch()
            await appears(file.with_suffix(".left"))
            answer = await client.call_tool("echo", {"text": file.name})  # the server must answer
            assert text_of(answer) == json.dumps({"text": file.name}, separators=(",", ":"))
