"""Limit how many log records of one kind are written in a second, so that clients cannot fill the log."""

from __future__ import annotations

import logging
from collections import Counter
from typing import Any, Final

RECORDS_PER_SECOND: Final = 10


class RateLimitFilter(logging.Filter):
    """Passes RECORDS_PER_SECOND records of one kind a second; the last one says that there may be more.

    Records are of one kind if the same line logs them, with the same `status`.

    Args:
        libraries: first parts of the names of the loggers that are limited.
    """

    def __init__(self, *libraries: str) -> None:
        super().__init__()
        self._libraries = libraries
        self._second = 0
        self._counts: Counter[Any] = Counter()  # in this second

    def filter(self, record: logging.LogRecord) -> bool:
        """True if the record is to be written."""
        if record.name.partition(".")[0] not in self._libraries:
            return True
        if self._second != int(record.created):
            self._second, self._counts = int(record.created), Counter()
        kind = (record.pathname, record.lineno, getattr(record, "status", None))
        self._counts[kind] += 1
        if self._counts[kind] == RECORDS_PER_SECOND:
            record.msg = f"{record.msg} (more such records of this second are left out)"
        return self._counts[kind] <= RECORDS_PER_SECOND
