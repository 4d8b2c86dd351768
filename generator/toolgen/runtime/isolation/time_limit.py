"""Run an `async def` inside the caller's task, within its time limit.

A separate task for each call would cost more than most calls do. So a tool shares the caller's task, and
cancellations of that task by the tool itself (`asyncio.current_task().cancel()`) must not cancel the caller:
`Task.cancelling()` counts requests, and those made during a step of the tool are withdrawn after the step.
`await` hides the steps of a coroutine, so `StartedCoroutine` drives it. SIGINT during a step looks the same
to the task; asyncio's runner, which handles the signal, tells the difference.

`StartedCoroutine` also sees the caller's CancelledError before the tool does. It raises this object even if
the tool then raises something else: anyio recognises its own CancelledErrors only, by their message. If a
tool ignores a cancellation and returns, its result is the result of the call, as in a task of asyncio.

The first step runs without a timer and without `StartedCoroutine`. Tools that never wait need neither; a call
of one takes 12 % longer with it, and 50 % longer with a timer as well (processor time, Python 3.11).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from signal import SIGINT, getsignal
from threading import get_ident
from time import monotonic
from types import CoroutineType, coroutine
from typing import Any

from toolgen.runtime.errors import ToolTimeoutError

from .exceptions import CoroutineClosed, cancel_requests


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
    work: Awaitable[Any],
    seconds: float | None,
    tool_name: str,
    *,
    task: asyncio.Task[Any] | None,
    clock: WorkClock | None = None,
) -> Any:
    """Await `work` in `task`, the current one, for at most `seconds`, while `clock` runs.

    Raises ToolTimeoutError; a TimeoutError of the work propagates.
    """
    before = 0 if task is None else task.cancelling()
    received = before and cancel_requests(task)  # nearly always 0, without a function call
    began = 0.0 if seconds is None else monotonic()
    # only a coroutine has `send` and `throw`; a Future or another awaitable is awaited by one
    steps: Coroutine[Any, Any, Any] = work if type(work) is CoroutineType else awaited(work)
    try:
        # a tool that never waits ends here: no timer and no further frames
        waiting = steps.send(None)
    except StopIteration as done:
        if task is not None and task.cancelling() != before:  # the tool has cancelled its own task
            await _withdraw(task, before)
        return done.value
    except BaseException:
        if task is not None and task.cancelling() != before:
            await _withdraw(task, before, ended=True)
        raise
    rest = StartedCoroutine(steps, waiting, task, before, received)
    return await _await_rest(rest, seconds, began=began, tool_name=tool_name, clock=clock)


async def _await_rest(
    steps: StartedCoroutine, seconds: float | None, *, began: float, tool_name: str, clock: WorkClock | None
) -> Any:
    """Await the rest of work that began at `began` and may take `seconds`. Raises ToolTimeoutError."""
    if seconds is None:
        return await steps
    limit = (clock or WorkClock()).limit(began + seconds)
    try:
        async with limit:
            return await steps
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # a cancelled tool may raise anything
        # otherwise it failed by itself: its own TimeoutError must stay one
        if limit.expired():
            raise ToolTimeoutError(f"{tool_name} did not finish within {seconds:g} seconds.") from error
        raise


@dataclass(frozen=True, slots=True)
class StartedCoroutine:
    """A coroutine that has run its first step. Awaiting this object runs the rest."""

    work: Coroutine[Any, Any, Any]
    waiting: Any  # what it yielded to the event loop
    task: asyncio.Task[Any] | None
    before: int  # requests to cancel the task when the first step began
    received: int  # those of them that had reached the task

    def __await__(self) -> Generator[Any, Any, Any]:
        cancellations: dict[int, asyncio.CancelledError] = {}
        try:
            return (yield from self._run(cancellations))
        except BaseException as raised:
            error = self._pending(cancellations, raised)
            if error is None or error is raised:
                raise
            error.__cause__ = raised  # for the log
        if getattr(self.task, "_must_cancel", False):  # TaskGroup repeats the request since Python 3.13
            with suppress(asyncio.CancelledError):
                yield
        raise error  # after the block, so that its `__context__` stays as the caller made it

    def _pending(
        self, cancellations: dict[int, asyncio.CancelledError], raised: BaseException
    ) -> asyncio.CancelledError | None:
        """Return the first of the caller's cancellations that has not been withdrawn."""
        task = self.task
        if task is None or not cancellations:
            return None
        # a left TaskGroup never withdraws its request, which would look like one of the caller
        for _ in range(min(_requests_of_groups(raised, task), task.cancelling() - self.received)):
            task.uncancel()
        count = task.cancelling()
        return next((error for received, error in cancellations.items() if received < count), None)

    def _run(self, cancellations: dict[int, asyncio.CancelledError]) -> Generator[Any, Any, Any]:
        """Run the steps. Note the caller's cancellations, by the requests that were received before each."""
        work, waiting, task = self.work, self.waiting, self.task
        before, received = self.before, self.received
        while True:
            if task is not None and task.cancelling() > before:
                _forget_requests(task, before)
                if waiting is not None and hasattr(waiting, "cancel"):  # None: a bare `yield`, as by sleep(0)
                    waiting.cancel()  # the tool receives a CancelledError, as usual
            try:
                answer = yield waiting
            except GeneratorExit:
                # the coroutine is being closed: nobody is there to receive a cancellation
                cancellations.clear()
                work.close()
                raise CoroutineClosed from None
            except BaseException as error:  # mostly cancellation, which the work must see
                if isinstance(error, asyncio.CancelledError) and task and task.cancelling() > received:
                    for withdrawn in [each for each in cancellations if each >= received]:
                        del cancellations[withdrawn]
                    cancellations[received] = error
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
            # a request that the step made itself has not reached the task yet
            received = before if task is None else min(before, task.cancelling())


def _requests_of_groups(raised: BaseException, task: asyncio.Task[Any]) -> int:
    """Return how many TaskGroups that `raised` has left have cancelled `task`, their parent.

    If a child fails while its group waits for the others, asyncio cancels the parent and never withdraws that
    request (before Python 3.13; later, if the child raised SystemExit).
    """
    groups = set[int]()
    error: BaseException | None = raised
    seen = set[int]()
    # exceptions can refer to each other in a circle
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code is asyncio.TaskGroup.__aexit__.__code__:
                group: Any = trace.tb_frame.f_locals.get("self")
                if getattr(group, "_parent_cancel_requested", False) and group._parent_task is task:
                    groups.add(id(group))
            trace = trace.tb_next
        error = error.__context__
    return len(groups)


def _forget_requests(task: asyncio.Task[Any], before: int) -> None:
    """Withdraw requests to cancel `task` beyond `before`, unless SIGINT made one."""
    if _is_interrupted():
        return
    while task.cancelling() > before:
        task.uncancel()


def _is_interrupted() -> bool:
    """True if asyncio.run has received SIGINT and therefore cancelled its main task.

    The runner counts interrupts in a private attribute; its handler is a partial of one of its methods.
    """
    runner = getattr(getattr(getsignal(SIGINT), "func", None), "__self__", None)
    return isinstance(runner, asyncio.Runner) and getattr(runner, "_interrupt_count", 0) > 0


async def _withdraw(task: asyncio.Task[Any], before: int, *, ended: bool = False) -> None:
    """Withdraw a tool's requests to cancel its own task, after its last step.

    Raises CancelledError, as the tool requested, unless it has `ended` with another exception.
    """
    if task.cancelling() <= before:
        return
    _forget_requests(task, before)
    try:
        await _step()  # before Python 3.13, the request takes effect at the next step
    except asyncio.CancelledError:
        if task.cancelling() > before:  # the caller has cancelled as well
            raise
    if not ended:
        raise asyncio.CancelledError


@coroutine
def _step() -> Generator[None, None, None]:
    """Give the event loop one turn."""
    yield


async def awaited(work: Awaitable[Any]) -> Any:
    """Return the result of any awaitable, as a coroutine."""
    return await work
