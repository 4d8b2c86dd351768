"""Run an `async def` inside the caller's task, within its time limit.

A task of its own for each call would cost more than most calls do. So a tool shares the caller's task, and
requests to cancel that task are told apart: `Task.cancelling()` counts them, and those that the tool makes in
one of its own steps (`asyncio.current_task().cancel()`) are withdrawn between two steps. `await` does not
show the steps of a coroutine, so `Steps` sends them. SIGINT in the middle of a step looks the same to the
task; asyncio's runner, which handles it, knows.

The first step runs without a timer and without `Steps`. Tools that never wait need neither, and a call of one
takes 12 % longer with `Steps`, and half as long again with a timer, too (processor time, Python 3.11).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from functools import partial
from signal import SIGINT, getsignal
from time import monotonic
from types import CoroutineType, coroutine
from typing import Any

from toolgen.runtime.errors import ToolTimeoutError


async def run_async(work: Awaitable[Any], seconds: float | None, tool_name: str) -> Any:
    """Await `work` for at most `seconds`. Raises ToolTimeoutError; a TimeoutError of its own propagates."""
    task = asyncio.current_task()
    before = 0 if task is None else task.cancelling()
    began = 0.0 if seconds is None else monotonic()
    steps: Coroutine[Any, Any, Any] = work if type(work) is CoroutineType else _awaited(work)
    try:
        waiting = steps.send(None)
    except StopIteration as done:
        if task is not None and task.cancelling() != before:
            await _withdraw(task, before)
        return done.value
    except BaseException:
        if task is not None and task.cancelling() != before:
            await _withdraw(task, before, ended=True)
        raise
    return await _go_on(Steps(steps, waiting, task, before), seconds, began, tool_name)


async def _go_on(steps: Steps, seconds: float | None, began: float, tool_name: str) -> Any:
    """Await the other steps of work that began at `began` and may take `seconds`. Raises ToolTimeoutError."""
    if seconds is None:
        return await steps
    limit = asyncio.timeout(began + seconds - monotonic())
    try:
        async with limit:
            return await steps
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # what a tool makes of being cancelled does not matter
        if limit.expired():
            raise ToolTimeoutError(f"{tool_name} did not finish within {seconds:g} seconds.") from error
        raise


@dataclass(frozen=True, slots=True)
class Steps:
    """A coroutine that has run its first step and waits: awaiting this runs the others."""

    work: Coroutine[Any, Any, Any]
    waiting: Any  # what it yielded to the event loop
    task: asyncio.Task[Any] | None
    before: int  # requests to cancel the task when the first step began

    def __await__(self) -> Generator[Any, Any, Any]:
        work, waiting, task = self.work, self.waiting, self.task
        before = self.before
        while True:
            if task is not None and task.cancelling() > before:
                _forget_requests(task, before)
                if waiting is not None and hasattr(waiting, "cancel"):
                    waiting.cancel()  # the tool gets its CancelledError, as if it came from elsewhere
            try:
                answer = yield waiting
            except GeneratorExit:
                work.close()
                raise
            except BaseException as error:  # cancellation, above all: it belongs to the work
                resume: Callable[[], Any] = partial(work.throw, error)
            else:
                resume = partial(work.send, answer)
            before = 0 if task is None else task.cancelling()
            try:
                waiting = resume()
            except StopIteration as done:
                if task is not None and task.cancelling() > before:
                    yield from _withdraw(task, before).__await__()
                return done.value
            except BaseException:
                if task is not None and task.cancelling() > before:
                    yield from _withdraw(task, before, ended=True).__await__()
                raise


def _forget_requests(task: asyncio.Task[Any], before: int) -> None:
    """Withdraw requests to cancel `task` beyond `before`, unless one is the operator's."""
    if _is_interrupted():
        return
    while task.cancelling() > before:
        task.uncancel()


def _is_interrupted() -> bool:
    """True if asyncio.run has received SIGINT, for which it cancels its main task wherever that is.

    The runner counts interrupts in a private attribute, and its handler is a partial of its own method.
    """
    runner = getattr(getattr(getsignal(SIGINT), "func", None), "__self__", None)
    return isinstance(runner, asyncio.Runner) and getattr(runner, "_interrupt_count", 0) > 0


async def _withdraw(task: asyncio.Task[Any], before: int, *, ended: bool = False) -> None:
    """Withdraw requests of a tool to cancel the task that it runs in, after its last step.

    Raises CancelledError, which the tool asked for, unless it has `ended` with another exception.
    """
    if task.cancelling() <= before:
        return
    _forget_requests(task, before)
    try:
        await _step()  # the request was also noted for the next step (before Python 3.13)
    except asyncio.CancelledError:
        if task.cancelling() > before:  # the caller has cancelled, too
            raise
    if not ended:
        raise asyncio.CancelledError


@coroutine
def _step() -> Generator[None, None, None]:
    """Give the event loop one turn."""
    yield


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work
