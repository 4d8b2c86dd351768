"""Slots for calls: tools share them, and a call waits for one only for a bounded time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import pytest
from toolgen.runtime.errors import OverloadedError
from toolgen.runtime.execution.threads import worker_pool
from toolgen.runtime.execution.threads.worker_pool import Limiter, WorkerPool

QUEUE = 1000


async def started(
    limiter: Limiter, tool_name: str, calls: int, *, queue: int = QUEUE, most: int | None = None
) -> list[bool]:
    """Start calls; return for each whether it has a slot (True), waits (False), or is missing: refused."""
    tasks = [
        asyncio.create_task(limiter.acquire(tool_name, queue, busy="busy", most=most)) for _ in range(calls)
    ]
    await asyncio.sleep(0.01)
    refused = [each for each in tasks if each.done() and each.exception() is not None]
    assert all(isinstance(each.exception(), OverloadedError) for each in refused)
    return [each.done() for each in tasks if each not in refused]


@pytest.mark.parametrize(("first", "second", "slots"), [(16, 16, [16, 16]), (4, None, [4, 28])])
async def test_one_tool_takes_as_many_slots_as_it_may_and_leaves_the_rest(
    first: int, second: int | None, slots: list[int]
) -> None:
    limiter = Limiter(32)
    calls = (("a", first), ("b", second))
    assert [sum(await started(limiter, name, 40, most=most)) for name, most in calls] == slots


async def test_one_tool_cannot_fill_the_queue() -> None:
    limiter = Limiter(2)
    assert await started(limiter, "a", 5, queue=4, most=1) == [True, False, False]
    assert await started(limiter, "b", 1, queue=4, most=1) == [True]
    assert await started(limiter, "b", 1, queue=4, most=1) == [False]  # in a place of its own


async def test_a_call_that_waits_too_long_is_overloaded_and_leaves_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_pool, "WAIT_SECONDS", 0.05)
    limiter = Limiter(1)
    await limiter.acquire("a", QUEUE, busy="busy")
    with pytest.raises(OverloadedError, match="busy") as caught:
        await limiter.acquire("a", QUEUE, busy="busy")
    assert caught.value.retry_after is not None
    limiter.release("a")
    await limiter.acquire("b", QUEUE, busy="busy")  # nobody else holds or waits for the slot


async def test_pools_share_their_threads_and_not_their_slots() -> None:
    ran: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def work() -> Callable[[], None]:
        name = f"{threading.get_ident()}"
        return lambda: loop.call_soon_threadsafe(ran.put_nowait, name)

    threads = set()
    for _ in range(3):
        pool = WorkerPool(threads=1, queue=0)
        for _ in range(2):  # the second call needs the slot of the first one
            await pool.acquire("a")
            pool.start("a", work)
            threads.add(await ran.get())
    assert len(threads) == 1
