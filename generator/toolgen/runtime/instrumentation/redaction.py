"""Redaction: keep secret values, and the texts of exceptions, out of error texts and logs."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable, MutableMapping
from typing import Any

MASK = "[secret]"


def redact(value: Any, secrets: Iterable[str]) -> Any:
    """Return a text, or a JSON value, with every secret masked."""
    longest_first = sorted((text for text in secrets if text), key=len, reverse=True)
    return _redact(value, longest_first) if longest_first else value


def _redact(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASK)
        return value
    if isinstance(value, dict):
        return {_redact(key, secrets): _redact(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_redact(item, secrets) for item in value]
    return value


def write_record(
    logger: Any, level: int, message: str, fields: dict[str, Any], error: BaseException | None = None
) -> None:
    """Write one record with `fields` as its attributes and the error's traceback, by any kind of logger.

    `level` is one that the logger is enabled for.
    """
    if type(logger) is logging.Logger:  # as `Logger.log`, without its search for the caller, which is this
        trace = None if error is None else (type(error), error, error.__traceback__)
        record = logger.makeRecord(
            logger.name, level, __file__, 0, message, (), trace, write_record.__name__, fields
        )
        logger.handle(record)
        return
    options: MutableMapping[str, Any] = {"extra": fields, "exc_info": error}
    text: Any = message
    while isinstance(logger, logging.LoggerAdapter):
        text, options = logger.process(text, options)
        options["extra"] = {**fields, **(options.get("extra") or {})}  # 3.11 and 3.12 put theirs in its place
        logger = logger.logger
    logger.log(level, text, **options)


class CallLogger(logging.LoggerAdapter[Any]):
    """A tool's logger for one call: records carry `tool_name` and `call_id`, and no secret of the tool."""

    def __init__(self, logger: Any, extra: dict[str, Any], hidden: list[str]) -> None:
        super().__init__(logger, extra)
        self.hidden = hidden

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Add the call's fields to those that the record brings along."""
        kwargs["extra"] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, kwargs

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """As `Logger.log`; where the tool has secrets, the text is made here, and masked."""
        if self.hidden and self.isEnabledFor(level):
            msg, args = redact(_formatted(msg, args), self.hidden), ()
            if kwargs.get("exc_info"):
                msg = f"{msg}\n{redact(traceback_of(kwargs.pop('exc_info')), self.hidden)}"
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1  # the tool's line, not this one
        super().log(level, msg, *args, **kwargs)


def _formatted(message: object, args: tuple[object, ...]) -> str:
    text = str(message)
    if not args:
        return text
    values: Any = args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args
    try:
        return str(text % values)
    except (TypeError, ValueError):  # logging reports that, and the call goes on; so it is here
        return f"{text} {args!r}"


def traceback_of(error: Any) -> str:
    """Return the traceback of an exception as a log shows it; of the current one if `error` is True."""
    if isinstance(error, BaseException):
        return "".join(traceback.format_exception(error)).rstrip()
    if isinstance(error, tuple) and isinstance(error[1], BaseException):
        return "".join(traceback.format_exception(error[1])).rstrip()
    return traceback.format_exc().rstrip()


_MAX_CAUSES = 20  # of an exception, in the log
_MAX_MEMBERS = 15  # of an exception group, in the log


def without_text(error: BaseException, links: int = _MAX_CAUSES) -> BaseException:
    """Return a stand-in for `error` to log: its class's name and its traceback, but none of its text.

    Messages of exceptions quote the values that they are about. Causes, contexts and the members of an
    exception group are replaced likewise. It is a new object: `error` is not changed.
    """
    copy = _stand_in(error, links)
    copy.__traceback__ = error.__traceback__
    copy.__suppress_context__ = error.__suppress_context__
    if isinstance(error, SyntaxError) and isinstance(error.filename, str) and error.filename.endswith(".py"):
        copy.add_note(f'  File "{error.filename}", line {error.lineno}')
    if links:
        if error.__cause__ is not None:
            copy.__cause__ = without_text(error.__cause__, links - 1)
        elif error.__context__ is not None and not error.__suppress_context__:
            copy.__context__ = without_text(error.__context__, links - 1)
    return copy


def _stand_in(error: BaseException, links: int) -> BaseException:
    kind = type(error)
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    if isinstance(error, BaseExceptionGroup) and links:
        members = [without_text(member, links // 2) for member in error.exceptions[:_MAX_MEMBERS]]
        return BaseExceptionGroup("", members)
    stand_in: BaseException = type(kind.__name__, (Exception,), names)()
    return stand_in
