"""Configure logging for processes that toolgen starts: `python -m <package>.mcp_server` and `toolgen call`.

Applications that use a Toolkit configure logging themselves; nothing here touches theirs.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

_CHATTY: Final = ("httpcore", "httpx", "httpx2", "mcp", "uvicorn")
"""Libraries whose INFO records repeat, for each request, what the record of the call says."""

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def configure_logging(settings: Settings) -> None:
    """Write log records to stderr, from `settings.log_level` up, in `settings.log_format`.

    Does nothing if the root logger has handlers already: the application has configured logging.
    """
    root = logging.getLogger()
    if root.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    root.addHandler(handler)
    root.setLevel(level)
    if level == logging.INFO:
        for name in _CHATTY:
            logging.getLogger(name).setLevel(logging.WARNING)


class TextFormatter(logging.Formatter):
    """Time (RFC 3339, UTC), level, logger and message; the traceback follows."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802
        """Return the record's time as RFC 3339 with milliseconds."""
        return _rfc3339(record)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: time, level, logger, message, the record's own fields, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON; a value that JSON does not have becomes its `str`."""
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
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z"


def _as_text(value: object) -> str:
    try:
        return str(value)
    except Exception as error:  # an object's own method
        return f"<{type(value).__name__}: {type(error).__name__}>"
