"""SIGINT while an event loop runs."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress

import anyio
import pytest
from toolgen.project.files.interrupts import remembered_interrupts, run_until_interrupted

SECONDS = 8  # that the end may take on a busy machine


def interrupt_soon() -> None:
    asyncio.get_running_loop().call_later(0.01, signal.raise_signal, signal.SIGINT)


async def lose_a_task() -> None:
    async def hold() -> None:
        async with anyio.create_task_group():  # makes an error of its own of what is raised here
            await asyncio.sleep(0)
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(0)

    await asyncio.wait({asyncio.create_task(hold())})
    await asyncio.sleep(99)  # as if there were another connection


async def swallow_the_cancellation() -> None:
    interrupt_soon()
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(99)


async def fail_when_cancelled() -> None:
    interrupt_soon()
    try:
        await asyncio.sleep(99)
    except asyncio.CancelledError:
        raise OSError from None


async def be_interrupted_again() -> None:
    interrupt_soon()
    try:
        await asyncio.sleep(99)
    finally:
        interrupt_soon()
        await asyncio.sleep(99)


@pytest.mark.parametrize(
    "work", [lose_a_task, swallow_the_cancellation, fail_when_cancelled, be_interrupted_again]
)
def test_an_interrupt_ends_the_work_whatever_its_tasks_make_of_it(
    work: Callable[[], Awaitable[None]],
) -> None:
    waits = list[asyncio.Timeout]()

    async def main() -> None:
        async with asyncio.timeout(SECONDS) as wait:
            waits.append(wait)
            await work()

    with pytest.raises(KeyboardInterrupt), remembered_interrupts(), asyncio.Runner() as runner:
        run_until_interrupted(runner, main())
    assert [wait.expired() for wait in waits] == [False]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_interrupt_stays_ignored() -> None:
    async def work() -> int:
        signal.raise_signal(signal.SIGINT)
        return 1

    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with remembered_interrupts(), asyncio.Runner() as runner:
            assert run_until_interrupted(runner, work()) == 1
    finally:
        signal.signal(signal.SIGINT, former)
