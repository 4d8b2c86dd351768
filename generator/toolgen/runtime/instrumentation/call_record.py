"""Write one log record, one span and the callback events of each call.

No record above DEBUG contains a value of the arguments, the response or an exception's message.
`docs/operations.md` lists the records and events.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, MutableMapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType
from typing import Any, Final, Self

from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.context import CallFailure, EventKind, ToolContext, ToolEvent
from toolgen.runtime.errors import ToolError
from toolgen.runtime.isolation import called, contain_exit, run_async
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import redact, traceback_of, without_text
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.task import TaskStarted
from toolgen.runtime.text import quote

from .telemetry import Metrics, current_metrics, current_tracer, mark_failed, open_span

_OPERATOR_ERRORS: Final = frozenset(
    {
        "missing_dependency",
        "not_implemented",
        "not_ready",
        "outcome_unknown",
        "overloaded",
        "timeout",
        "too_large",
        "unreachable",
        "upstream_changed",
    }
)
_DEVELOPER_ERRORS: Final = frozenset({"internal_error", "invalid_response"})

_background: set[asyncio.Future[Any]] = set()  # callbacks of cancelled calls; the loop has weak references


def observe_call(call: ToolContext, description: str) -> CallRecord | None:
    """Return the record of `call`; None if neither logs, events, spans nor metrics are wanted."""
    config = call.config
    if call.began >= _PROVIDERS.expires:
        _PROVIDERS.look_up(call.began)
    tracer, metrics = _PROVIDERS.tracer, _PROVIDERS.metrics
    quiet = config.callback is None and not _is_enabled(config.logger or LOGGER, logging.INFO)
    if quiet and tracer is None and metrics is None:
        return None
    return CallRecord(call, description, tracer, metrics)


class _Providers:
    """The tracer and the metrics of the application.

    Looking both up takes an eighth of a call that does nothing: calls within a millisecond share the answer.
    """

    tracer: Any = None
    metrics: Metrics | None = None
    expires = 0.0  # in seconds of `perf_counter`

    def look_up(self, now: float) -> None:
        self.tracer, self.metrics, self.expires = current_tracer(), current_metrics(), now + 0.001


_PROVIDERS: Final = _Providers()


@dataclass(slots=True, eq=False)
class CallRecord:
    """The record of one call; a context manager around all of it."""

    _call: ToolContext
    _description: str
    _tracer: Any
    _metrics: Metrics | None
    _span: Any = None
    _span_scope: AbstractContextManager[Any] | None = None
    _chunks: int = 0
    _ended: bool = False

    @property
    def notifies(self) -> bool:
        """True if the application wants events."""
        return self._call.config.callback is not None

    def __enter__(self) -> Self:
        if self._tracer is not None:
            scope: AbstractContextManager[Any] = open_span(self._tracer, self._call, self._description)
            self._span_scope, self._span = scope, scope.__enter__()
        log(self._call, logging.DEBUG, "started", "started")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and not self._ended:
            pending = isinstance(error, ConfirmationPending | TaskStarted)
            event: EventKind = "pending" if pending else "cancelled"
            summary, cause = "was cancelled", None
            if pending:
                summary = "runs as a task" if isinstance(error, TaskStarted) else "waits for the user"
            if not pending and error.__cause__ is not None:
                cause = error.__cause__  # of the tool: it raised something else when it was cancelled
                summary = f"was cancelled, and raised {type(cause).__name__}"
            seconds = _seconds(self._call)
            log(self._call, logging.INFO, summary, event, error=cause, seconds=seconds)
            _notify_soon(self._call, event, {"seconds": seconds})
            if self._span is not None and not pending:
                mark_failed(self._span, type(error).__name__)
            self._measure(seconds, event, None if pending else "cancelled")
        if self._span_scope is not None:
            self._span_scope.__exit__(kind, error, trace)

    async def report(self, kind: EventKind, **data: Any) -> None:
        """Pass an event to the application's callback; that of a chunk has its number."""
        if kind == "chunk":
            self._chunks += 1
            data["number"] = self._chunks
        await notify(self._call, kind, data)

    async def ended(self, response: ToolResponse) -> None:
        """Report the response, a success or an error."""
        self._ended = True
        seconds = _seconds(self._call)
        if response.error is not None:
            self._measure(seconds, "error", response.error.code)
            log_failure(self._call, response.error, seconds)
            if self._span is not None:
                mark_failed(self._span, response.error.code)
            await notify(self._call, "failed", {"error": response.error.as_dict(), "seconds": seconds})
            return
        self._measure(seconds, "ok", None)
        summary = "finished"
        more: dict[str, Any] = {}
        if response.blocks:  # types, sizes and hashes, never their content
            more["blocks"] = blocks = [block.as_log() for block in response.blocks]
            summary = "finished with " + ", ".join(" ".join(map(str, each.values())) for each in blocks)
        log(self._call, logging.INFO, summary, "finished", seconds=seconds, **more)
        if self.notifies:
            data = {"content": response.content, "seconds": seconds}
            if response.blocks:
                data["blocks"] = response.blocks
            await notify(self._call, "finished", data)

    def _measure(self, seconds: float, outcome: str, code: str | None) -> None:
        if self._metrics is not None:
            self._metrics.record_call(self._call.tool_name, seconds, outcome, code)


def log_failure(call: ToolContext, error: ToolError, seconds: float | None = None) -> None:
    """Write the record of a call that ended in an error, and at DEBUG another one with the messages."""
    failure = call.failure or CallFailure(f"failed: {error.code}")
    call.failure = None  # it references the frames of the call
    took = _seconds(call) if seconds is None else seconds
    level = max(failure.level, _level_of(error))
    log(call, level, failure.summary, "failed", error=failure.error, code=error.code, seconds=took)
    texts = "\n".join(text for text in (f"answered {error.code}:", error.message, failure.detail) if text)
    log(call, logging.DEBUG, texts, "detail", error=failure.error, code=error.code)


def _level_of(error: ToolError) -> int:
    """Return INFO for errors of callers, WARNING for those of operators, ERROR for those of developers."""
    if error.code in _DEVELOPER_ERRORS:
        return logging.ERROR
    if error.code in _OPERATOR_ERRORS or (error.code == "http_error" and error.retryable):
        return logging.WARNING
    return logging.INFO


def _seconds(call: ToolContext) -> float:
    return perf_counter() - call.began


def log(
    call: ToolContext,
    level: int,
    summary: str,
    event: str,
    *,
    error: BaseException | None = None,
    **fields: Any,
) -> None:
    """Write one record with the application's logger; with the runtime's if that one raises.

    Secrets are redacted. `error` adds a traceback, above DEBUG without the messages of exceptions.
    """
    logger = call.config.logger or LOGGER
    if not _is_enabled(logger, level):
        return
    deprecated, version = call.info.get("deprecated"), call.info.get("version")
    known = {"tool_version": version, "deprecated": deprecated and dict(deprecated)}
    known = {key: value for key, value in known.items() if value is not None}
    extra = {**call.identity, "event": event, **fields, **known}
    facts = f"call {call.call_id}"
    if call.principal is not None:
        facts += f", principal {quote(call.principal)}"
    if call.session_id is not None:
        facts += f", session {quote(call.session_id)}"
    if deprecated is not None:
        sunset = deprecated.get("sunset")
        facts += f", deprecated until {sunset}" if sunset else ", deprecated"
    if "seconds" in fields:
        facts += f", {fields['seconds']:.3f} s"
    headline, newline, more = summary.partition("\n")
    message = f"tool {call.tool_name} {headline.removesuffix(':')} ({facts}){newline}{more}"
    if error is not None and level > logging.DEBUG:
        error = without_text(error)
    if call.secrets:
        if error is not None and level <= logging.DEBUG:
            message, error = f"{message}\n{traceback_of(error)}", None
        message = redact(message, call.secrets.values())
    try:
        _write(logger, level, message, fields=extra, error=error)
    except BaseException as raised:
        failure = contain_exit(raised, call.tool_name)
        LOGGER.error("the configured logger raised (call %s)", call.call_id, exc_info=without_text(failure))
        _write(LOGGER, level, message, fields=extra, error=error)


def _write(
    logger: Any, level: int, message: str, *, fields: dict[str, Any], error: BaseException | None
) -> None:
    """Write one record with `fields` as its attributes and the error's traceback, with any kind of logger."""
    if type(logger) is logging.Logger:  # without the search for the caller, which costs as much as a call
        trace = None if error is None else (type(error), error, error.__traceback__)
        logger.handle(logger.makeRecord(logger.name, level, __file__, 0, message, (), trace, extra=fields))
        return
    options: MutableMapping[str, Any] = {"extra": fields, "exc_info": error}
    text: Any = message
    while isinstance(logger, logging.LoggerAdapter):
        text, options = logger.process(text, options)
        options["extra"] = {**fields, **(options.get("extra") or {})}  # 3.11 and 3.12 replace ours
        logger = logger.logger
    logger.log(level, text, **options)


def _is_enabled(logger: Any, level: int) -> bool:
    try:
        return bool(logger.isEnabledFor(level))
    except BaseException as error:
        contain_exit(error, "the logger")
        return True  # `log` reports the exception


async def notify(call: ToolContext, kind: EventKind, data: Mapping[str, Any]) -> None:
    """Pass an event to the application's callback. Exceptions of the callback are logged.

    Raises CancelledError if the caller cancels meanwhile.
    """
    callback = call.config.callback
    if callback is None:
        return
    event = ToolEvent(kind, call.tool_name, call.call_id, data, call.principal, call.session_id)
    try:
        await run_async(called(callback, event), None, call.tool_name)
    except Exception as error:
        log(call, logging.ERROR, f"has a callback that raised at {kind!r}", "callback", error=error)


def _notify_soon(call: ToolContext, kind: EventKind, data: Mapping[str, Any]) -> None:
    """Like `notify`, but where nothing can be awaited: in a task of its own."""
    if call.config.callback is not None:
        with suppress(RuntimeError):  # the event loop has ended
            task = asyncio.get_running_loop().create_task(notify(call, kind, data))
            _background.add(task)
            task.add_done_callback(_background.discard)
