"""Run a method of an implementation in a worker thread, or in the event loop.

A thread creates injected values, runs a synchronous (`def`) method, validates its result and releases the
values, in this order, whether or not the caller still waits: a thread cannot be stopped, so nothing that it
uses may be closed before it has ended. Async context managers, awaitables and listeners run in the event loop
while the thread waits.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

from toolgen.runtime.errors import ToolTimeoutError
from toolgen.runtime.isolation import WorkClock, awaited, contain_exit, run_async
from toolgen.runtime.logs.logger import LOGGER

from .worker_pool import WorkerPool

OnEnd: TypeAlias = Callable[[Exception | None], None]
"""Called once, with its error, when work has ended or could not be started."""


class CallAbandonedError(Exception):
    """The caller does not wait any more, or its event loop has ended: the thread should stop."""


@dataclass(frozen=True, slots=True)
class _Job:
    work: Coroutine[Any, Any, Any]
    result: Future[Any]
    interruptible: bool

    def refuse(self) -> None:
        self.work.close()
        self.result.set_exception(CallAbandonedError("the call has been abandoned"))


class _TaskHost:
    """Runs coroutines for a thread in one task of the event loop, which begins with the first.

    Context managers that use cancel scopes of anyio, as most async clients do, must be exited by the task
    that entered them; `asyncio.run_coroutine_threadsafe` would use a new task for each coroutine.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, tool_name: str) -> None:
        self._loop, self._tool_name = loop, tool_name
        self._is_used = False
        # the rest is used in the event loop only
        self._stopped = False  # interruptible coroutines are refused
        self._inbox: asyncio.Queue[_Job | None]  # made with the task
        self._task: asyncio.Task[None] | None = None
        self._interruptible = False  # the current coroutine

    def run(self, work: Coroutine[Any, Any, Any], *, interruptible: bool) -> Any:
        """Return the result of `work`; from the thread, which waits. `stop` cancels interruptible work.

        Raises CallAbandonedError if `work` was not run.
        """
        job, self._is_used = _Job(work, Future(), interruptible), True
        try:
            self._loop.call_soon_threadsafe(self._take, job)
        except RuntimeError:  # the loop has been closed
            job.refuse()
        return job.result.result()

    def stop(self) -> None:
        """Cancel the current coroutine if it is interruptible, and refuse others. Call it in the loop."""
        self._stopped = True
        # a job that must not be interrupted, such as the exit of a transaction, is run to its end
        if self._interruptible and self._task is not None:
            self._task.cancel()

    def end(self) -> None:
        """End the task; from the thread, which has no more work for it."""
        if self._is_used:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._take, None)

    def _take(self, job: _Job | None) -> None:
        if self._task is None:
            self._inbox, self._task = asyncio.Queue(), self._loop.create_task(self._serve())
        if job is not None and self._task.done():
            job.refuse()
        else:
            self._inbox.put_nowait(job)

    async def _serve(self) -> None:
        try:
            while (job := await self._inbox.get()) is not None:
                await self._run(job)
        finally:
            # the thread waits without a time limit: it needs an answer
            while not self._inbox.empty():
                if (job := self._inbox.get_nowait()) is not None:
                    job.refuse()

    async def _run(self, job: _Job) -> None:
        if job.interruptible and self._stopped:
            job.refuse()
            return
        self._interruptible = job.interruptible
        try:
            job.result.set_result(await job.work)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or not task.cancelling():
                job.result.set_exception(contain_exit(error, self._tool_name))
                return
            job.result.set_exception(CallAbandonedError("the call has been abandoned"))
            if not (job.interruptible and self._stopped):
                raise  # the event loop ends
            # `stop` made the request, and the task goes on with the next coroutine
            task.uncancel()
        except BaseException as error:
            job.result.set_exception(contain_exit(error, self._tool_name))
        finally:
            self._interruptible = False


class ThreadRun:
    """One run of `work(run)` in a worker thread, for one caller."""

    is_thread = True

    def __init__(
        self,
        tool_name: str,
        work: Callable[[ThreadRun], Any],
        *,
        most: int | None = None,
        on_end: OnEnd | None = None,
    ) -> None:
        self.abandoned = False  # the caller does not wait any more
        self._tool_name = tool_name
        self._work = work
        self._most = most  # threads of the tool; None: half of them
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._host = _TaskHost(self._loop, tool_name)
        self._outcome: asyncio.Future[tuple[Any, Exception | None]] = self._loop.create_future()

    async def result(self, pool: WorkerPool, seconds: float | None) -> Any:
        """Return the result of the work.

        Raises what `work` raises; OverloadedError if no thread is available; ToolTimeoutError if the work
        takes longer than `seconds`, not counting the wait for a thread.
        """
        try:
            await pool.acquire(self._tool_name, self._most)
            # as `asyncio.to_thread` does: tracing and request ids are context variables
            context = contextvars.copy_context()
            pool.start(self._tool_name, lambda: context.run(self._in_thread))
        except BaseException:
            self._ended(None)
            raise
        try:
            async with asyncio.timeout(seconds):
                value, error = await self._outcome
        except TimeoutError:
            self._abandon()
            raise ToolTimeoutError(f"{self._tool_name} did not finish within {seconds:g} seconds.") from None
        except BaseException:  # cancelled: the thread continues alone
            self._abandon()
            raise
        if error is not None:
            raise error
        return value

    def in_loop(self, work: Coroutine[Any, Any, Any], *, interruptible: bool = True) -> Any:
        """Run a coroutine in the event loop and return its result; called in the thread, which waits.

        Raises CallAbandonedError if the caller does not wait any more and `work` is interruptible.
        """
        return self._host.run(work, interruptible=interruptible)

    async def awaited(self, work: Awaitable[Any]) -> Any:
        """Await `work` in the event loop and return its result. Blocks the thread, and never suspends."""
        # a coroutine as it is: if the call has been abandoned it is closed, and Python warns of none
        return self.in_loop(work if isinstance(work, Coroutine) else awaited(work))

    def _abandon(self) -> None:
        self.abandoned = True
        self._host.stop()
        text, fields = "after its call has ended, tool %s continues in its thread", {"event": "abandoned"}
        LOGGER.warning(text, self._tool_name, extra={**fields, "tool_name": self._tool_name})

    def _in_thread(self) -> Callable[[], None]:
        value, error = None, None
        try:
            value = self._work(self)
        except BaseException as raised:  # raised again in the caller's task, as an ordinary exception
            error = contain_exit(raised, self._tool_name)
        self._ended(error)
        self._host.end()
        if self.abandoned and error is not None and not isinstance(error, CallAbandonedError):
            name = type(error).__name__
            LOGGER.info("tool %s failed with %s after its call had ended", self._tool_name, name)
        return partial(self._report, value, error)

    def _report(self, value: Any, error: Exception | None) -> None:
        with suppress(RuntimeError):  # the event loop has been closed meanwhile
            self._loop.call_soon_threadsafe(self._set_outcome, value, error)

    def _set_outcome(self, value: Any, error: Exception | None) -> None:
        if not self._outcome.done():
            self._outcome.set_result((value, error))

    def _ended(self, error: Exception | None) -> None:
        if self._on_end is not None:
            self._on_end(error)


class InLoop:
    """The event loop as the place where a method runs. `awaited` is that of ThreadRun."""

    is_thread = abandoned = False

    def awaited(self, work: Awaitable[Any]) -> Awaitable[Any]:
        """Return `work`, which is awaited here. No coroutine around it: a stream does this for each chunk."""
        return work


IN_LOOP: Final = InLoop()
Place: TypeAlias = ThreadRun | InLoop
"""Where a method runs. Code for both places is written once, as coroutines that await by `Place.awaited`."""


async def run_in_place(
    tool_name: str,
    work: Callable[[Place], Coroutine[Any, Any, Any]],
    seconds: float | None,
    *,
    pool: WorkerPool | None,
    most: int | None = None,
    clock: WorkClock | None = None,
    on_end: OnEnd | None = None,
) -> Any:
    """Run `work(place)` in a thread of `pool`, or without one in the event loop, for at most `seconds`.

    A thread may end after its call. Raises as `ThreadRun.result` and `run_async` do.
    """
    if pool is not None:
        run = ThreadRun(tool_name, lambda place: _completed(work(place)), most=most, on_end=on_end)
        return await run.result(pool, seconds)
    error: Exception | None = None
    try:
        return await run_async(work(IN_LOOP), seconds, tool_name, clock=clock)
    except Exception as raised:
        error = raised
        raise
    finally:
        if on_end is not None:
            on_end(error)


def _completed(work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine for a ThreadRun: its first step is all of it, as it never suspends."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    work.close()
    raise RuntimeError("a coroutine in a worker thread awaits without its Place")
