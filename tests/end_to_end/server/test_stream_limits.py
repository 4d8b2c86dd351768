"""Streams are limited, do not delay other calls, and end soon after their client disconnects."""

from __future__ import annotations

import asyncio

import pytest

from tests.end_to_end.project import NEWEST_ERA, Project, error_code, text_of
from tests.samples import sample

ENDLESS_STREAM = """
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
        body = ENDLESS_STREAM.format(name=name, kind=kind, chunk=chunk)
        project.add_plain_tool(
            name, body, before="from pathlib import Path", more="stream: {chunk_schema: {}}"
        )
    project.generate()
    return project


@NEWEST_ERA
@pytest.mark.parametrize("name", sample(ENDLESS, (0,)))
async def test_an_endless_stream_is_too_large_and_does_not_delay_other_calls(
    endless: Project, era: str, name: str
) -> None:
    chunks = 30_000 if name == "plain_floods" else 100_000  # each of its chunks comes from a thread
    limits = {"TOOLGEN_MAX_STREAM_CHUNKS": str(chunks), "TOOLGEN_MAX_STREAM_BYTES": "20000000"}

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
    number = int((endless.root / f"{name}.closed").read_text())
    assert number <= chunks + 2
    if name == "fat":
        assert number < 2_100


@NEWEST_ERA
async def test_a_result_beyond_the_limit_is_too_large(project: Project, era: str) -> None:
    """A response of 100 MiB is not sent."""
    body = "async def execute(self, request, context): return 'x' * request.size"
    project.add_plain_tool("big", body, properties="size: {type: integer}")
    project.generate()

    async with project.server(TOOLGEN_MAX_RESULT_BYTES="1000") as server, server.client(era) as client:
        found = [error_code(await client.call_tool("big", {"size": size})) for size in (900, 999)]
    assert found == [None, "too_large"]

    async with project.stdio_client(era) as client:
        found = error_code(await client.call_tool("big", {"size": 100 * 1024 * 1024}))
    assert found == "too_large"
