"""Log records, a span and callback events for each call. Without observers, calls pay nothing."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import ExitStack
from inspect import isawaitable
from time import perf_counter
from types import TracebackType
from typing import Any, Final, Self

from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.context import LOGGER, EventKind, ToolContext, ToolEvent
from toolgen.runtime.errors import ToolError
from toolgen.runtime.response import ToolResponse

from .redaction import redact, tell_log, traceback_of
from .tracing import current_tracer, mark_failed, open_span

# Faults of the caller are the caller's; these are for who runs the tool. Those that are logged where they
# are found, with their cause, are not logged twice.
_OPERATORS: Final = frozenset({"timeout", "missing_dependency"})
_LOGGED: Final = frozenset({"internal_error", "invalid_response", "not_ready"})


def watch(call: ToolContext, description: str) -> CallRecord | None:
    """How `call` is watched; None if it is not."""
    config = call.config
    tracer = current_tracer()
    try:
        quiet = config.callback is None and not (config.logger or LOGGER).isEnabledFor(logging.INFO)
    except Exception:
        quiet = False  # told when it is used
    return None if quiet and tracer is None else CallRecord(call, tracer, description)


class CallRecord:
    """One call, watched from its start to its end; entered and left around it."""

    def __init__(self, call: ToolContext, tracer: Any, description: str) -> None:
        self._call = call
        self._began = perf_counter()
        self._tracer, self._description = tracer, description
        self._span: Any = None
        self._stack = ExitStack()
        self._chunks = 0
        self._ended = False

    def __enter__(self) -> Self:
        if self._tracer is not None:
            call = self._call
            span = open_span(self._tracer, call.tool_name, self._description, call.call_id)
            self._span = self._stack.enter_context(span)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, ConfirmationPending):
            log(self._call, logging.INFO, "waits for the user", "pending", seconds=self._seconds())
        elif not self._ended and error is not None:
            log(self._call, logging.INFO, "was left unfinished", "cancelled", seconds=self._seconds())
            if self._span is not None:
                mark_failed(self._span, type(error).__name__)
        self._stack.__exit__(kind, error, trace)

    async def started(self, arguments: Any) -> None:
        """The call has come in."""
        log(self._call, logging.DEBUG, "started", "started")
        await tell(self._call, "started", {"arguments": arguments})

    async def validated(self) -> None:
        """Its arguments are good."""
        await tell(self._call, "validated", {})

    async def chunk(self, chunk: Any) -> None:
        """A part of the result has come."""
        self._chunks += 1
        await tell(self._call, "chunk", {"number": self._chunks, "chunk": chunk})

    async def ended(self, response: ToolResponse) -> None:
        """The call is answered."""
        self._ended = True
        seconds = self._seconds()
        if response.error is None:
            log(self._call, logging.INFO, "finished", "finished", seconds=seconds)
            await tell(self._call, "finished", {"content": response.content, "seconds": seconds})
            return
        failed(self._call, response.error, seconds)
        if self._span is not None:
            mark_failed(self._span, response.error.code)
        await tell(self._call, "failed", {"error": response.error.as_dict(), "seconds": seconds})

    def _seconds(self) -> float:
        return perf_counter() - self._began


def failed(call: ToolContext, error: ToolError, seconds: float | None = None) -> None:
    """The record of a call that ended in an error, unless there is one already."""
    if error.code not in _LOGGED:
        level = logging.WARNING if error.code in _OPERATORS else logging.INFO
        log(call, level, f"failed: {error.code}", "failed", code=error.code, seconds=seconds)


def log(
    call: ToolContext,
    level: int,
    what: str,
    event: str,
    error: BaseException | None = None,
    **fields: Any,
) -> None:
    """One record, by the application's logger; by ours, if that one raises. Secrets are masked."""
    hidden = list(call.secrets.values())
    message = f"tool {call.tool_name} {what} (call {call.call_id})"
    if hidden:
        if error is not None:
            message, error = f"{message}\n{traceback_of(error)}", None
        message = redact(message, hidden)
    extra = {"tool_name": call.tool_name, "call_id": call.call_id, "event": event, **fields}
    try:
        tell_log(call.config.logger or LOGGER, level, message, extra, error)
    except Exception:
        LOGGER.exception("the configured logger raised (call %s)", call.call_id)
        tell_log(LOGGER, level, message, extra, error)


async def tell(call: ToolContext, kind: EventKind, data: Mapping[str, Any]) -> None:
    """Tell the application's callback. What it raises is logged and goes no further."""
    callback = call.config.callback
    if callback is None:
        return
    try:
        answer = callback(ToolEvent(kind, call.tool_name, call.call_id, data))
        if isawaitable(answer):
            await answer
    except Exception as error:
        log(call, logging.ERROR, f"was watched by a callback that raised at {kind!r}", "callback", error)
