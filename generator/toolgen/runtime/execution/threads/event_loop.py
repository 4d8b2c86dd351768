"""Event loops that no task of a tool can end.

asyncio re-raises SystemExit and KeyboardInterrupt of any task out of the loop. In these loops, each task but
the main one raises an ordinary exception in their place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from toolgen.runtime.isolation import contain_exit
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text

Result = TypeVar("Result")


def run_event_loop(
    main: Callable[[], Coroutine[Any, Any, Result]],
    *,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> Result:
    """Run `main()` like `asyncio.run`; a task that exits is logged, and fails.

    Raises what `main()` raises, KeyboardInterrupt after SIGINT, and RuntimeError inside a running event loop.
    """

    async def run() -> Result:
        asyncio.get_running_loop().set_task_factory(_start_task)
        return await main()

    if running_loop() is not None:
        raise RuntimeError("run_event_loop was called in a running event loop")
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(run())


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop that runs in this thread; None if there is none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _start_task(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> asyncio.Task[Any]:
    task = asyncio.Task(_contained(work), loop=loop, **options)
    task.add_done_callback(lambda _: work.close())  # cancelled before its start, it was never awaited
    return task


async def _contained(work: Coroutine[Any, Any, Result]) -> Result:
    try:
        return await work
    except (SystemExit, KeyboardInterrupt) as error:
        kind = type(error).__name__
        LOGGER.error("a task raised %s; the event loop continues", kind, exc_info=without_text(error))
        raise contain_exit(error, "a task") from error
