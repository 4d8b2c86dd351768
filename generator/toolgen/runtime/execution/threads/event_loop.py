"""Event loops that no task of a tool can end.

asyncio re-raises SystemExit and KeyboardInterrupt of any task and callback out of the loop, even if a tool
has started it. The loop can continue after that: nothing but the task that raised has ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, TypeVar

from toolgen.runtime.isolation.exceptions import is_external
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

    Raises what `main()` raises, and what a signal handler raises; RuntimeError inside a running event loop.
    """
    if running_loop() is not None:
        raise RuntimeError("run_event_loop was called in a running event loop")
    # the runner handles SIGINT, and closes the loop
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        loop = runner.get_loop()
        task = loop.create_task(main())  # not in `runner.run`, which cannot go on with it after an exit
        try:
            return run_until_done(task, loop, lambda future: runner.run(_ended(future)))
        finally:
            cancel_tasks(loop)  # the runner would do so, too, and raise an exit of one of them


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop that runs in this thread; None if there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def _ended(future: asyncio.Future[Any]) -> None:
    """Await `future`, whose result `run_until_done` returns. Cancelling this, as SIGINT does, cancels it."""
    try:
        await future
    except asyncio.CancelledError:
        raise  # asyncio's runner raises KeyboardInterrupt for it
    except BaseException:
        return


def run_until_done(
    future: asyncio.Future[Result],
    loop: asyncio.AbstractEventLoop,
    run: Callable[[asyncio.Future[Any]], object] | None = None,
) -> Result:
    """Run `loop`, by `run` or else `run_until_complete`, until `future` is done; return its result."""
    # `run_until_complete` may be called again after an exit: pending tasks continue
    run = run or loop.run_until_complete
    while not future.done():
        try:
            run(future)
        except _EXITS as error:
            if _is_interrupt(error) or is_external(error):
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


def _is_interrupt(error: BaseException) -> bool:
    """True if asyncio's runner raised `error`, after SIGINT."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code is asyncio.Runner.run.__code__


def _trace_of_task(error: BaseException) -> TracebackType | None:
    """Return the part of the traceback that is below the event loop."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__", "").startswith(_LOOPS):
        trace = trace.tb_next
    return trace


def cancel_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel all tasks of a loop that is not running, and run it until they have ended."""
    loop.call_soon(loop.stop)  # a stop that an earlier run has left would end the next one
    with suppress(*_EXITS):
        loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        run_until_done(asyncio.gather(*tasks, return_exceptions=True), loop)
