"""End a server process: the first signal starts an orderly stop, the second ends the process at once."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from types import FrameType
from typing import Final

from toolgen.runtime.process_record import PROCESS
from toolgen.serving.server_state import ServerState

CLOSING_SECONDS: Final = 1.5
"""Time for closing connections and tools, after the grace period, before the process is ended."""

SIGNALS: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)


class Stop:
    """The end of a server process.

    `on_stop` is called, in the main thread, when the first signal arrives. The process then ends after
    `delay`, `grace` and CLOSING_SECONDS at the latest, whatever its threads and its event loop do.
    `on_reload` is called for SIGHUP instead, unless the process has a terminal: there, SIGHUP means that it
    was closed.
    """

    def __init__(
        self,
        grace: float,
        on_stop: Callable[[], object],
        on_reload: Callable[[], object] | None = None,
        *,
        delay: float = 0.0,
    ) -> None:
        self.grace = grace
        self.signal: int | None = None
        self._delay = delay
        self._on_stop = on_stop
        self._on_reload = None if _has_terminal() else on_reload

    @property
    def exit_code(self) -> int:
        """130 for SIGINT, 0 for other signals and for an end without a signal."""
        return 130 if self.signal == signal.SIGINT else 0

    @property
    def delay(self) -> float:
        """Seconds until requests are refused. A user who presses Ctrl-C does not wait."""
        return 0.0 if self.signal == signal.SIGINT else self._delay

    @contextlib.contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Handle SIGNALS in a `with` block; restore the previous handlers after it."""
        handled = [each for each in SIGNALS if not _is_ignored_hangup(each)]
        before = {number: signal.signal(number, self.handle) for number in handled}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: stop in an orderly way, or at once if this is the second one."""
        if self._on_reload is not None and number not in (signal.SIGTERM, signal.SIGINT):
            self._on_reload()
            return
        if self.signal is not None:
            end_process(128 + number)
        self.signal = number
        self.set_deadline()
        self._on_stop()

    def set_deadline(self) -> None:
        """Record that the process stops; end it when its time is over, if it has not ended by then."""
        PROCESS.stopping("end of stdin" if self.signal is None else signal.Signals(self.signal).name)
        seconds = self.delay + self.grace + CLOSING_SECONDS
        timer = threading.Timer(seconds, lambda: end_process(self.exit_code))
        timer.daemon = True
        timer.start()


def _has_terminal() -> bool:
    streams = (sys.__stdin__, sys.__stdout__, sys.__stderr__)
    return any(stream is not None and not stream.closed and stream.isatty() for stream in streams)


def _is_ignored_hangup(number: int) -> bool:
    """True if the user started the process with `nohup`, so that it survives the end of the terminal."""
    return number not in (signal.SIGTERM, signal.SIGINT) and signal.getsignal(number) is signal.SIG_IGN


async def end_calls(
    state: ServerState, grace: float, are_answered_within: Callable[[float], Awaitable[bool]]
) -> None:
    """Wait until all requests are answered; after `grace` seconds, end the calls in flight."""
    state.listen.close()
    if not await are_answered_within(grace):
        state.calls.end_all()
        await are_answered_within(1.0)


def end_process(code: int) -> None:
    """End the process without waiting for its threads, after flushing its output for a moment."""
    # in a thread: one that hangs may hold a lock
    flushing = threading.Thread(target=_flush, args=(code,), daemon=True)
    flushing.start()
    flushing.join(0.2)
    # `sys.exit` would wait for threads of tools that hang
    os._exit(code)


def _flush(code: int) -> None:
    with contextlib.suppress(Exception):
        PROCESS.stopped(code)
        logging.shutdown()
    for stream in (sys.stderr, sys.stdout):
        with contextlib.suppress(Exception):
            stream.flush()
