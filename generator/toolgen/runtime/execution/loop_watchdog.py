"""Log which tool blocks the event loop.

While calls are in flight, a daemon thread (one for all loops) schedules a heartbeat in each loop several
times a second. If one is not run for a second, the loop's current task names the tool, and the stack of its
thread names the blocking code. A call costs one dict entry.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from itertools import dropwhile, takewhile
from math import inf
from time import monotonic, sleep
from traceback import walk_stack
from types import FrameType
from typing import Any, Final

from toolgen.runtime.context import ToolContext
from toolgen.runtime.instrumentation.telemetry import ACTIVE_CALLS, metric_name, observe
from toolgen.runtime.logs.logger import LOGGER

from .calls_in_flight import TRACE

LIMIT: Final = 1.0  # seconds that a tool may block the event loop without being logged
_INTERVAL: Final = 0.2  # seconds between two heartbeats
_IDLE: Final = 5.0  # seconds without calls after which the thread ends

InFlight = dict[ToolContext, tuple[asyncio.Task[Any] | None, int]]

IN_FLIGHT: Final[InFlight] = {}
"""The running calls, with their tasks and threads. The call path adds and deletes them."""


class Watchdog:
    """The thread that watches all event loops with calls in flight."""

    def __init__(self) -> None:
        self.asleep = True  # no thread is running: the next call starts it
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the thread if it is not running."""
        with self._lock:
            if self.asleep:
                self.asleep = False
                threading.Thread(target=self._run, name="toolgen-watchdog", daemon=True).start()

    def _run(self) -> None:
        last_call, waiting = monotonic(), dict[asyncio.AbstractEventLoop, float]()
        while monotonic() - last_call < _IDLE:
            if _look(waiting):
                last_call = monotonic()
            sleep(_INTERVAL)
        self.asleep = True
        if IN_FLIGHT:  # a call was added just now
            self.start()


def _look(waiting: dict[asyncio.AbstractEventLoop, float]) -> bool:
    """Check the event loops with calls in flight; True if there are any."""
    # calls start and end in other threads meanwhile; copying a dict holds the interpreter
    calls = IN_FLIGHT.copy()
    loops = {task.get_loop() for task, _ in calls.values() if task is not None}
    for loop in waiting.keys() - loops:
        waiting.pop(loop, None)
    for loop in loops:
        try:
            _check(loop, waiting, calls)
        except Exception:
            LOGGER.exception("the watchdog of the event loop failed")
    return bool(calls)


def _check(
    loop: asyncio.AbstractEventLoop, waiting: dict[asyncio.AbstractEventLoop, float], calls: InFlight
) -> None:
    """Schedule a heartbeat; log the tool that blocks the loop if the last one is overdue."""
    since = waiting.get(loop)  # when the pending heartbeat was scheduled
    if since is None:
        waiting[loop] = monotonic()
        with suppress(RuntimeError):  # the loop has been closed
            loop.call_soon_threadsafe(waiting.pop, loop, None)
    elif monotonic() - since > LIMIT and loop.is_running():
        waiting[loop] = inf  # logged once while it is blocked
        _log(loop, calls)


def _log(loop: asyncio.AbstractEventLoop, calls: InFlight) -> None:
    current = asyncio.current_task(loop)
    found = {call: place for call, place in calls.items() if place[0] and place[0].get_loop() is loop}
    frame = next((sys._current_frames().get(thread) for _, thread in found.values()), None)
    if frame is None:
        return
    # the last one: a tool may call others in its task
    call = next((each for each in reversed(found) if found[each][0] is current), None)
    logger, fields = LOGGER if call is None else call.logger, {"event": "blocked"}
    if call is None:
        names = sorted({each.tool_name for each in found})
        subject = f"code outside of a call (calls in flight: {', '.join(names[:10])})"
    else:
        subject = f"tool {call.tool_name}"
        fields["tool_name"] = call.tool_name
    text = "%s blocks the event loop for more than %g s, at %s"
    logger.warning(text, subject, LIMIT, _describe(frame), extra=fields)


WATCHDOG = Watchdog()


def _count_calls(_: Watchdog) -> Mapping[str, float]:
    return Counter(metric_name(call.tool_name) for call in list(IN_FLIGHT))


observe(ACTIVE_CALLS, WATCHDOG, _count_calls)


def _after_fork() -> None:  # threads do not survive a fork, nor do the parent's calls
    WATCHDOG.asleep = True
    IN_FLIGHT.clear()
    TRACE.descriptor = None  # it is the parent's file, and only the parent has its lock


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _is_own(frame: FrameType) -> bool:
    return bool(frame.f_globals.get("__name__", "").startswith("toolgen.runtime."))


def _describe(frame: FrameType) -> str:
    """Return the innermost frame, and the outermost that the runtime has called, without any value."""
    frames = [each for each, _ in walk_stack(frame)]
    outside = list(takewhile(lambda each: not _is_own(each), dropwhile(_is_own, frames))) or frames
    shown = [outside[0], outside[-1]] if len(outside) > 1 else outside
    return ", in ".join(
        f"{each.f_code.co_filename}:{each.f_lineno} ({each.f_code.co_qualname})" for each in shown
    )
