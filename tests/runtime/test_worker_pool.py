"""Slots for calls: tools share them, and a call waits for one only for a bounded time."""

from __future__ import annotations

import asyncio
from time import monotonic

import pytest
from toolgen.runtime.errors import OverloadedError
from toolgen.runtime.execution.threads import worker_pool
from toolgen.runtime.execution.threads.worker_pool import Limiter, SharedLimiter

QUEUE = 1000


async def started(limiter: Limiter, tool_name: str, calls: int) -> list[asyncio.Task[float]]:
    """Start calls that hang; return those that have got a slot."""
    tasks = [asyncio.create_task(limiter.acquire(tool_name, QUEUE, busy="busy")) for _ in range(calls)]
    await asyncio.sleep(0.01)
    return [each for each in tasks if each.done()]


def test_each_further_tool_that_hangs_gets_half_of_the_free_slots() -> None:
    async def run() -> list[int]:
        limiter = SharedLimiter(32)
        return [len(await started(limiter, name, 40)) for name in "abcde"]

    async def after_all_of_them_a_call_starts() -> bool:
        limiter = SharedLimiter(32)
        for name in "abcde":
            await started(limiter, name, 40)
        return len(await started(limiter, "f", 1)) == 1

    assert asyncio.run(run()) == [16, 8, 4, 2, 1]
    assert asyncio.run(after_all_of_them_a_call_starts())


def test_a_free_slot_goes_to_the_first_call_that_may_take_it() -> None:
    async def run() -> None:
        limiter = SharedLimiter(4)
        a = await started(limiter, "a", 4)  # two run, two wait
        assert len(a) == 2
        assert len(await started(limiter, "b", 2)) == 1  # one runs, one waits
        limiter.release("b", 0.0)
        await asyncio.sleep(0.01)
        assert limiter._taken == {"a": 2, "b": 1}  # the calls of a wait longer, but a has its share
        limiter.release("a", 0.0)
        await asyncio.sleep(0.01)
        assert limiter._taken == {"a": 2, "b": 1}
        assert [each.tool_name for each in limiter._waiting] == ["a"]

    asyncio.run(run())


def test_one_tool_cannot_fill_the_queue() -> None:
    async def run() -> None:
        limiter = SharedLimiter(2)
        await started(limiter, "a", 1)
        waiting = [asyncio.create_task(limiter.acquire("a", 4, busy="busy")) for _ in range(4)]
        await asyncio.sleep(0.01)
        assert [each.done() for each in waiting] == [False, False, True, True]
        assert all(isinstance(each.exception(), OverloadedError) for each in waiting[2:])
        await started(limiter, "b", 1)
        other = asyncio.create_task(limiter.acquire("b", 4, busy="busy"))
        await asyncio.sleep(0.01)
        assert not other.done()  # it waits in a place of its own

    asyncio.run(run())


@pytest.mark.parametrize("kind", [Limiter, SharedLimiter])
def test_a_call_that_waits_too_long_is_overloaded_and_leaves_the_queue(
    monkeypatch: pytest.MonkeyPatch, kind: type[Limiter]
) -> None:
    monkeypatch.setattr(worker_pool, "WAIT_SECONDS", 0.05)

    async def run() -> None:
        limiter = kind(1)
        await started(limiter, "a", 1)
        with pytest.raises(OverloadedError, match="busy") as caught:
            await limiter.acquire("a", QUEUE, busy="busy")
        assert caught.value.retry_after is not None
        limiter.release("a", monotonic())
        await limiter.acquire("b", QUEUE, busy="busy")  # nobody else holds or waits for the slot

    asyncio.run(run())
