"""Configure logging for processes that toolgen starts: `python -m <package>.mcp_server` and `toolgen call`.

Applications that use a Toolkit configure logging themselves; this module does not change their logging.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TextIO

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

_CHATTY: Final = ("httpcore", "httpx", "httpx2", "mcp", "uvicorn")
"""Libraries whose INFO records repeat, for each request, the record of the call."""

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def configure_logging(settings: Settings) -> None:
    """Write log records to stderr, from `settings.log_level` up, in `settings.log_format`.

    Does nothing if the root logger has handlers already: the application has configured logging.
    """
    root = logging.getLogger()
    if root.handlers:
        return
    handler = TurnHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    root.addHandler(handler)
    root.setLevel(level)
    if level == logging.INFO:
        for name in _CHATTY:
            logging.getLogger(name).setLevel(logging.WARNING)


if TYPE_CHECKING:
    _StreamHandler = logging.StreamHandler[TextIO]
else:
    _StreamHandler = logging.StreamHandler


class TurnHandler(_StreamHandler):
    """Writes the records of one turn of the event loop at once, which saves a system call for most calls.

    Records from WARNING up, and those outside of a loop, are written immediately, after the pending ones.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._lines: list[str] = []
        self._loop: asyncio.AbstractEventLoop | None = None  # in which `flush` is scheduled

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or schedule its writing for the next turn of the event loop."""
        try:
            self._lines.append(self.format(record))
            loop = asyncio._get_running_loop()
            if record.levelno >= logging.WARNING or loop is None:
                self.flush()
            elif loop is not self._loop:
                self._loop = loop
                loop.call_soon(self.flush)
        except Exception:
            self.handleError(record)

    def flush(self) -> None:
        """Write the pending lines."""
        self.acquire()
        try:
            self._loop = None
            if self._lines:
                lines, self._lines = self._lines, []
                self.stream.write("\n".join(lines) + "\n")
                self.stream.flush()
        finally:
            self.release()


class TextFormatter(logging.Formatter):
    """Formats a record as time (RFC 3339, UTC), level, logger and message, followed by the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        text = f"{_rfc3339(record)} {record.levelname} {record.name}: {record.getMessage()}"
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            text += f"\n{record.exc_text}"
        return f"{text}\n{self.formatStack(record.stack_info)}" if record.stack_info else text


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON: time, level, logger, message, its extra fields, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON; values that are not JSON are converted by `str`."""
        data: dict[str, Any] = {
            "time": _rfc3339(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for key, value in vars(record).items():
            if key not in _STANDARD and key not in data:
                data[key] = value
        if record.exc_info:
            data["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            data["stack"] = self.formatStack(record.stack_info)
        try:
            return json.dumps(data, default=_as_text, skipkeys=True)
        except (ValueError, RecursionError):  # a field that contains itself
            simple = {key: value if type(value) is str else _as_text(value) for key, value in data.items()}
            return json.dumps(simple)


def _rfc3339(record: logging.LogRecord) -> str:
    return f"{_second(int(record.created))}.{int(record.msecs):03d}Z"


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def _as_text(value: object) -> str:
    try:
        return str(value)
    except Exception as error:  # of an object's own `__str__`
        return f"<{type(value).__name__}: {type(error).__name__}>"
