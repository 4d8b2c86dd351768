"""Limit how many log records of one kind are written in a second, so that clients cannot fill the log."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import Final

RECORDS_PER_SECOND: Final = 10
WINDOW_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class _Kind:
    """Where records come from, and the HTTP status of those of refused requests."""

    logger: str
    level: int
    file: str
    line: int
    status: int | None


class RateLimitFilter(logging.Filter):
    """Passes RECORDS_PER_SECOND records of one kind a second, then one record that counts the others.

    Records are of one kind if the same line logs them at the same level, with the same `status`.

    Args:
        libraries: first parts of the names of the loggers that are limited.
    """

    def __init__(self, *libraries: str) -> None:
        super().__init__()
        self._libraries = libraries
        self._lock = threading.RLock()
        self._window = 0.0  # when it ends
        self._passed: dict[_Kind, int] = {}  # in this window
        self._left_out: dict[_Kind, int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """True if the record is to be written."""
        # the record that counts the others must pass itself
        if record.name.partition(".")[0] not in self._libraries or hasattr(record, "left_out"):
            return True
        status: int | None = getattr(record, "status", None)
        kind = _Kind(record.name, record.levelno, record.pathname, record.lineno, status)
        with self._lock:
            if record.created >= self._window:
                self._window = record.created + WINDOW_SECONDS
                self._passed.clear()
            passed = self._passed.get(kind, 0)
            if passed < RECORDS_PER_SECOND:
                self._passed[kind] = passed + 1
                return True
            if not self._left_out:
                self._report_later()
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
        return False

    def _report_later(self) -> None:
        timer = threading.Timer(WINDOW_SECONDS, self._report)
        timer.daemon = True
        timer.start()

    def _report(self) -> None:
        with self._lock:
            left_out, self._left_out = self._left_out, {}
        for kind, count in left_out.items():
            extra = {"left_out": count, **({} if kind.status is None else {"status": kind.status})}
            of_status = "" if kind.status is None else f" with status {kind.status}"
            logging.getLogger(kind.logger).log(
                kind.level, "%d more such records%s were left out", count, of_status, extra=extra
            )
