"""R4: plain tools have a bounded pool of their own; waiting is not charged, and what cannot wait is `overloaded`."""

from __future__ import annotations

import asyncio
import time

import pytest

from .project import Project, error_code, text_of

SPEC = """
name: {name}
description: Take a while.
input_schema: {{type: object, additionalProperties: false, properties: {{seconds: {{type: number}}}}, required: [seconds]}}
{more}
"""
SLEEPS = """
import time
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    def execute(self, request, context):
        time.sleep(request.seconds)
        return 1
"""
ASYNC = """
import asyncio
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    running = most = 0

    async def execute(self, request, context):
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(request.seconds)
        self.running -= 1
        return self.most
"""
LOOKS_UP = """
import asyncio
from generated.tools.{name} import {cls}Tool

class Tool({cls}Tool):
    async def execute(self, request, context):
        await asyncio.get_running_loop().getaddrinfo("localhost", 80)
        return 1
"""


@pytest.fixture
def slow(project: Project) -> Project:
    for name, module, more in (
        ("sleeps", SLEEPS, ""),
        ("timed", SLEEPS, "timeout: 3"),
        ("looks_up", LOOKS_UP, ""),
    ):
        cls = "".join(word.capitalize() for word in name.split("_"))
        project.add_tool(name, SPEC.format(name=name, more=more), module.format(name=name, cls=cls))
    project.generate()
    return project


def test_sixty_four_calls_take_two_turns_of_thirty_two_threads(slow: Project) -> None:
    async def run() -> float:
        async with slow.stdio_client("auto") as client:
            await client.call_tool("sleeps", {"seconds": 0})
            began = time.monotonic()
            results = await asyncio.gather(*(client.call_tool("sleeps", {"seconds": 1}) for _ in range(64)))
            assert [error_code(each) for each in results] == [None] * 64
            return time.monotonic() - began

    assert asyncio.run(run()) < 8  # 11.1 before


def test_time_in_the_queue_is_not_charged_and_other_work_goes_on(slow: Project) -> None:
    async def run() -> list[str | None]:
        async with slow.server(TOOLGEN_THREADS="1") as server, server.client("auto") as client:
            first = asyncio.create_task(client.call_tool("sleeps", {"seconds": 5}))
            await asyncio.sleep(0.5)
            waits = asyncio.create_task(client.call_tool("timed", {"seconds": 0}))
            began = time.monotonic()
            looked_up = await client.call_tool("looks_up", {"seconds": 0})
            assert time.monotonic() - began < 4
            return [error_code(each) for each in (await first, await waits, looked_up)]

    assert asyncio.run(run()) == [None, None, None]


def test_a_full_queue_is_overloaded_and_says_when_to_come_back(slow: Project) -> None:
    async def run() -> None:
        async with (
            slow.server(TOOLGEN_THREADS="1", TOOLGEN_QUEUE="1") as server,
            server.client("auto") as client,
        ):
            calls = [asyncio.create_task(client.call_tool("sleeps", {"seconds": 1.5})) for _ in range(4)]
            results = [await each for each in calls]
            codes = sorted(str(error_code(each)) for each in results)
            assert codes == ["None", "None", "overloaded", "overloaded"]
            error = next(each.meta["toolgen/error"] for each in results if each.is_error)
            assert error["retryable"] is True
            assert error["retry_after"] >= 1

    asyncio.run(run())


def test_calls_that_were_left_do_not_block_the_next_one_and_are_logged_once(slow: Project) -> None:
    async def run() -> str:
        async with slow.server(TOOLGEN_THREADS="5") as server, server.client("auto") as client:
            codes = [
                error_code(each)
                for each in await asyncio.gather(
                    *(client.call_tool("timed", {"seconds": 15}) for _ in range(4))
                )
            ]
            assert codes == ["timeout"] * 4
            began = time.monotonic()
            assert error_code(await client.call_tool("sleeps", {"seconds": 0})) is None
            assert time.monotonic() - began < 5
            return server.log

    log = asyncio.run(run())
    assert log.count("tool timed runs on in its thread after its call has ended") == 1


@pytest.mark.parametrize("name", ["one_at_once", "plain_one_at_once"])
def test_a_tool_runs_as_often_at_once_as_its_spec_says(project: Project, name: str) -> None:
    module, cls = (ASYNC, "OneAtOnce") if name == "one_at_once" else (SLEEPS, "PlainOneAtOnce")
    spec = SPEC.format(name=name, more="concurrency: 1")
    project.add_tool(name, spec, module.format(name=name, cls=cls))
    project.generate()

    async def run() -> list[str]:
        async with project.server(TOOLGEN_QUEUE="4") as server, server.client("auto") as client:
            calls = [client.call_tool(name, {"seconds": 0.3}) for _ in range(8)]
            results = await asyncio.gather(*calls)
            return [error_code(each) or text_of(each) for each in results]

    found = asyncio.run(run())
    assert sorted(found) == ["1"] * 5 + ["overloaded"] * 3
