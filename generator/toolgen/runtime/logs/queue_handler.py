"""Write a server's log in a thread, from a bounded queue, so that no call waits for it."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from logging.handlers import QueueHandler, QueueListener
from queue import SimpleQueue
from threading import Event
from typing import Any, Final

from .logger import LOGGER

MAX_RECORDS: Final = 10_000
"""Records that wait to be written: 4 MB of those of calls. Later ones are dropped and counted."""
FLUSH_SECONDS: Final = 1.0


class DroppingQueueHandler(QueueHandler):
    """Has records written to a descriptor by a daemon thread, for which neither calls nor the end wait.

    A record is formatted where it is logged, because the current span is part of it.
    """

    def __init__(self, descriptor: int) -> None:
        self._lines: SimpleQueue[Any] = SimpleQueue()  # a signal handler may log while one is put into it
        super().__init__(self._lines)
        self._descriptor = descriptor
        self._process: int | None = None  # that has the thread
        self._dropped = 0  # since the last report

    def prepare(self, record: logging.LogRecord) -> Any:
        """Return the line to write."""
        return f"{self.format(record)}\n"

    def enqueue(self, record: Any) -> None:
        """Have a line written. It is dropped and counted if too many wait."""
        if self._process != os.getpid():  # a forked child has no thread, and its parent writes what waited
            self._lines = SimpleQueue()
            _Writer(self._lines, self._descriptor).start()
            self._process = os.getpid()
        if self._lines.qsize() >= MAX_RECORDS:
            self._dropped += 1
            return
        self._report_dropped()
        self._lines.put(record)

    def flush(self) -> None:
        """Wait until the records are written, for at most a second."""
        if self._process == os.getpid():
            self._report_dropped()
            self._lines.put(written := Event())
            written.wait(FLUSH_SECONDS)

    def _report_dropped(self) -> None:
        if self._dropped:
            message = f"{self._dropped} log records were dropped, because nobody read the log"
            record = LOGGER.makeRecord(LOGGER.name, logging.WARNING, __file__, 0, message, (), None)
            self._dropped = 0
            self._lines.put(self.prepare(record))


class _Writer(QueueListener):
    """Writes lines without a buffer, which the end of the process would wait for."""

    def __init__(self, queue: SimpleQueue[Any], descriptor: int) -> None:
        super().__init__(queue)
        self._descriptor = descriptor

    def handle(self, record: Any) -> None:
        """Write a line, or tell `flush` that all before it were written."""
        if isinstance(record, Event):
            record.set()
            return
        rest = memoryview(record.encode("utf-8", "backslashreplace"))
        with suppress(OSError):  # a full disk, or a pipe without a reader: there is no other place to say so
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
