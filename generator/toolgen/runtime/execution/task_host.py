"""A task that runs coroutines for a worker thread, one after the other.

Context managers built on cancel scopes (anyio's, so most async clients) must be left by the task that
entered them; `asyncio.run_coroutine_threadsafe` would use a new task for each step.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from typing import Any, Final

from toolgen.runtime.context import LOGGER

from .isolation import contain_exit

_LAST_SECONDS: Final = 0.5  # that a thread gets to release its values while its event loop ends


class CallLeftError(Exception):
    """Nobody waits for the call any more, or its event loop has ended: the thread should stop."""


@dataclass(frozen=True, slots=True)
class _Job:
    work: Coroutine[Any, Any, Any]
    answer: Future[Any]
    interruptible: bool


class TaskHost:
    """Runs coroutines in one task of `loop`. The task starts with the first of them and ends with `end`.

    When its event loop ends, which cancels every task, it works on for a moment, so that a thread can release
    its values; with `on_end`, nobody is at work, and it ends at once.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        tool_name: str,
        *,
        on_end: Callable[[TaskHost], None] | None = None,
    ) -> None:
        self.tool_name = tool_name
        self.stack = AsyncExitStack()  # left by the task when it ends
        self.ended = False
        self._loop = loop
        self._on_end = on_end
        self._lock = threading.Lock()
        self._inbox: asyncio.Queue[_Job | None] = asyncio.Queue()  # used in the event loop only
        self._task: asyncio.Task[None] | None = None
        self._interruptible = False  # the coroutine that runs now
        self.stopped = False  # interruptible coroutines are not run any more
        self._finished: Future[None] = Future()

    def run(self, work: Coroutine[Any, Any, Any], *, interruptible: bool) -> Future[Any]:
        """Run `work` and return its future; from any thread. `stop` cancels it if it is interruptible.

        The future raises CallLeftError where `work` was not run.
        """
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()  # who waits may give up; the host still answers
        job = _Job(work, answer, interruptible)
        with self._lock:
            if not self.ended:
                with suppress(RuntimeError):  # the loop has been closed
                    self._loop.call_soon_threadsafe(self._take, job)
                    return answer
        _refuse(job)
        return answer

    def stop(self) -> None:
        """Cancel the interruptible coroutine that runs, and run no other. Call it in the event loop."""
        self.stopped = True
        if self._interruptible and self._task is not None:
            self._task.cancel()

    def end(self, *, interrupt: bool = False) -> None:
        """Let the task end when it has done what it was given; from any thread."""
        with suppress(RuntimeError):
            if interrupt:
                self._loop.call_soon_threadsafe(self.stop)
            self._loop.call_soon_threadsafe(self._take, None)

    async def wait_until_ended(self, seconds: float) -> None:
        """Wait until the task has left its stack, which `end` makes it do, for at most `seconds`."""
        if self._task is not None and not self._loop.is_closed():
            await asyncio.wait((asyncio.wrap_future(self._finished),), timeout=seconds)

    def _take(self, job: _Job | None) -> None:
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
                        async with asyncio.timeout_at(until):
                            job = await self._inbox.get()
                        if job is None:
                            return
                        await self._run(job)
                    except TimeoutError:
                        return
                    except asyncio.CancelledError:
                        if until is not None or self._on_end is not None:
                            raise
                        until = self._loop.time() + _LAST_SECONDS
        except Exception:
            LOGGER.exception("releasing what tool %s was given failed", self.tool_name)
        finally:
            with self._lock:
                self.ended = True
            while not self._inbox.empty():
                left = self._inbox.get_nowait()
                if left is not None:
                    _refuse(left)
            if self._on_end is not None:
                self._on_end(self)
            self._finished.set_result(None)

    async def _run(self, job: _Job) -> None:
        if job.interruptible and self.stopped:
            _refuse(job)
            return
        self._interruptible = job.interruptible
        try:
            job.answer.set_result(await job.work)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or not task.cancelling():  # it awaited something that was cancelled
                job.answer.set_exception(contain_exit(error, self.tool_name))
                return
            job.answer.set_exception(CallLeftError("the call has been left"))
            if not (job.interruptible and self.stopped):
                raise
            task.uncancel()
        except BaseException as error:
            job.answer.set_exception(contain_exit(error, self.tool_name))
        finally:
            self._interruptible = False


def _refuse(job: _Job) -> None:
    job.work.close()
    job.answer.set_exception(CallLeftError("the call has been left"))
