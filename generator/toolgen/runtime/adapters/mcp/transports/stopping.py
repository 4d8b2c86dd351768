"""End a server process: the first signal starts an orderly stop, the second ends the process at once."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final

CLOSING_SECONDS: Final = 1.5
"""Time for closing connections and tools, after the grace period, before the process is ended."""

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Stop:
    """The end of a server process.

    `on_stop` is called, in the main thread, when the first signal arrives. The process then ends after
    `grace` seconds and CLOSING_SECONDS at the latest, whatever its threads and its event loop do.
    """

    def __init__(self, grace: float, on_stop: Callable[[], object]) -> None:
        self.grace = grace
        self.signal: int | None = None
        self._on_stop = on_stop

    @property
    def exit_code(self) -> int:
        """130 for SIGINT, 0 for SIGTERM and for an end without a signal."""
        return 130 if self.signal == signal.SIGINT else 0

    @contextlib.contextmanager
    def handling_signals(self) -> Iterator[None]:
        """Handle SIGTERM and SIGINT in a `with` block; restore the previous handlers after it."""
        before = {number: signal.signal(number, self.handle) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal: stop in an orderly way, or at once if this is the second one."""
        if self.signal is not None:
            end_process(128 + number)
        self.signal = number
        self.set_deadline()
        self._on_stop()

    def set_deadline(self) -> None:
        """End the process after the grace period and CLOSING_SECONDS, if it has not ended by then."""
        timer = threading.Timer(self.grace + CLOSING_SECONDS, lambda: end_process(self.exit_code))
        timer.daemon = True
        timer.start()


def end_process(code: int) -> None:
    """End the process without waiting for its threads, after flushing its output for a moment."""
    flushing = threading.Thread(target=_flush, daemon=True)  # a lock may be held by a thread that hangs
    flushing.start()
    flushing.join(0.2)
    os._exit(code)


def _flush() -> None:
    with contextlib.suppress(Exception):
        logging.shutdown()
    for stream in (sys.stderr, sys.stdout):
        with contextlib.suppress(Exception):
            stream.flush()
