"""Run a method of an implementation in a worker thread, or in the event loop.

A thread creates injected values, runs a synchronous (`def`) method, validates its result and releases the
values, in this order, whether or not the caller still waits: a thread cannot be stopped, so nothing that it
uses may be closed before it has ended. Async context managers, awaitables and listeners run in the event loop
while the thread waits.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager, suppress
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
        # for which the thread waits; used in the event loop only
        self._task: asyncio.Task[Any] | None = None
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

    @contextmanager
    def holding(self, manager: AbstractAsyncContextManager[Any]) -> Iterator[Any]:
        """Enter an async context manager in the event loop, and leave it there; called in the thread.

        One task does both, because cancel scopes of anyio, which most async clients use, must be left by the
        task that entered them. It is left even if the call was abandoned: a transaction must end.
        """
        entered, leaving = Future[Any](), Future[BaseException | None]()

        async def hold() -> None:
            async with manager as value:
                self._task = None  # from here on, it is not cancelled
                entered.set_result(value)
                if (error := await asyncio.wrap_future(leaving)) is not None:
                    raise error

        held = self._start(hold())
        held.add_done_callback(lambda _: entered.cancel())  # it was not entered
        try:
            value = entered.result()
        except CancelledError:
            _result(held)
            raise
        try:
            yield value
        except BaseException as error:
            leaving.set_result(error)
        else:
            leaving.set_result(None)
        _result(held)

    def _start(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        async def run() -> Any:
            if self.abandoned:
                work.close()
                raise CallAbandonedError
            self._task = asyncio.current_task()
            try:
                return await run_async(work, None, self._tool_name)
            finally:
                self._task = None

        task = run()
        try:
            return asyncio.run_coroutine_threadsafe(task, self._loop)
        except RuntimeError:  # the loop has been closed
            task.close()
            work.close()
            raise CallAbandonedError from None

    async def awaited(self, work: Awaitable[Any]) -> Any:
        """Await `work` in the event loop and return its result. Blocks the thread, and never suspends.

        Raises CallAbandonedError if the caller does not wait any more.
        """
        # a coroutine as it is: if the call has been abandoned it is closed, and Python warns of none
        return _result(self._start(work if isinstance(work, Coroutine) else awaited(work)))

    async def entered(self, manager: AbstractAsyncContextManager[Any], stack: AsyncExitStack) -> Any:
        """Return the value of an async context manager, which `stack` leaves."""
        return stack.enter_context(self.holding(manager))

    def _abandon(self) -> None:
        self.abandoned = True
        if self._task is not None:
            self._task.cancel()
        text, fields = "after its call has ended, tool %s continues in its thread", {"event": "abandoned"}
        LOGGER.warning(text, self._tool_name, extra={**fields, "tool_name": self._tool_name})

    def _in_thread(self) -> Callable[[], None]:
        value, error = None, None
        try:
            value = self._work(self)
        except BaseException as raised:  # raised again in the caller's task, as an ordinary exception
            error = contain_exit(raised, self._tool_name)
        self._ended(error)
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


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except CancelledError:
        raise CallAbandonedError from None


class InLoop:
    """The event loop as the place where a method runs. `awaited` is that of ThreadRun."""

    is_thread = abandoned = False

    def awaited(self, work: Awaitable[Any]) -> Awaitable[Any]:
        """Return `work`, which is awaited here. No coroutine around it: a stream does this for each chunk."""
        return work

    async def entered(self, manager: AbstractAsyncContextManager[Any], stack: AsyncExitStack) -> Any:
        """Return the value of an async context manager, which `stack` leaves."""
        return await stack.enter_async_context(manager)


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
