"""Log which tool holds the event loop.

While calls are in flight in a loop, a daemon thread (one for all loops) asks it for a sign of life several
times a second. If none comes for a second, it looks at the stack of the loop's thread: the call path's own
frame in it names
the tool, the frames inside that one name the place. A call pays for one entry in a dict.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Mapping
from time import monotonic, sleep
from types import CodeType, FrameType
from typing import Any, Final

from toolgen.runtime.context import LOGGER, ToolContext

LIMIT: Final = 1.0  # seconds that a tool may hold the event loop without being logged
_INTERVAL: Final = 0.2  # seconds between two signs of life
_IDLE: Final = 5.0  # seconds without calls after which the thread ends
_FRAMES: Final = 8  # innermost ones that are looked at where no call is found

_CALL_PATH: dict[CodeType, Callable[[Mapping[str, Any]], Any]] = {}
"""Functions that run an implementation → who runs in them: a ToolContext, or a tool's name."""


def names_tool(function: Any, find: Callable[[Mapping[str, Any]], Any]) -> None:
    """Register a function whose frames say which tool they run: `find` takes their local variables."""
    _CALL_PATH[function.__code__] = find


IN_FLIGHT: Final[dict[ToolContext, asyncio.Task[Any] | None]] = {}
"""The calls that run now, and the tasks that they run in. The call path adds and deletes them."""


class _LoopWatch:
    """Whether one event loop with calls in flight gives signs of life."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread: int | None = getattr(loop, "_thread_id", None)
        self._asked: float | None = None  # when the sign of life was asked for that is due
        self._logged = False

    def look(self, names: set[str]) -> None:
        """Ask the loop for a sign of life; log what keeps it from giving one that is due for long."""
        if self._asked is None:
            self._asked = monotonic()
            try:
                self._loop.call_soon_threadsafe(self._alive)
            except RuntimeError:  # the loop has been closed
                self._asked = None
        elif not self._logged and monotonic() - self._asked > LIMIT and self._loop.is_running():
            self._logged = True  # once per hold
            self._log(names)

    def _alive(self) -> None:
        self._thread = threading.get_ident()
        self._asked, self._logged = None, False

    def _log(self, names: set[str]) -> None:
        frame = sys._current_frames().get(self._thread or 0)
        if frame is None:
            return
        inside, found = _find_call(frame)
        logger: Any = LOGGER
        if found is None:
            who, fields = f"code outside of a call (calls in flight: {', '.join(sorted(names)[:10])})", {}
        else:
            name = found if isinstance(found, str) else found.tool_name
            logger = LOGGER if isinstance(found, str) else found.logger
            who, fields = f"tool {name}", {"tool_name": name}
        logger.warning(
            "%s holds the event loop for more than %g s, at %s",
            who,
            LIMIT,
            _place(inside),
            extra={**fields, "event": "blocked"},
        )


class Watchdog:
    """The thread that watches all event loops which have calls in flight."""

    def __init__(self) -> None:
        self.asleep = True  # there is no thread: who adds a call starts it
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the thread, if there is none."""
        with self._lock:
            if self.asleep:
                self.asleep = False
                threading.Thread(target=self._run, name="toolgen-watchdog", daemon=True).start()

    def _run(self) -> None:
        watches: dict[asyncio.AbstractEventLoop, _LoopWatch] = {}
        busy = monotonic()
        while True:
            calls = _calls_by_loop()
            watches = {loop: watches.get(loop) or _LoopWatch(loop) for loop in calls}
            for loop, watch in watches.items():
                try:
                    watch.look(calls[loop])
                except Exception:
                    LOGGER.exception("the watchdog of the event loop failed")
            if calls:
                busy = monotonic()
            elif monotonic() - busy > _IDLE:
                with self._lock:
                    self.asleep = True
                if not IN_FLIGHT:
                    return
                with self._lock:  # one was added just now: did it start another thread?
                    if not self.asleep:
                        return
                    self.asleep = False
            del calls
            sleep(_INTERVAL)


def _calls_by_loop() -> dict[asyncio.AbstractEventLoop, set[str]]:
    """Return the event loops that have calls in flight, and the names of the tools."""
    found: dict[asyncio.AbstractEventLoop, set[str]] = {}
    for call, task in IN_FLIGHT.copy().items():
        loop = None if task is None else task.get_loop()
        if loop is not None and not loop.is_closed():
            found.setdefault(loop, set()).add(call.tool_name)
    return found


WATCHDOG = Watchdog()


def _after_fork() -> None:  # threads do not survive a fork, nor do the parent's calls
    WATCHDOG.asleep = True
    IN_FLIGHT.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _find_call(frame: FrameType) -> tuple[list[FrameType], Any]:
    """Return the frames inside the innermost frame of the call path, innermost first, and who runs there."""
    inside: list[FrameType] = []
    current: FrameType | None = frame
    while current is not None:
        find = _CALL_PATH.get(current.f_code)
        if find is not None:
            return inside, find(current.f_locals)
        inside.append(current)
        current = current.f_back
    return inside[:_FRAMES], None


def _place(frames: list[FrameType]) -> str:
    """Return the innermost of `frames` and the outermost that is not ours, without any value."""
    outside = [
        each for each in frames if not each.f_globals.get("__name__", "").startswith("toolgen.runtime.")
    ]
    shown = outside[:1] + outside[-1:] if len(outside) > 1 else outside or frames[:1]
    return ", in ".join(
        f"{each.f_code.co_filename}:{each.f_lineno} ({each.f_code.co_qualname})" for each in shown
    )
