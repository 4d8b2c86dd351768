"""A task that runs coroutines for a worker thread, one after the other.

Context managers that use cancel scopes of anyio, as most async clients do, must be exited by the task that
entered them; `asyncio.run_coroutine_threadsafe` would use a new task for each coroutine.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any

from toolgen.runtime.isolation import contain_exit
from toolgen.runtime.logs.logger import LOGGER


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


class TaskHost:
    """Runs coroutines in one task of `loop`. The task starts with the first one and ends after `end`.

    Args:
        loop: the event loop.
        tool_name: for the log.
        on_end: called when the task has ended.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        tool_name: str,
        *,
        on_end: Callable[[TaskHost], None] = lambda host: None,
    ) -> None:
        self.stack = AsyncExitStack()  # exited by the task when it ends
        self.stopped = False  # interruptible coroutines are refused
        self._loop, self._tool_name, self._on_end = loop, tool_name, on_end
        # the rest is used in the event loop only
        self._inbox: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._interruptible = False  # the current coroutine

    def run(self, work: Coroutine[Any, Any, Any], *, interruptible: bool) -> Future[Any]:
        """Run `work` and return the future of its result; from any thread. `stop` cancels interruptible work.

        The future raises CallAbandonedError if `work` was not run.
        """
        job = _Job(work, Future(), interruptible)
        job.result.set_running_or_notify_cancel()  # a waiter that gives up must not cancel it
        try:
            self._loop.call_soon_threadsafe(self._take, job)
        except RuntimeError:  # the loop has been closed
            job.refuse()
        return job.result

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
        """Wait at most `seconds` until the task has exited its stack, after `end`; from any event loop."""
        if self._task is not None and not self._loop.is_closed():
            ended = asyncio.run_coroutine_threadsafe(asyncio.wait([self._task]), self._loop)
            await asyncio.wait([asyncio.wrap_future(ended)], timeout=seconds)

    def _take(self, job: _Job | None) -> None:
        if job is not None and self._task is None:
            self._task = self._loop.create_task(self._serve())
        if job is not None and self._task is not None and self._task.done():
            job.refuse()
        else:
            self._inbox.put_nowait(job)

    async def _serve(self) -> None:
        try:
            # leaving the block exits the managers here, in the task that entered them
            async with self.stack:
                while (job := await self._inbox.get()) is not None:
                    await self._run(job)
        except Exception:
            LOGGER.exception("releasing the injected values of tool %s failed", self._tool_name)
        finally:
            # their threads wait without a time limit: each of them needs an answer
            while not self._inbox.empty():
                if (job := self._inbox.get_nowait()) is not None:
                    job.refuse()
            self._on_end(self)

    async def _run(self, job: _Job) -> None:
        if job.interruptible and self.stopped:
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
            if not (job.interruptible and self.stopped):
                raise  # the event loop ends
            # `stop` made the request, and the task goes on with the next coroutine
            task.uncancel()
        except BaseException as error:
            job.result.set_exception(contain_exit(error, self._tool_name))
        finally:
            self._interruptible = False
