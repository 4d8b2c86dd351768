"""The runtime's logger, and the logger that a tool gets for one call."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any, Final

from .redaction import redact, traceback_of, without_text

LOGGER: Final = logging.getLogger("toolgen.runtime")


def _handle(record: logging.LogRecord) -> None:
    """Handle a record of LOGGER. If a handler of the application raises, write the record to stderr."""
    try:
        logging.Logger.handle(LOGGER, record)
    except BaseException as error:
        from toolgen.runtime.isolation import contain_exit  # 21 ms, for errors only

        contain_exit(error, "a log handler")
        if logging.lastResort is not None:
            logging.lastResort.handle(record)


vars(LOGGER)["handle"] = _handle  # a class of its own could not be created by `getLogger`


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
            from toolgen.runtime.isolation import contain_exit  # 21 ms, for errors only

            error = without_text(contain_exit(raised, "the configured logger"))
            LOGGER.error("the configured logger raised", exc_info=error)


def _formatted(message: object, args: tuple[object, ...]) -> str:
    try:
        return logging.LogRecord("", logging.NOTSET, "", 0, message, args, None).getMessage()
    except (TypeError, ValueError):  # as in logging, a wrong format does not raise
        return f"{message} {args!r}"
