"""Loops of the runtime continue when a task that a tool has started exits."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from typing import Any

import pytest
from toolgen.runtime import ToolContext, Toolkit
from toolgen.runtime.execution.threads.event_loop import run_event_loop

from tests.runtime.tool_factory import code_of, make_tool

SECONDS = 60.0
EXITS: list[type[BaseException]] = [SystemExit, KeyboardInterrupt]


async def exits(kind: type[BaseException]) -> None:
    await asyncio.sleep(0)
    raise kind


def raises(kind: type[BaseException]) -> None:
    raise kind


async def in_gather(kind: type[BaseException]) -> None:
    await asyncio.gather(exits(kind), asyncio.sleep(0.01))


async def in_task_group(kind: type[BaseException]) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(exits(kind))


async def in_forgotten_task(kind: type[BaseException]) -> None:
    task = asyncio.create_task(exits(kind))
    await asyncio.wait([task])


async def in_callback(kind: type[BaseException]) -> None:
    asyncio.get_running_loop().call_soon(raises, kind)
    await asyncio.sleep(SECONDS)


PLACES: dict[Callable[..., Awaitable[None]], str | None] = {  # and the code of the response
    in_gather: "internal_error",
    in_task_group: "internal_error",
    in_forgotten_task: None,
}


def leaves(place: Callable[..., Awaitable[None]], kind: type[BaseException]) -> Toolkit:
    async def execute(self: Any, request: Any, context: ToolContext) -> int:
        if getattr(request, "leave", False):
            await place(kind)
        return 1

    return Toolkit([make_tool(execute)])


def within_time(work: Callable[[], Any]) -> Any:
    """Return the result of `work`, in a daemon thread, so that a call that hangs does not hang the tests."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    thread.join(SECONDS)
    assert results, "it hangs"
    return results[0]


@pytest.mark.parametrize("kind", EXITS)
@pytest.mark.parametrize("place", PLACES)
def test_call_sync_returns_and_later_calls_work(
    place: Callable[..., Awaitable[None]], kind: type[BaseException]
) -> None:
    toolkit = leaves(place, kind)
    response = within_time(lambda: toolkit.call_sync("x", {"leave": True}))
    assert code_of(response) == PLACES[place]
    assert within_time(lambda: toolkit.call_sync("x", {})).content == 1
    within_time(lambda: toolkit.close_sync() or "closed")


@pytest.mark.parametrize("place", [in_callback])
def test_call_sync_ends_with_its_loop_and_the_next_call_starts_another(
    place: Callable[..., Awaitable[None]],
) -> None:
    toolkit = leaves(place, SystemExit)

    def call() -> bool:
        with pytest.raises(CancelledError):
            toolkit.call_sync("x", {"leave": True})
        return True

    assert within_time(call)
    assert within_time(lambda: toolkit.call_sync("x", {})).content == 1
    within_time(lambda: toolkit.close_sync() or "closed")


@pytest.mark.parametrize("kind", EXITS)
@pytest.mark.parametrize("place", PLACES)
def test_an_event_loop_of_the_runtime_continues(
    place: Callable[..., Awaitable[None]], kind: type[BaseException]
) -> None:
    toolkit = leaves(place, kind)

    async def main() -> list[str | None]:
        return [code_of(await toolkit.call("x", {"leave": leave})) for leave in (True, False)]

    assert run_event_loop(main) == [PLACES[place], None]


def test_a_signal_ends_the_loop() -> None:
    async def main() -> None:
        asyncio.get_running_loop().call_soon(signal.raise_signal, signal.SIGINT)
        await asyncio.sleep(SECONDS)

    with pytest.raises(KeyboardInterrupt):
        run_event_loop(main)
