"""Delivery of chunks: in order, as they are produced, and closed when nobody listens."""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from toolgen.runtime import Toolkit

from tests.runtime.tool_factory import code_of, make_tool

CHUNK = {"chunk_schema": {"type": "integer"}}


def kit(execute: Any, context: Any = None, **definition: Any) -> Toolkit:
    return Toolkit([make_tool(execute, stream=CHUNK, **definition)], context=context)


async def items(toolkit: Toolkit, **options: Any) -> list[Any]:
    return [item async for item in toolkit.stream("x", {}, **options)]


async def in_loop(self: Any, request: Any, context: Any) -> Any:
    for number in range(3):
        yield number


def in_worker(self: Any, request: Any, context: Any) -> Any:
    yield from range(3)


@pytest.mark.parametrize("execute", [in_loop, in_worker])
async def test_a_chunk_that_violates_its_schema_is_not_delivered(execute: Any) -> None:
    toolkit = Toolkit([make_tool(execute, stream={"chunk_schema": {"maximum": 1}})])
    *chunks, response = await items(toolkit)
    assert chunks == [0, 1]
    assert code_of(response) == "invalid_response"


async def test_a_hanging_stream_ends_with_the_timeout() -> None:
    async def execute(self: Any, request: Any, context: Any) -> Any:
        yield 1
        await asyncio.sleep(30)

    chunk, response = await items(kit(execute, timeout=0.1))
    assert chunk == 1
    assert code_of(response) == "timeout"


@pytest.mark.parametrize("plain", [True, False])
async def test_an_abandoned_stream_is_closed_and_its_values_released(plain: bool) -> None:
    seen: list[str] = []
    closed, released = threading.Event(), threading.Event()

    @asynccontextmanager
    async def resource() -> Any:
        seen.append("opened")
        try:
            yield "db"
        finally:
            seen.append("released")
            released.set()

    def worker(self: Any, request: Any, context: Any, *, db: str) -> Any:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    async def loop(self: Any, request: Any, context: Any, *, db: str) -> Any:
        try:
            while True:
                yield 1
        finally:
            closed.set()

    inject = [{"name": "db", "type": "str"}]

    async with asyncio.timeout(90):
        before = asyncio.all_tasks()
        toolkit = kit(worker if plain else loop, {"db": resource}, inject=inject)
        async with aclosing(toolkit.stream("x", {})) as stream:
            assert await anext(stream) == 1
            assert await anext(stream) == 1
        assert await asyncio.to_thread(closed.wait, 30)
        assert await asyncio.to_thread(released.wait, 30)  # for a plain tool, when its thread has ended
        assert seen == ["opened", "released"]
        while asyncio.all_tasks() != before:
            await asyncio.sleep(0.01)
