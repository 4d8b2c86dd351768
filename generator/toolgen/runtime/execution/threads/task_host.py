"""A task that runs coroutines for a worker thread, one after the other.

Context managers that use cancel scopes of anyio, as most async clients do, must be exited by the task that
entered them; `asyncio.run_coroutine_threadsafe` would use a new task for each coroutine.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any, Final

from toolgen.runtime.isolation.exceptions import contain_exit
from toolgen.runtime.logs.logger import LOGGER

_RELEASE_SECONDS: Final = 0.5  # for a thread to release its values while its event loop ends


class CallAbandonedError(Exception):
    """The caller does not wait any more, or its event loop has ended: the thread should stop."""


@dataclass(frozen=True, slots=True)
class _Job:
    work: Coroutine[Any, Any, Any]
    result: Future[Any]
    interruptible: bool


class TaskHost:
    """Runs coroutines in one task of `loop`. The task starts with the first one and ends after `end`.

    When its event loop ends, which cancels every task, it continues for a moment, so that a thread can
    release its values. With `on_end`, no thread uses it, and it ends at once.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        tool_name: str,
        *,
        on_end: Callable[[TaskHost], None] | None = None,
    ) -> None:
        self.tool_name = tool_name
        self.stack = AsyncExitStack()  # exited by the task when it ends
        self.ended = False
        self._loop = loop
        self._on_end = on_end
        self._lock = threading.Lock()
        self._inbox: asyncio.Queue[_Job | None] = asyncio.Queue()  # used in the event loop only
        self._task: asyncio.Task[None] | None = None
        self._interruptible = False  # the current coroutine
        self.stopped = False  # interruptible coroutines are refused
        self._finished: Future[None] = Future()

    def run(self, work: Coroutine[Any, Any, Any], *, interruptible: bool) -> Future[Any]:
        """Run `work` and return the future of its result; from any thread. `stop` cancels interruptible work.

        The future raises CallAbandonedError if `work` was not run.
        """
        result: Future[Any] = Future()
        # as an executor does: https://docs.python.org/3/library/concurrent.futures.html
        result.set_running_or_notify_cancel()  # a waiter that gives up must not cancel it
        job = _Job(work, result, interruptible)
        with self._lock:
            if not self.ended:
                with suppress(RuntimeError):  # the loop has been closed
                    self._loop.call_soon_threadsafe(self._take, job)
                    return result
        _refuse(job)
        return result

    def stop(self) -> None:
        """Cancel the current coroutine if it is interruptible, and refuse others. Call it in the loop."""
        self.stopped = True
        # a job that must not be interrupted, such as the exit of a transaction, is run to its end
        if self._interruptible and self._task is not None:
            self._task.cancel()

    def end(self, *, interrupt: bool = False) -> None:
        """End the task after the work that it has been given; from any thread."""
        with suppress(RuntimeError):
            if interrupt:
                self._loop.call_soon_threadsafe(self.stop)
            self._loop.call_soon_threadsafe(self._take, None)

    async def wait_until_ended(self, seconds: float) -> None:
        """Wait at most `seconds` until the task has exited its stack, after `end`."""
        if self._task is not None and not self._loop.is_closed():
            await asyncio.wait((asyncio.wrap_future(self._finished),), timeout=seconds)

    def _take(self, job: _Job | None) -> None:
        # `end` without a job before it needs no task: nothing was entered
        if job is not None and self._task is None and not self.ended:
            self._task = self._loop.create_task(self._serve())
        if job is not None and self.ended:
            _refuse(job)
        else:
            self._inbox.put_nowait(job)

    async def _serve(self) -> None:
        until: float | None = None  # set when the event loop ends, which cancels every task
        try:
            async with self.stack:
                while True:
                    try:
                        # None while the loop lives: the timer costs nothing then
                        async with asyncio.timeout_at(until):
                            job = await self._inbox.get()
                        # leaving the block exits the managers here, in the task that entered them
                        if job is None:
                            return
                        await self._run(job)
                    # the loop ends, and the thread has had its moment
                    except TimeoutError:
                        return
                    except asyncio.CancelledError:
                        # the second cancellation, or no thread that still needs the task
                        if until is not None or self._on_end is not None:
                            raise
                        until = self._loop.time() + _RELEASE_SECONDS
        except Exception:
            LOGGER.exception("releasing the injected values of tool %s failed", self.tool_name)
        finally:
            with self._lock:
                self.ended = True
            # their threads wait without a time limit: each of them needs an answer
            while not self._inbox.empty():
                job = self._inbox.get_nowait()
                if job is not None:
                    _refuse(job)
            if self._on_end is not None:
                self._on_end(self)
            self._finished.set_result(None)

    async def _run(self, job: _Job) -> None:
        if job.interruptible and self.stopped:
            _refuse(job)
            return
        self._interruptible = job.interruptible
        try:
            job.result.set_result(await job.work)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            # nobody has cancelled this task: the work awaited something that was cancelled
            if task is None or not task.cancelling():
                job.result.set_exception(contain_exit(error, self.tool_name))
                return
            job.result.set_exception(CallAbandonedError("the call has been abandoned"))
            if not (job.interruptible and self.stopped):
                raise
            # `stop` made the request, and the task goes on with the next coroutine
            task.uncancel()
        except BaseException as error:
            job.result.set_exception(contain_exit(error, self.tool_name))
        finally:
            self._interruptible = False


def _refuse(job: _Job) -> None:
    job.work.close()
    job.result.set_exception(CallAbandonedError("the call has been abandoned"))
