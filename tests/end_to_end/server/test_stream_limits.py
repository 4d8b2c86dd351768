"""Streams are limited, do not delay other calls, and end soon after their client disconnects."""

from __future__ import annotations

import asyncio

import pytest

from tests.end_to_end.project import NEWEST_ERA, Project, error_code, text_of

SPEC = """
name: {name}
description: Stream without end.
input_schema: {{type: object, additionalProperties: false, properties: {{}}}}
stream: {{chunk_schema: {{}}}}
{more}
"""
MODULE = """
from pathlib import Path
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    {kind}def execute(self, request, context):
        try:
            number = 0
            Path("{name}.begun").touch()
            while True:
                number += 1
                yield {chunk}
        finally:
            Path("{name}.closed").write_text(str(number))
"""
ENDLESS = {"floods": ("async ", "number"), "plain_floods": ("", "number"), "fat": ("async ", "'x' * 10_000")}


@pytest.fixture
def endless(project: Project) -> Project:
    for name, (kind, chunk) in ENDLESS.items():
        cls = "".join(word.capitalize() for word in name.split("_"))
        module = MODULE.format(name=name, cls=cls, kind=kind, chunk=chunk)
        project.add_tool(name, SPEC.format(name=name, more=""), module)
    project.generate()
    return project


@NEWEST_ERA
@pytest.mark.parametrize("name", list(ENDLESS))
def test_an_endless_stream_is_too_large_and_does_not_delay_other_calls(
    endless: Project, era: str, name: str
) -> None:
    chunks = 30_000 if name == "plain_floods" else 100_000  # each of its chunks comes from a thread
    limits = {"TOOLGEN_MAX_STREAM_CHUNKS": str(chunks), "TOOLGEN_MAX_STREAM_BYTES": "20000000"}

    async def run() -> None:
        async with (
            endless.server(**limits) as server,
            server.client(era) as client,
            server.client(era) as other,
        ):
            assert text_of(await other.call_tool("echo", {"text": "a"})) == '{"text":"a"}'
            flood = asyncio.create_task(client.call_tool(name, {}))
            await asyncio.sleep(0.01)  # takes a tenth of a second on a fast machine
            assert text_of(await other.call_tool("echo", {"text": "b"})) == '{"text":"b"}'
            assert not flood.done()
            assert error_code(await flood) == "too_large"

    asyncio.run(run())
    number = int((endless.root / f"{name}.closed").read_text())
    assert number <= chunks + 2
    if name == "fat":
        assert number < 2_100


IN_PROCESS = """
import asyncio, sys
from contextlib import aclosing
from pathlib import Path
from generated import catalog

async def main():
    name = sys.argv[1]
    kit = catalog.toolkit()
    async with aclosing(kit.stream(name, {})) as stream:
        for _ in range(5):
            await anext(stream)
        await asyncio.sleep(0.2)
    while not Path(name + ".closed").exists():
        await asyncio.sleep(0.02)
    print("ahead", int(Path(name + ".closed").read_text()) < 200)
    for end in (".begun", ".closed"):
        Path(name + end).unlink()
    task = asyncio.create_task(kit.call(name, {}))
    while not Path(name + ".begun").exists():
        await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.wait([task])
    while not Path(name + ".closed").exists():
        await asyncio.sleep(0.02)
    print("cancelled", task.cancelled())

asyncio.run(asyncio.wait_for(main(), 40))
"""


@pytest.mark.parametrize("name", ["floods", "plain_floods"])
def test_a_stream_ends_soon_after_its_consumer(endless: Project, name: str) -> None:
    done = endless.python("-c", IN_PROCESS, name, TOOLGEN_MAX_STREAM_CHUNKS="100000000")
    assert done.stdout == "ahead True\ncancelled True\n", done.stderr


BIG = """
from generated.tools.big import BigTool

class Big(BigTool):
    async def execute(self, request, context):
        return "x" * request.size
"""


@NEWEST_ERA
def test_a_result_beyond_the_limit_is_too_large(project: Project, era: str) -> None:
    """A response of 100 MiB is not sent."""
    project.add_tool(
        "big",
        "name: big\ndescription: Return a text.\ninput_schema: {type: object, additionalProperties: false, "
        "properties: {size: {type: integer}}, required: [size]}\n",
        BIG,
    )
    project.generate()

    async def run() -> list[str | None]:
        async with project.server(TOOLGEN_MAX_RESULT_BYTES="1000") as server, server.client(era) as client:
            return [error_code(await client.call_tool("big", {"size": size})) for size in (900, 999)]

    assert asyncio.run(run()) == [None, "too_large"]

    async def by_default() -> str | None:
        async with project.stdio_client(era) as client:
            return error_code(await client.call_tool("big", {"size": 100 * 1024 * 1024}))

    assert asyncio.run(by_default()) == "too_large"
