"""Log which tool blocks the event loop.

While calls are in flight, a daemon thread (one for all loops) schedules a heartbeat in each loop several
times a second. If one is not run for a second, the thread inspects the stack of the loop's thread: a frame of
the call path names the tool, the frames inside it name the blocking code. A call costs one dict entry.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic, sleep
from types import CodeType, FrameType
from typing import Any, Final, cast

from toolgen.runtime.context import Logger, ToolContext
from toolgen.runtime.instrumentation.conventions import ACTIVE_CALLS
from toolgen.runtime.instrumentation.metrics import metric_name, observe
from toolgen.runtime.logs.logger import LOGGER

LIMIT: Final = 1.0  # seconds that a tool may block the event loop without being logged
_INTERVAL: Final = 0.2  # seconds between two heartbeats
_IDLE: Final = 5.0  # seconds without calls after which the thread ends
_FRAMES: Final = 8  # innermost frames that are inspected if no call is found

_CALL_PATH: dict[CodeType, Callable[[Mapping[str, Any]], Any]] = {}
"""Code of functions that run an implementation → function that finds its ToolContext in their locals."""


def register_call_path(function: Any, find: Callable[[Mapping[str, Any]], Any]) -> None:
    """Register a function that runs implementations; `find` returns the ToolContext in its locals."""
    _CALL_PATH[function.__code__] = find


IN_FLIGHT: Final[dict[ToolContext, asyncio.Task[Any] | None]] = {}
"""The running calls and their tasks. The call path adds and deletes them."""


class _Heartbeat:
    """The heartbeat of one event loop with calls in flight."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # private: without it, as in other event loops, the thread is known after the first heartbeat
        self._thread: int | None = getattr(loop, "_thread_id", None)
        self._scheduled: float | None = None  # when the pending heartbeat was scheduled
        self._logged = False

    def check(self, names: set[str]) -> None:
        """Schedule a heartbeat; log the tool that blocks the loop if the last one is overdue."""
        if self._scheduled is None:
            self._scheduled = monotonic()
            try:
                self._loop.call_soon_threadsafe(self._beat)
            except RuntimeError:  # the loop has been closed
                self._scheduled = None
        elif not self._logged and monotonic() - self._scheduled > LIMIT and self._loop.is_running():
            self._logged = True  # once while it is blocked
            self._log(names)

    def _beat(self) -> None:
        self._thread = threading.get_ident()
        self._scheduled, self._logged = None, False

    def _log(self, names: set[str]) -> None:
        frame = sys._current_frames().get(self._thread or 0)
        if frame is None:
            return
        blocking = _find_blocking_code(frame)
        call, logger = blocking.call, cast("Logger", LOGGER)
        if call is None:
            subject, fields = f"code outside of a call (calls in flight: {', '.join(sorted(names)[:10])})", {}
        else:
            logger = call.logger
            subject, fields = f"tool {call.tool_name}", {"tool_name": call.tool_name}
        logger.warning(
            "%s blocks the event loop for more than %g s, at %s",
            subject,
            LIMIT,
            _describe(blocking.frames),
            extra={**fields, "event": "blocked"},
        )


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
        heartbeats: dict[asyncio.AbstractEventLoop, _Heartbeat] = {}
        last_call = monotonic()
        while True:
            calls = _calls_by_loop()
            heartbeats = {loop: heartbeats.get(loop) or _Heartbeat(loop) for loop in calls}
            for loop, heartbeat in heartbeats.items():
                try:
                    heartbeat.check(calls[loop])
                except Exception:
                    LOGGER.exception("the watchdog of the event loop failed")
            if calls:
                last_call = monotonic()
            elif monotonic() - last_call > _IDLE:
                with self._lock:
                    self.asleep = True
                if not IN_FLIGHT:
                    return
                with self._lock:  # a call was added just now and may have started another thread
                    if not self.asleep:
                        return
                    self.asleep = False
            # references to event loops must not live while this thread sleeps
            del calls
            sleep(_INTERVAL)


def _calls_by_loop() -> dict[asyncio.AbstractEventLoop, set[str]]:
    """Return the event loops that have calls in flight, with the names of the tools."""
    found: dict[asyncio.AbstractEventLoop, set[str]] = {}
    # calls start and end in other threads meanwhile; copying a dict holds the interpreter
    for call, task in IN_FLIGHT.copy().items():
        loop = None if task is None else task.get_loop()
        if loop is not None and not loop.is_closed():
            found.setdefault(loop, set()).add(call.tool_name)
    return found


WATCHDOG = Watchdog()


def _count_calls(_: Watchdog) -> Mapping[str, float]:
    return Counter(metric_name(call.tool_name) for call in list(IN_FLIGHT))


observe(ACTIVE_CALLS, WATCHDOG, _count_calls)


def _after_fork() -> None:  # threads do not survive a fork, nor do the parent's calls
    WATCHDOG.asleep = True
    IN_FLIGHT.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@dataclass(frozen=True, slots=True)
class _BlockingCode:
    """The frames that block an event loop, innermost first, and the call that they belong to."""

    frames: list[FrameType]
    call: ToolContext | None  # None: no call is among the callers of the innermost frame


def _find_blocking_code(frame: FrameType) -> _BlockingCode:
    frames: list[FrameType] = []
    current: FrameType | None = frame
    while current is not None:
        find = _CALL_PATH.get(current.f_code)
        if find is not None:
            return _BlockingCode(frames, find(current.f_locals))
        frames.append(current)
        current = current.f_back
    return _BlockingCode(frames[:_FRAMES], None)


def _describe(frames: list[FrameType]) -> str:
    """Return the innermost and the outermost of `frames` that are not the runtime's, without any value."""
    outside = [
        each for each in frames if not each.f_globals.get("__name__", "").startswith("toolgen.runtime.")
    ]
    shown = outside[:1] + outside[-1:] if len(outside) > 1 else outside or frames[:1]
    return ", in ".join(
        f"{each.f_code.co_filename}:{each.f_lineno} ({each.f_code.co_qualname})" for each in shown
    )
