"""Plain tools run in a bounded thread pool; waiting is no part of `timeout`; a full queue answers `overloaded`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.end_to_end.project import Project, error_code, text_of
from tests.end_to_end.slow_tools import begun

BEFORE = "import asyncio, time\nfrom pathlib import Path"
ANSWERS = "def execute(self, request, context): return 1"
ASYNC = """
running = most = 0

async def execute(self, request, context):
    self.running += 1
    self.most = max(self.most, self.running)
    while not Path("end").exists():
        await asyncio.sleep(0.02)
    self.running -= 1
    return self.most
"""
WAITS = """
def execute(self, request, context):
    Path("begun").touch()
    while not Path("end").exists():
        time.sleep(0.02)
    return 1
"""
LOOKS_UP = """
async def execute(self, request, context):
    await asyncio.get_running_loop().getaddrinfo("localhost", 80)
    return 1
"""


def end(project: Project) -> None:
    """Let waiting tools continue."""
    (project.root / "end").touch()


async def all_but(running: int, calls: list[asyncio.Task[Any]]) -> None:
    """Wait until all but so many calls are answered."""
    while sum(not call.done() for call in calls) > running:
        await asyncio.sleep(0.02)


@pytest.fixture
def slow(project: Project) -> Project:
    for name, body, more in (
        ("answers", ANSWERS, ""),
        ("timed", ANSWERS, "timeout: 3"),
        ("waits", WAITS, ""),
        ("waits_timed", WAITS, "timeout: 1"),
        ("looks_up", LOOKS_UP, ""),
    ):
        project.add_plain_tool(name, body, before=BEFORE, more=more)
    project.generate()
    return project


async def test_a_tool_that_hangs_leaves_threads_to_the_others(slow: Project) -> None:
    async with slow.server(TOOLGEN_THREADS="4") as server, server.client("auto") as client:
        hanging = [asyncio.create_task(client.call_tool("waits", {})) for _ in range(20)]
        await begun(slow.root / "begun")
        answers = [await client.call_tool("answers", {}) for _ in range(10)]
        assert [error_code(each) for each in answers] == [None] * 10
        assert not any(each.done() for each in hanging)
        end(slow)
        assert [error_code(await each) for each in hanging] == [None] * 20


async def test_time_in_the_queue_does_not_count_as_timeout_and_other_tools_run(slow: Project) -> None:
    async with slow.server(TOOLGEN_THREADS="1") as server, server.client("auto") as client:
        first = asyncio.create_task(client.call_tool("waits", {}))
        await begun(slow.root / "begun")
        queued = asyncio.create_task(client.call_tool("timed", {}))
        looked_up = await client.call_tool("looks_up", {})
        await asyncio.sleep(3.5)  # longer than the timeout of the call in the queue
        assert not first.done()
        end(slow)
        found = [error_code(each) for each in (await first, await queued, looked_up)]
    assert found == [None, None, None]


async def test_a_full_queue_answers_overloaded_with_retry_after(slow: Project) -> None:
    async with (
        slow.server(TOOLGEN_THREADS="1", TOOLGEN_QUEUE="1") as server,
        server.client("auto") as client,
    ):
        calls = [asyncio.create_task(client.call_tool("waits", {})) for _ in range(4)]
        await all_but(2, calls)
        end(slow)
        results = [await each for each in calls]
        codes = sorted(str(error_code(each)) for each in results)
        assert codes == ["None", "None", "overloaded", "overloaded"]
        error = next(each.meta["toolgen/error"] for each in results if each.is_error)
        assert error["retryable"] is True
        assert error["retry_after"] >= 1


async def test_abandoned_calls_do_not_block_the_next_one_and_are_logged(slow: Project) -> None:
    async with slow.server(TOOLGEN_THREADS="8") as server, server.client("auto") as client:
        codes = [
            error_code(each)
            for each in await asyncio.gather(*(client.call_tool("waits_timed", {}) for _ in range(4)))
        ]
        assert codes == ["timeout"] * 4
        assert error_code(await client.call_tool("answers", {})) is None
        end(slow)
    log = server.log
    assert log.count("tool waits_timed continues in its thread") == 4


@pytest.mark.parametrize("name", ["one_at_once", "plain_one_at_once"])
async def test_concurrency_limits_how_often_a_tool_runs_at_once(project: Project, name: str) -> None:
    body = ASYNC if name == "one_at_once" else WAITS
    project.add_plain_tool(name, body, before=BEFORE, more="concurrency: 1")
    project.generate()

    async with project.server(TOOLGEN_QUEUE="4") as server, server.client("auto") as client:
        calls = [asyncio.create_task(client.call_tool(name, {})) for _ in range(8)]
        await all_but(5, calls)
        end(project)
        results = await asyncio.gather(*calls)
        found = [error_code(each) or text_of(each) for each in results]
    assert sorted(found) == ["1"] * 5 + ["overloaded"] * 3
