"""Run a synchronous (`def`) method in a worker thread.

The thread creates injected values, runs the method, validates its result and releases the values, in this
order, whether or not the caller still waits: a thread cannot be stopped, so nothing that it uses may be
closed before it has ended. Async context managers, awaitables and listeners run in the event loop while the
thread waits.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from toolgen.runtime.errors import ToolTimeoutError
from toolgen.runtime.isolation import awaited, contain_exit
from toolgen.runtime.logs.logger import LOGGER

from .task_host import CallAbandonedError, TaskHost
from .worker_pool import WorkerPool


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How the work ended."""

    value: Any
    error: Exception | None


class ThreadRun:
    """One run of `work(run)` in a worker thread, for one caller."""

    is_thread = True

    def __init__(
        self,
        tool_name: str,
        work: Callable[[ThreadRun], Any],
        *,
        most: int | None = None,
        on_end: Callable[[Exception | None], None] | None = None,
    ) -> None:
        self.abandoned = False  # the caller does not wait any more
        self._tool_name = tool_name
        self._work = work
        self._most = most  # threads of the tool; None: half of them
        self._on_end = on_end  # called once, when the work has ended or could not be started
        self._loop = asyncio.get_running_loop()
        self._host: TaskHost | None = None  # created when the thread first needs the event loop
        self._host_lock = threading.Lock()
        self._outcome: asyncio.Future[_Outcome] = self._loop.create_future()

    async def result(self, pool: WorkerPool, seconds: float | None) -> Any:
        """Return the result of the work.

        Raises what `work` raises; OverloadedError if no thread is available; ToolTimeoutError if the work
        takes longer than `seconds`, not counting the wait for a thread.
        """
        try:
            worker = await pool.acquire(self._tool_name, self._most)
        except BaseException:
            self._ended(None)
            raise
        # as `asyncio.to_thread` does: tracing and request ids are context variables
        context = contextvars.copy_context()
        worker.start(lambda: context.run(self._in_thread, pool))
        try:
            async with asyncio.timeout(seconds):
                outcome = await self._outcome
        except TimeoutError:
            self._abandon(pool)
            raise ToolTimeoutError(f"{self._tool_name} did not finish within {seconds:g} seconds.") from None
        except BaseException:  # cancelled: the thread continues alone
            self._abandon(pool)
            raise
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def in_loop(self, work: Coroutine[Any, Any, Any], *, interruptible: bool = True) -> Any:
        """Run a coroutine in the event loop and return its result; called in the thread, which waits.

        Raises CallAbandonedError if the caller does not wait any more and `work` is interruptible.
        """
        with self._host_lock:
            self._host = host = self._host or TaskHost(self._loop, self._tool_name)
            # abandoned before the host existed: it has to know
            if self.abandoned and not host.stopped:
                host.stopped = True
        return host.run(work, interruptible=interruptible).result()

    async def awaited(self, work: Awaitable[Any]) -> Any:
        """Await `work` in the event loop and return its result. Blocks the thread, and never suspends."""
        # a coroutine as it is: if the call has been abandoned it is closed, and Python warns of none
        return self.in_loop(work if isinstance(work, Coroutine) else awaited(work))

    def _abandon(self, pool: WorkerPool) -> None:
        self.abandoned = True
        pool.abandoned(self._tool_name)
        with self._host_lock:
            if self._host is not None:
                self._host.stop()

    def _in_thread(self, pool: WorkerPool) -> None:
        value, error = None, None
        try:
            value = self._work(self)
        except BaseException as raised:  # raised again in the caller's task, as an ordinary exception
            error = contain_exit(raised, self._tool_name)
        self._ended(error)
        if self._host is not None:
            self._host.end()
        try:
            self._loop.call_soon_threadsafe(self._set_outcome, pool, _Outcome(value, error))
        except RuntimeError:  # the event loop has been closed meanwhile
            if self.abandoned:
                pool.returned(self._tool_name)

    def _set_outcome(self, pool: WorkerPool, outcome: _Outcome) -> None:
        error = outcome.error
        if self.abandoned:
            pool.returned(self._tool_name)
            if error is not None and not isinstance(error, CallAbandonedError):
                name = type(error).__name__
                LOGGER.info("tool %s failed with %s after its call had ended", self._tool_name, name)
        if not self._outcome.done():
            self._outcome.set_result(outcome)

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


def completed(work: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a coroutine for a ThreadRun: its first step is all of it, as it never suspends."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    work.close()
    raise RuntimeError("a coroutine in a worker thread awaits without its Place")
