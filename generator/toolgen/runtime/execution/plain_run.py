"""Run a plain (`def`) method in a worker thread.

The thread makes what the method needs, runs it, checks its result and releases what was made, in this
order, whether or not somebody still waits: a thread cannot be stopped, so nothing that it uses may be
closed before it has ended. What needs the event loop (an async context manager, an awaitable, a listener) is
run there for the thread, which waits.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from toolgen.runtime.context import LOGGER
from toolgen.runtime.errors import ToolTimeoutError

from .isolation import contain_exit
from .task_host import CallLeftError, TaskHost
from .worker_pool import WorkerPool


class PlainRun:
    """One run of `work(run)` in a worker thread, for one caller."""

    def __init__(
        self,
        tool_name: str,
        work: Callable[[PlainRun], Any],
        *,
        on_end: Callable[[Exception | None], None] | None = None,
    ) -> None:
        self.left = False  # nobody waits any more
        self._tool_name = tool_name
        self._work = work
        self._on_end = on_end  # called once, when the thread has ended or has not been started
        self._loop = asyncio.get_running_loop()
        self._host: TaskHost | None = None  # made when the thread needs the event loop
        self._host_lock = threading.Lock()
        self._outcome: asyncio.Future[tuple[Any, Exception | None]] = self._loop.create_future()

    async def result(self, pool: WorkerPool, seconds: float | None) -> Any:
        """Return the result. Raises what `work` raises; OverloadedError if there is no thread for it;
        ToolTimeoutError if it takes longer than `seconds`, waiting for a thread not counted.
        """
        try:
            worker = await pool.acquire()
        except BaseException:
            self._ended(None)
            raise
        context = contextvars.copy_context()
        worker.start(lambda: context.run(self._in_thread, pool))
        limit = None if seconds is None else asyncio.timeout(seconds)
        try:
            if limit is None:
                value, error = await self._outcome
            else:
                async with limit:
                    value, error = await self._outcome
        except TimeoutError:
            self._leave(pool)
            raise ToolTimeoutError(f"{self._tool_name} did not finish within {seconds:g} seconds.") from None
        except BaseException:  # cancelled: the thread goes on alone
            self._leave(pool)
            raise
        if error is not None:
            raise error
        return value

    def in_loop(self, work: Coroutine[Any, Any, Any], *, interruptible: bool = True) -> Any:
        """Run a coroutine in the event loop and return its result; called in the thread, which waits.

        Raises CallLeftError where nobody waits for the call any more and `work` is interruptible.
        """
        with self._host_lock:
            self._host = host = self._host or TaskHost(self._loop, self._tool_name)
            if self.left and not host.stopped:
                host.stopped = True
        return host.run(work, interruptible=interruptible).result()

    def wait_for(self, value: Awaitable[Any]) -> Any:
        """Return what an awaitable gives; called in the thread, which waits."""
        return self.in_loop(_awaited(value))

    def _leave(self, pool: WorkerPool) -> None:
        self.left = True
        pool.abandoned(self._tool_name)
        with self._host_lock:
            if self._host is not None:
                self._host.stop()

    def _in_thread(self, pool: WorkerPool) -> None:
        value, error = None, None
        try:
            value = self._work(self)
        except (
            BaseException
        ) as raised:  # whatever it is, the caller's task raises it, as an ordinary exception
            error = _ordinary(raised, self._tool_name)
        self._ended(error)
        if self._host is not None:
            self._host.end()
        try:
            self._loop.call_soon_threadsafe(self._set_outcome, pool, value, error)
        except RuntimeError:  # the event loop has been closed meanwhile
            if self.left:
                pool.returned(self._tool_name)

    def _set_outcome(self, pool: WorkerPool, value: Any, error: Exception | None) -> None:
        if self.left:
            pool.returned(self._tool_name)
            if error is not None and not isinstance(error, CallLeftError):
                name = type(error).__name__
                LOGGER.info("tool %s failed with %s after its call had ended", self._tool_name, name)
        if not self._outcome.done():
            self._outcome.set_result((value, error))

    def _ended(self, error: Exception | None) -> None:
        if self._on_end is not None:
            self._on_end(error)


def _ordinary(error: BaseException, tool_name: str) -> Exception:
    try:
        return contain_exit(error, tool_name)
    except BaseException as other:  # GeneratorExit: thrown in by a generator of the tool's own
        fault = RuntimeError(f"{tool_name} raised {type(other).__name__}")
        fault.__cause__ = other
        return fault


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value
