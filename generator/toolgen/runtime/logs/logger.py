"""The runtime's logger, and the logger that a tool gets for one call."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any, Final

from .redaction import redact, traceback_of

LOGGER: Final = logging.getLogger("toolgen.runtime")


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
        super().log(level, msg, *args, **kwargs)


def _formatted(message: object, args: tuple[object, ...]) -> str:
    text = str(message)
    if not args:
        return text
    values: Any = args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args
    try:
        return str(text % values)
    except (TypeError, ValueError):  # as in logging, a wrong format does not raise
        return f"{text} {args!r}"
