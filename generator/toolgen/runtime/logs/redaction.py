"""Redaction: keep secret values, and the messages of exceptions, out of error texts and logs."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from types import TracebackType
from typing import Any

MASK = "[secret]"


def redact(value: Any, secrets: Iterable[str]) -> Any:
    """Return a text, or a JSON value, with every secret replaced by MASK."""
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


def traceback_of(error: Any) -> str:
    """Return the formatted traceback of an exception; of the current one if `error` is True."""
    found = error[1] if isinstance(error, tuple) else error
    if isinstance(found, BaseException):
        return "".join(traceback.format_exception(found)).rstrip()
    return traceback.format_exc().rstrip()


_FRAMEWORK = frozenset({"anyio", "asyncio", "concurrent", "contextlib", "importlib", "threading", "toolgen"})
"""Packages whose frames lead to the application's code."""
_MAX_CAUSES = 20  # of an exception
_MAX_MEMBERS = 15  # of an exception group


def without_text(
    error: BaseException, links: int = _MAX_CAUSES, *, above: tuple[BaseException, ...] = ()
) -> BaseException:
    """Return a copy of `error` to log, with its class's name and its traceback, but without its message.

    The traceback begins with the application's code. Messages of exceptions often quote values. Causes,
    contexts and the members of an exception group are replaced in the same way, once if they refer to each
    other in a circle. `error` is not changed.
    """
    copy = _empty_copy(error, links)
    above = (*above, error)
    copy.__suppress_context__ = error.__suppress_context__
    # the copy is no SyntaxError, whose traceback names the file
    if isinstance(error, SyntaxError) and isinstance(error.filename, str) and error.filename.endswith(".py"):
        copy.add_note(f'  File "{error.filename}", line {error.lineno}')
    else:
        copy.__traceback__ = _from_application(error.__traceback__)
    cause = error.__cause__
    followed = error.__context__ if cause is None and not error.__suppress_context__ else cause
    if links and followed is not None and not any(followed is each for each in above):
        linked = without_text(followed, links - 1, above=above)
        if cause is None:
            copy.__context__ = linked
        else:
            copy.__cause__ = linked
    return copy


def _from_application(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback from the first frame of the application on; all of it without such a frame."""
    found = trace
    while found is not None and _package_of(found) in _FRAMEWORK:
        found = found.tb_next
    return found or trace


def _package_of(trace: TracebackType) -> str:
    return str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]


def _empty_copy(error: BaseException, links: int) -> BaseException:
    kind = type(error)
    names = {"__module__": kind.__module__, "__qualname__": kind.__qualname__}
    if isinstance(error, BaseExceptionGroup) and links:
        # groups can be nested: the number of copies stays bounded
        members = [without_text(member, links // 2) for member in error.exceptions[:_MAX_MEMBERS]]
        return BaseExceptionGroup("", members)
    copy: BaseException = type(kind.__name__, (Exception,), names)()
    return copy
