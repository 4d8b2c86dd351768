"""Run code that is not the runtime's, so that no exception of it harms its caller or the server.

An implementation may raise anything: SystemExit by `sys.exit()`, KeyboardInterrupt, GeneratorExit, the
CancelledError of another task. asyncio re-raises the first two out of the event loop, and servers end on a
CancelledError that they did not request. So each becomes an ImplementationExitError, and only the caller's
own CancelledError comes out.

A task for each call would cost as much as most calls do. So an implementation runs in its caller's task, and
`Task.cancelling()` tells who has cancelled: a request that is made while the implementation has control is
its own, and is withdrawn; one that arrives while it waits is the caller's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from inspect import isawaitable
from threading import get_ident
from time import monotonic
from types import CoroutineType, coroutine
from typing import Any, Final

from .errors import ToolTimeoutError

_MOST_LINKS: Final = 100  # of a chain of exceptions, which can be a circle


class ImplementationExitError(RuntimeError):
    """An implementation tried to exit, or was cancelled by another task than its caller."""


def contain_exit(error: BaseException, tool_name: str) -> Exception:
    """Return an exception of an implementation as an ordinary one."""
    if isinstance(error, Exception):
        return error
    if isinstance(error, SystemExit):
        did = f"tried to exit the process ({error})"
    elif isinstance(error, asyncio.CancelledError):
        did = "was cancelled, but not by its caller"
    else:
        did = f"raised {type(error).__name__}"
    fault = ImplementationExitError(f"{tool_name} {did}")
    fault.__cause__ = error
    return fault


@dataclass(slots=True)
class WorkClock:
    """The time limit of a call that may ask the user, which does not run while it waits for the answer."""

    thread: int = field(default_factory=get_ident)
    _limit: asyncio.Timeout | None = None  # None: in the first step, or without a limit
    _deadline: float = 0.0  # in monotonic seconds
    _waits: int = 0
    _since: float = 0.0  # when the first of them began

    def limit(self, deadline: float) -> asyncio.Timeout:
        """Return the limit, for `async with`. Used once."""
        self._deadline = deadline
        self._limit = asyncio.timeout(None if self._waits else self.left())
        return self._limit

    def left(self) -> float:
        """Return how many seconds are left."""
        return self._deadline - monotonic()

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Stop the clock. A call may wait for several answers at once."""
        if not self._waits:
            self._since = monotonic()
        self._waits += 1
        self._reschedule()
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                self._deadline += monotonic() - self._since
            self._reschedule()

    def _reschedule(self) -> None:
        if self._limit is not None:
            with suppress(RuntimeError):  # the call has ended: a task that it left behind asks
                now = asyncio.get_running_loop().time()
                self._limit.reschedule(None if self._waits else now + self.left())


async def run_async(
    work: Awaitable[Any], seconds: float | None, tool_name: str, *, clock: WorkClock | None = None
) -> Any:
    """Await `work` in the current task, for at most `seconds`, while `clock` runs.

    Raises what `work` raises, as an ordinary exception (a TimeoutError of its own stays one); CancelledError
    if the caller cancels, unless `work` ignores that; ToolTimeoutError.
    """
    task = asyncio.current_task()
    assert task is not None
    before = task.cancelling()
    began = 0.0 if seconds is None else monotonic()
    # only a coroutine has `send` and `throw`; a Future or another awaitable is awaited by one
    steps: Coroutine[Any, Any, Any] = work if type(work) is CoroutineType else awaited(work)
    try:
        # work that never waits ends here: no timer and no further frames, which would cost half of a call
        waiting = steps.send(None)
    except StopIteration as done:
        if task.cancelling() > before:
            await _withdraw(task, before)
        return done.value
    except BaseException as error:
        if task.cancelling() > before:
            await _withdraw(task, before)
        if isinstance(error, Exception):
            raise
        raise contain_exit(error, tool_name) from error
    rest = _drive(steps, waiting, task, before=before, tool_name=tool_name)
    if seconds is None:
        return await rest
    limit = (clock or WorkClock()).limit(began + seconds)
    try:
        async with limit:
            return await rest
    except Exception as error:
        # otherwise it failed by itself: its own TimeoutError must stay one
        if limit.expired():
            raise ToolTimeoutError(f"{tool_name} did not finish within {seconds:g} seconds.") from error
        raise


@coroutine
def _drive(
    steps: Coroutine[Any, Any, Any], waiting: Any, task: asyncio.Task[Any], *, before: int, tool_name: str
) -> Generator[Any, Any, Any]:
    """Run a coroutine that has run its first step and yielded `waiting` to the event loop."""
    cancellation: asyncio.CancelledError | None = None  # the newest one of the caller
    own = task.cancelling() - before  # requests of the work itself, which reach it where it waits
    while True:
        try:
            answer = yield waiting
        except GeneratorExit:  # the call is being closed
            steps.close()
            raise
        except BaseException as error:  # mostly cancellation, which the work must see
            if isinstance(error, asyncio.CancelledError) and task.cancelling() > before + own:
                cancellation = error
            resume: Callable[[], Any] = partial(steps.throw, error)
        else:
            resume = partial(steps.send, answer)
        for _ in range(own):
            task.uncancel()
        count = task.cancelling()
        try:
            waiting = resume()
        except StopIteration as done:
            if task.cancelling() > before:
                yield from _withdraw(task, before).__await__()
            return done.value
        except BaseException as error:
            if task.cancelling() > count:
                yield from _withdraw(task, count).__await__()
            is_cancelled = cancellation is not None and task.cancelling() > before
            if cancellation is not None and is_cancelled and _follows(error, cancellation):
                if error is cancellation:
                    raise
                # anyio recognises its own cancellations only; the cause is for the log
                raise cancellation from error
            # a TaskGroup has cancelled its parent because a child failed, and kept that request (before 3.13)
            _forget_requests(task, before)
            if isinstance(error, Exception):
                raise
            raise contain_exit(error, tool_name) from error
        own = task.cancelling() - count


def _follows(error: BaseException, cancellation: asyncio.CancelledError) -> bool:
    """True if `error` is a CancelledError, or was raised while `cancellation` was handled."""
    link: BaseException | None = error
    for _ in range(_MOST_LINKS):
        if link is cancellation or isinstance(error, asyncio.CancelledError):
            return True
        if link is None:
            return False
        link = link.__context__
    return False


def _forget_requests(task: asyncio.Task[Any], before: int) -> None:
    """Withdraw the requests to cancel `task` that its own work has made, or has caught."""
    while task.cancelling() > before:
        task.uncancel()


async def _withdraw(task: asyncio.Task[Any], before: int) -> None:
    """Withdraw requests of work that has ended."""
    _forget_requests(task, before)
    try:
        await asyncio.sleep(0)  # before Python 3.13, the request reaches the task all the same
    except asyncio.CancelledError:
        if task.cancelling() > before:  # the caller has cancelled as well
            raise


async def called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a callback returns, which may be async."""
    answer = function(*arguments)
    return await answer if isawaitable(answer) else answer


async def awaited(work: Awaitable[Any]) -> Any:
    """Return the result of any awaitable, as a coroutine."""
    return await work
