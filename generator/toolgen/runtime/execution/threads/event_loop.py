"""Event loops that no task of a tool can end.

asyncio re-raises SystemExit and KeyboardInterrupt of any task and callback out of the loop, even if a tool
has started it. The loop can continue after that: nothing but the task that raised has ended.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Final, TypeVar

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text

Result = TypeVar("Result")

_EXITS: Final = (SystemExit, KeyboardInterrupt)
_LOOPS: Final = (__name__, "asyncio.", "uvloop.")  # modules whose frames run a task


def run_event_loop(
    main: Callable[[], Coroutine[Any, Any, Result]],
    *,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Result:
    """Run `main()` like `asyncio.run`; a task that exits or stops the loop is logged, and the loop continues.

    Raises what `main()` raises, KeyboardInterrupt after SIGINT, and RuntimeError inside a running event loop.
    """
    if running_loop() is not None:
        raise RuntimeError("run_event_loop was called in a running event loop")
    with asyncio.Runner(loop_factory=loop_factory) as runner:  # closes the loop
        loop = runner.get_loop()
        task = loop.create_task(main())  # not in `runner.run`, which cannot go on with it after an exit
        with _interrupts(task, loop) as received:
            try:
                return run_until_done(task, loop, received)
            except asyncio.CancelledError:
                if received:
                    raise KeyboardInterrupt from None
                raise
            finally:
                # the runner would do so, too, and raise an exit of one of them
                cancel_tasks(loop, received)


@contextmanager
def _interrupts(task: asyncio.Task[Any], loop: asyncio.AbstractEventLoop) -> Iterator[list[int]]:
    """Have SIGINT cancel `task`, as asyncio does, and a second one raise KeyboardInterrupt.

    Yield those that arrive; none in other threads than the main one, and where a program handles SIGINT.
    """
    received: list[int] = []

    def handle(number: int, frame: object) -> None:
        received.append(number)
        if len(received) > 1:
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(task.cancel)

    former = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or former is not signal.default_int_handler:
        yield received
        return
    signal.signal(signal.SIGINT, handle)
    try:
        yield received
    finally:
        signal.signal(signal.SIGINT, former)


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop that runs in this thread; None if there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def run_until_done(
    future: asyncio.Future[Result], loop: asyncio.AbstractEventLoop, received: Sequence[int] = ()
) -> Result:
    """Run `loop` until `future` is done, and return its result. The second SIGINT in `received` ends it."""
    # `run_until_complete` may be called again after an exit: pending tasks continue
    while not future.done():
        try:
            loop.run_until_complete(future)
        except _EXITS as error:
            if len(received) > 1:
                raise
            if not future.done():
                LOGGER.error(
                    "a task or callback that a tool started raised %s; the event loop continues",
                    type(error).__name__,
                    exc_info=without_text(error.with_traceback(_trace_of_task(error))),
                )
        except RuntimeError:
            if future.done() or loop.is_closed() or running_loop() is not None:
                raise  # it is not "Event loop stopped before Future completed."
            LOGGER.error("a tool stopped the event loop, which continues")
    return future.result()


def _trace_of_task(error: BaseException) -> TracebackType | None:
    """Return the part of the traceback that is below the event loop."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(_LOOPS):
        trace = trace.tb_next
    return trace


def cancel_tasks(loop: asyncio.AbstractEventLoop, received: Sequence[int] = ()) -> None:
    """Cancel all tasks of a loop that is not running, and run it until they have ended."""
    loop.call_soon(loop.stop)  # a stop that an earlier run has left would end the next one
    with suppress(*_EXITS):
        loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        run_until_done(asyncio.gather(*tasks, return_exceptions=True), loop, received)
