"""The runtime's logger, its records, and the logger that a tool gets for one call."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, MutableMapping
from threading import current_thread, get_ident
from time import time
from typing import Any, Final

from .redaction import redact, traceback_of, without_text

LOGGER: Final = logging.getLogger("toolgen.runtime")


def _handle(record: logging.LogRecord) -> None:
    """Handle a record of LOGGER. If a handler of the application raises, write the record to stderr."""
    try:
        logging.Logger.handle(LOGGER, record)
    except BaseException as error:
        from toolgen.runtime.isolation import contain_exit

        contain_exit(error, "a log handler")
        if logging.lastResort is not None:
            logging.lastResort.handle(record)


vars(LOGGER)["handle"] = _handle  # a class of its own would turn off the fast path for plain loggers

_COMMON: Final[dict[int, dict[str, Any]]] = {}
"""Level → the attributes that all records of this level in this process share."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_COMMON.clear)


def make_record(
    logger: logging.Logger, level: int, message: str, fields: Mapping[str, Any]
) -> logging.LogRecord:
    """Return a record without traceback, as `logger.makeRecord` does.

    That looks up module and process for each record, and a call with its record takes 12 % longer.
    """
    is_standard = logging.getLogRecordFactory() is logging.LogRecord
    common = _COMMON.get(level) if is_standard else None
    if common is None or common["name"] != logger.name:
        first = logger.makeRecord(logger.name, level, __file__, 0, message, (), None, "make_record", fields)
        if is_standard:
            _COMMON[level] = {key: value for key, value in vars(first).items() if key not in fields}
        return first
    created = time()
    attributes = {
        **common,
        **fields,
        "msg": message,
        "created": created,
        "msecs": int(created % 1 * 1000) + 0.0,
        "relativeCreated": common["relativeCreated"] + (created - common["created"]) * 1000,
    }
    # as LogRecord does: applications turn these fields off for speed
    if logging.logThreads:
        attributes["thread"], attributes["threadName"] = get_ident(), current_thread().name
    if "taskName" in common:  # since Python 3.12
        attributes["taskName"] = _task_name()
    record = logging.LogRecord.__new__(logging.LogRecord)
    record.__dict__ = attributes
    return record


def _task_name() -> str | None:
    """Return the name of the task that runs in this thread; None if there is none."""
    asyncio: Any = sys.modules.get("asyncio")  # the runtime is imported without it
    if asyncio is None:
        return None
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop is running
        return None
    return None if task is None else task.get_name()


class CallLogger(logging.LoggerAdapter[Any]):
    """A tool's logger for one call: records have `tool_name` and `call_id`, and no secret of the tool."""

    def __init__(self, logger: Any, extra: dict[str, Any], secrets: list[str]) -> None:
        super().__init__(logger, extra)
        self._secrets = secrets

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Add the call's fields to those of the record."""
        kwargs["extra"] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, kwargs

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Like `Logger.log`; if the tool has secrets, format the message here and redact it."""
        if self._secrets and self.isEnabledFor(level):
            msg, args = redact(_formatted(msg, args), self._secrets), ()
            if kwargs.get("exc_info"):
                msg = f"{msg}\n{redact(traceback_of(kwargs.pop('exc_info')), self._secrets)}"
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1  # record the tool's line, not this one
        try:
            super().log(level, msg, *args, **kwargs)
        except BaseException as raised:  # of the application's logger, which must not break the call
            from toolgen.runtime.isolation import contain_exit

            error = without_text(contain_exit(raised, "the configured logger"))
            LOGGER.error("the configured logger raised", exc_info=error)


def _formatted(message: object, args: tuple[object, ...]) -> str:
    text = str(message)
    if not args:
        return text
    values: Any = args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args
    try:
        return str(text % values)
    except (TypeError, ValueError):  # as in logging, a wrong format does not raise
        return f"{text} {args!r}"
