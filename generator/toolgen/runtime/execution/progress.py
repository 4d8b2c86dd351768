"""Send progress reports of a tool, from the event loop or from a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, Final

from toolgen.runtime.context import DONE, LOGGER, Progress, ToolContext

_SECONDS: Final = 10.0  # that a thread waits for one report to be taken
_sending: set[asyncio.Task[None]] = set()  # the event loop itself keeps only weak references


def send_report(
    call: ToolContext, progress: Progress, done: float, total: float | None, message: str | None
) -> Awaitable[None]:
    """Send one report. Return at once in the event loop, after it has been sent in a thread."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        running = None
    loop: asyncio.AbstractEventLoop | None = getattr(call, "loop", running)
    if loop is None or loop.is_closed():
        return DONE
    work = _send(call, progress, (done, total, message))
    if loop is running:
        task = loop.create_task(work)
        _sending.add(task)
        task.add_done_callback(_sending.discard)
        return task
    try:
        future = asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:  # the loop has just been closed
        work.close()
        return DONE
    try:
        future.result(_SECONDS)
    except FutureTimeoutError:
        future.cancel()
        LOGGER.info("a progress report of %s was not taken (call %s)", call.tool_name, call.call_id)
    except (Exception, asyncio.CancelledError):  # its loop has ended
        future.cancel()
    return DONE


async def _send(call: ToolContext, progress: Progress, report: tuple[Any, ...]) -> None:
    try:
        await progress(*report)
    except Exception:  # a caller that has gone away must not undo the work
        LOGGER.exception("reporting progress of %s failed (call %s)", call.tool_name, call.call_id)
