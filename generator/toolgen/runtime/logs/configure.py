"""Configure logging for servers and `toolgen call`, unless the application has configured it.

A server's log is written in a thread, from a bounded queue, so that no call waits for it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from logging.handlers import QueueHandler, QueueListener
from queue import SimpleQueue
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from toolgen.base.escaping.places import json_line, log_text
from toolgen.base.escaping.streams import print_message

from .logger import LOGGER
from .redaction import without_text

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

_CHATTY: Final = {
    **dict.fromkeys(("httpcore", "httpx", "httpx2", "mcp", "uvicorn"), logging.WARNING),
    "mcp.server.transport_security": logging.ERROR,
}
"""Loggers of libraries whose records, below a level, repeat the record of a call or of a refused request."""
_OF_APPLICATION: Final = ("toolgen", "mcp")
"""The loggers that an ASGI application configures; others belong to the program around it."""

AUDIT: Final = "toolgen.audit"
"""The logger of consent. `--log-level` is about errors: a server writes these records with any level."""

_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def configure_logging(settings: Settings, handler: logging.Handler | None = None) -> None:
    """Write the log records of this process, from `settings.log_level` up, in `settings.log_format`.

    Does nothing if the root logger has handlers already: the application has configured logging. Those of
    OpenTelemetry do not count, because they export records and show none.

    Args:
        settings: the settings of the process.
        handler: writes the records; by default, to stderr.
    """
    root = logging.getLogger()
    if not _is_shown(root):
        _write_records(root, handler or logging.StreamHandler(sys.stderr), settings)
        if settings.log_format == "json":
            # what Python would write as text; values of a tool's thread are not for the log
            sys.excepthook = lambda *error: LOGGER.critical(
                "the process ends by an exception", exc_info=error
            )
            threading.excepthook = lambda ended: LOGGER.error(
                "a thread ended by an exception", exc_info=ended.exc_value and without_text(ended.exc_value)
            )
            logging.captureWarnings(capture=True)


def configure_application_logging(settings: Settings) -> None:
    """Write the records of toolgen and of the MCP SDK to stderr, unless the program handles them.

    Other loggers are not changed, except that of the audit log. Records go to the root logger's handlers if
    the program adds some later.
    """
    keep_audit()
    handler = server_handler()
    handler.addFilter(lambda _: not _is_shown(logging.getLogger()))
    for name in _OF_APPLICATION:
        logger = logging.getLogger(name)
        # the program around the application logs these records already
        if not _is_shown(LOGGER if name == "toolgen" else logger):
            _write_records(logger, handler, settings)


def _write_records(logger: logging.Logger, handler: logging.Handler, settings: Settings) -> None:
    """Have the records of a logger and those below it written, fewer of libraries that repeat ours."""
    handler.setFormatter(JsonFormatter() if settings.log_format == "json" else TextFormatter())
    logger.addHandler(handler)
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    for name, least in _CHATTY.items() if level == logging.INFO else ():
        chatty = logging.getLogger(name)
        if chatty.level == logging.NOTSET and (logger.parent is None or name.startswith(logger.name)):
            chatty.setLevel(least)
    if logger.level == logging.NOTSET or logger.parent is None:
        logger.setLevel(level)


def announce(message: str, level: int = logging.WARNING) -> None:
    """Print a line for the person who starts a server; with TOOLGEN_LOG_FORMAT=json, as a record."""
    if os.environ.get("TOOLGEN_LOG_FORMAT", "").lower() == "json":
        # not logged: logging may not be configured yet, and a refusal to start is told at any level
        record = LOGGER.makeRecord(LOGGER.name, level, __file__, 0, message, (), None)
        message = JsonFormatter().format(record)
    print_message(message)


def keep_audit() -> None:
    """Have records of consent written with any log level, unless the program has set a level for them."""
    logger = logging.getLogger(AUDIT)
    if logger.level == logging.NOTSET:
        logger.setLevel(logging.INFO)


def _shows_records(handler: logging.Handler) -> bool:
    """True unless a handler exports records by OpenTelemetry, as `opentelemetry-instrument` adds one."""
    return not any(each.__module__.startswith("opentelemetry.") for each in type(handler).__mro__)


def _is_shown(logger: logging.Logger) -> bool:
    """True if a handler that shows records gets those of `logger`: `hasHandlers` counts exporters, too."""
    current: logging.Logger | None = logger
    while current is not None:
        if any(map(_shows_records, current.handlers)):
            return True
        current = current.parent if current.propagate else None
    return False


def server_handler() -> logging.Handler:
    """Return a handler that writes to stderr without a wait for its reader."""
    try:
        handler: logging.Handler = DroppingQueueHandler(sys.stderr.fileno())
    except (AttributeError, OSError, ValueError):  # stderr is closed, or has no descriptor
        handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(RateLimitFilter("asyncio", "mcp", "uvicorn"))
    return handler


class TextFormatter(logging.Formatter):
    """Formats a record as time (RFC 3339, UTC), level, logger and message, followed by the traceback."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%S"
    default_msec_format = "%s.%03dZ"

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text."""
        return log_text(super().format(record))


class JsonFormatter(TextFormatter):
    """Formats a record as one line of JSON: time, level, logger, message, its extra fields, exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line of JSON; values that are not JSON are converted by `str`."""
        data: dict[str, Any] = {
            "time": self.formatTime(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **trace_ids(),
        }
        for key, value in vars(record).items():
            if key not in _STANDARD and key not in data:
                data[key] = value
        if record.exc_info:
            data["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            data["stack"] = self.formatStack(record.stack_info)
        try:
            return json_line(json.dumps(data, default=_as_text, skipkeys=True))
        except (ValueError, RecursionError):  # a field that contains itself
            simple = {key: value if type(value) is str else _as_text(value) for key, value in data.items()}
            return json_line(json.dumps(simple))


def trace_ids() -> dict[str, str]:
    """Return the ids of the current trace and span, as hexadecimal digits; empty outside of a span."""
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return {}
    context = api.get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}


def _as_text(value: object) -> str:
    try:
        return str(value)
    except Exception as error:  # of an object's own `__str__`
        return f"<{type(value).__name__}: {type(error).__name__}>"


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


RECORDS_PER_SECOND: Final = 10  # of one kind: enough to see what happens


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
