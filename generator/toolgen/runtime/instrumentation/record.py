"""One log record, one span and the callback events of each call. Without observers, calls pay nothing.

No record above DEBUG holds a value of the arguments, the response or an exception's text:
`docs/operations.md` lists the records and events.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from inspect import isawaitable
from time import perf_counter
from types import TracebackType
from typing import Any, Final, Self

from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.context import LOGGER, EventKind, ToolContext, ToolEvent
from toolgen.runtime.errors import ToolError
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.text import quote

from .redaction import redact, traceback_of, without_text, write_record
from .tracing import current_tracer, mark_failed, open_span

_FAULTS_OF_OPERATION: Final = frozenset(
    {
        "missing_dependency",
        "not_implemented",
        "not_ready",
        "overloaded",
        "timeout",
        "too_large",
        "unreachable",
    }
)
_FAULTS_OF_CODE: Final = frozenset({"internal_error", "invalid_response"})

_background: set[asyncio.Future[Any]] = set()  # callbacks of cancelled calls; the loop holds them weakly


def observe_call(call: ToolContext, description: str) -> CallRecord | None:
    """Return the record of `call`; None where nobody observes it."""
    config = call.config
    tracer = current_tracer()
    quiet = config.callback is None and not _is_enabled(config.logger or LOGGER, logging.INFO)
    return None if quiet and tracer is None else CallRecord(call, tracer, description)


class CallRecord:
    """One observed call; a context manager around the whole of it."""

    def __init__(self, call: ToolContext, tracer: Any, description: str) -> None:
        self._call = call
        self._tracer, self._description = tracer, description
        self._span: Any = None
        self._span_scope: AbstractContextManager[Any] | None = None
        self._chunks = 0
        self._ended = False

    def __enter__(self) -> Self:
        if self._tracer is not None:
            scope: AbstractContextManager[Any] = open_span(self._tracer, self._call, self._description)
            self._span = scope.__enter__()
            self._span_scope = scope
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not self._ended:
            pending = isinstance(error, ConfirmationPending)
            event: EventKind = "pending" if pending else "cancelled"
            what = "waits for the user" if pending else "was cancelled"
            seconds = _seconds(self._call)
            log(self._call, logging.INFO, what, event, seconds=seconds)
            _notify_soon(self._call, event, {"seconds": seconds})
            if self._span is not None and not pending:
                mark_failed(self._span, type(error).__name__)
        if self._span_scope is not None:
            self._span_scope.__exit__(kind, error, trace)

    async def started(self, arguments: Any) -> None:
        """Report the start of the call."""
        log(self._call, logging.DEBUG, "started", "started")
        if self._call.config.callback is not None:
            await notify(self._call, "started", {"arguments": arguments})

    async def validated(self) -> None:
        """Report that the arguments are valid."""
        await notify(self._call, "validated", {})

    async def chunk(self, chunk: Any) -> None:
        """Report one chunk of a streamed result."""
        self._chunks += 1
        await notify(self._call, "chunk", {"number": self._chunks, "chunk": chunk})

    async def ended(self, response: ToolResponse) -> None:
        """Report the response, a success or an error."""
        self._ended = True
        seconds = _seconds(self._call)
        if response.error is None:
            log(self._call, logging.INFO, "finished", "finished", seconds=seconds)
            if self._call.config.callback is not None:
                await notify(self._call, "finished", {"content": response.content, "seconds": seconds})
            return
        log_failure(self._call, response.error, seconds)
        if self._span is not None:
            mark_failed(self._span, response.error.code)
        await notify(self._call, "failed", {"error": response.error.as_dict(), "seconds": seconds})


@dataclass(frozen=True, slots=True)
class Failure:
    """What the record of a failed call says beside the error that its caller receives."""

    summary: str  # holds no values
    error: BaseException | None = None  # its traceback is logged without texts, but for DEBUG
    detail: str = ""  # for DEBUG only
    level: int = logging.NOTSET  # at least; the error's code may ask for more


def note_failure(
    call: ToolContext,
    summary: str,
    error: BaseException | None = None,
    *,
    detail: str = "",
    level: int = logging.NOTSET,
) -> None:
    """Set the Failure that the record of `call` will show, in place of an earlier one."""
    call._failure = Failure(summary, error, detail, level)


def log_failure(call: ToolContext, error: ToolError, seconds: float | None = None) -> None:
    """Write the one record of a call that ended in an error, and at DEBUG one more with its texts."""
    failure = call._failure or Failure(f"failed: {error.code}")
    call._failure = None  # it holds the frames of the call
    took = _seconds(call) if seconds is None else seconds
    level = max(failure.level, _level_of(error))
    log(call, level, failure.summary, "failed", failure.error, code=error.code, seconds=took)
    texts = "\n".join(text for text in (f"answered {error.code}:", error.message, failure.detail) if text)
    log(call, logging.DEBUG, texts, "detail", failure.error, code=error.code)


def _level_of(error: ToolError) -> int:
    """INFO for what callers do, WARNING for what operators can change, ERROR for what developers must."""
    if error.code in _FAULTS_OF_CODE:
        return logging.ERROR
    if error.code in _FAULTS_OF_OPERATION or (error.code == "http_error" and error.retryable):
        return logging.WARNING
    return logging.INFO


def _seconds(call: ToolContext) -> float:
    return perf_counter() - call._began


def log(
    call: ToolContext,
    level: int,
    what: str,
    event: str,
    error: BaseException | None = None,
    **fields: Any,
) -> None:
    """Write one record by the application's logger; by ours if that one raises. Secrets are masked.

    `error` adds a traceback, without the texts of exceptions above DEBUG.
    """
    logger = call.config.logger or LOGGER
    if not _is_enabled(logger, level):
        return
    extra: dict[str, Any] = {
        "tool_name": call.tool_name,
        "call_id": call.call_id,
        "event": event,
        **{key: value for key, value in fields.items() if value is not None},
    }
    where = f"call {call.call_id}"
    for key, value in (("principal", call.principal), ("session_id", call.session_id)):
        if value is not None:
            extra[key] = value
            where += f", {key.removesuffix('_id')} {quote(value)}"
    if "seconds" in extra:
        where += f", {extra['seconds']:.3f} s"
    headline, newline, more = what.partition("\n")
    message = f"tool {call.tool_name} {headline.removesuffix(':')} ({where}){newline}{more}"
    if error is not None and level > logging.DEBUG:
        error = without_text(error)
    hidden = list(call.secrets.values())
    if hidden:
        if error is not None and level <= logging.DEBUG:
            message, error = f"{message}\n{traceback_of(error)}", None
        message = redact(message, hidden)
    try:
        write_record(logger, level, message, extra, error)
    except Exception as problem:
        LOGGER.error("the configured logger raised (call %s)", call.call_id, exc_info=without_text(problem))
        write_record(LOGGER, level, message, extra, error)


def _is_enabled(logger: Any, level: int) -> bool:
    try:
        return bool(logger.isEnabledFor(level))
    except Exception:
        return True  # reported when the logger is used


async def notify(call: ToolContext, kind: EventKind, data: Mapping[str, Any]) -> None:
    """Give the application's callback an event. What it raises is logged and goes no further."""
    callback = call.config.callback
    if callback is None:
        return
    try:
        answer = callback(
            ToolEvent(kind, call.tool_name, call.call_id, data, call.principal, call.session_id)
        )
        if isawaitable(answer):
            await answer
    except (Exception, SystemExit) as error:
        log(call, logging.ERROR, f"has a callback that raised at {kind!r}", "callback", error)


def _notify_soon(call: ToolContext, kind: EventKind, data: Mapping[str, Any]) -> None:
    """As `notify`, where nothing can be awaited: an async callback goes on in a task of its own."""
    callback = call.config.callback
    if callback is None:
        return
    answer: Any = None
    try:
        answer = callback(
            ToolEvent(kind, call.tool_name, call.call_id, data, call.principal, call.session_id)
        )
        if isawaitable(answer):
            task = asyncio.get_running_loop().create_task(_finish(call, kind, answer))
            _background.add(task)
            task.add_done_callback(_background.discard)
    except RuntimeError as error:
        if inspect.iscoroutine(answer):
            answer.close()  # the loop has ended, and nothing can run it
        else:
            log(call, logging.ERROR, f"has a callback that raised at {kind!r}", "callback", error)
    except (Exception, SystemExit) as error:
        log(call, logging.ERROR, f"has a callback that raised at {kind!r}", "callback", error)


async def _finish(call: ToolContext, kind: EventKind, answer: Awaitable[None]) -> None:
    try:
        await answer
    except (Exception, SystemExit) as error:
        log(call, logging.ERROR, f"has a callback that raised at {kind!r}", "callback", error)
