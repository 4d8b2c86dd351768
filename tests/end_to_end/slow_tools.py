"""Tools that wait, occupy a thread, block the event loop, cannot be cancelled, or never end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.preloaded import python_command

from .project import Project

SESSIONS = pytest.mark.parametrize("session", [False, True], ids=["modern", "legacy"])
# for tests that do not depend on the protocol era
NEWEST = pytest.mark.parametrize(
    "session", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["modern", "legacy"]
)

BEFORE = "import asyncio, pathlib, time"
WAITING = "seconds: {type: number}, file: {type: string}"
NAP = """
async def execute(self, request, context):
    file = pathlib.Path(request.file)
    file.touch()
    for _ in range(int(request.seconds / 0.02)):
        if file.with_suffix(".end").exists():  # written by `end`
            break
        await asyncio.sleep(0.02)
    return "rested"
"""
HANG = """
def execute(self, request, context):
    pathlib.Path(request.file).touch()
    time.sleep(request.seconds)
    return "rested"
"""
SWALLOW = """
async def execute(self, request, context):
    pathlib.Path(request.file).touch()
    while True:
        try:
            await asyncio.sleep(request.seconds)
        except asyncio.CancelledError:
            pass
"""
COUNT = """
async def execute(self, request, context):
    file = pathlib.Path(request.file)
    try:
        for number in range(1_000_000):
            yield number
            file.write_text(str(number))
            await asyncio.sleep(0.05)
    finally:
        file.with_suffix(".ended").touch()
"""
GROW = """
async def execute(self, request, context):
    import growing
    growing.add(request.name)
    return "added"
"""
GROWING = """
import sys
from generated import catalog
from generated.mcp_server import build_server
from generated.tools.echo import EchoTool
from toolgen import serving

TOOLKIT = catalog.toolkit()

def add(name):
    class Added(EchoTool):
        definition = {**EchoTool.definition, "name": name}
        async def execute(self, request, context):
            return None
    TOOLKIT.add(Added())

if __name__ == "__main__":
    sys.modules["growing"] = sys.modules["__main__"]
    sys.exit(serving.main(lambda: build_server(TOOLKIT)))
"""


def add_tools(project: Project) -> None:
    """Add the tools, and `growing.py`, a server to which tools are added while it runs."""
    for name, body in (
        ("nap", NAP),
        ("hang", HANG),
        ("block", f"async {HANG.lstrip()}"),
        ("swallow", SWALLOW),
    ):
        project.add_plain_tool(name, body, before=BEFORE, properties=WAITING)
    stream = "stream: {chunk_schema: {type: integer}}"
    project.add_plain_tool("count", COUNT, before=BEFORE, more=stream, properties="file: {type: string}")
    project.add_plain_tool("grow", GROW, properties="name: {type: string}")
    project.write("growing.py", GROWING)


async def begun(file: Path) -> None:
    """Wait until a tool has written this file."""
    while not file.exists():
        await asyncio.sleep(0.02)


def end(file: Path) -> None:
    """Let the tool that wrote this file continue."""
    file.with_suffix(".end").touch()


def nap(seconds: float, file: Path) -> dict[str, Any]:
    """Return arguments for tools that wait."""
    return {"seconds": seconds, "file": str(file)}


@asynccontextmanager
async def stdio(
    project: Project, *flags: str, **env: str
) -> AsyncIterator[tuple[asyncio.subprocess.Process, Any]]:
    """Start the stdio server; yield its process, after the handshake, and a function that writes a line to it."""
    process = await asyncio.create_subprocess_exec(
        *python_command(project.environment(env)),
        "-m",
        "generated.mcp_server",
        *flags,
        cwd=project.root,
        env=project.environment(env),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None

    def write(text: str | bytes) -> None:
        assert process.stdin is not None
        process.stdin.write((text if isinstance(text, bytes) else text.encode()) + b"\n")

    write(
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        '"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}'
    )
    write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    try:
        async with asyncio.timeout(120):
            await line_of(process)
            yield process, write
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def line_of(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """Read one JSON-RPC message of a stdio server."""
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(await process.stdout.readline())
    return found
