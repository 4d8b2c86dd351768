"""A span and a metric of each MCP request, by OpenTelemetry's conventions for MCP servers.

In place of the SDK's middleware, which opens a second span around that of a call, and ignores HTTP headers.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from mcp_types.methods import SPEC_CLIENT_METHODS, SPEC_CLIENT_NOTIFICATION_METHODS
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.propagate import extract
from pydantic import ValidationError

from toolgen.runtime.instrumentation.conventions import (
    ERROR_TYPE,
    EXECUTE_TOOL,
    MCP_DURATION,
    METHOD,
    OPERATION,
    OTHER,
    OUTCOME,
    STATUS_CODE,
    TOOL,
)
from toolgen.runtime.instrumentation.metrics import current_metrics
from toolgen.runtime.instrumentation.spans import OBSERVED_REQUEST, RequestObservation, current_tracer

from .server_state import ServerState, session_id_of

_METHODS: Final = SPEC_CLIENT_METHODS | SPEC_CLIENT_NOTIFICATION_METHODS
_CARRIED: Final = ("traceparent", "tracestate", "baggage")
MAX_CONTEXT: Final = 8192  # characters of a value; W3C Baggage allows as many bytes
_OF_CALLERS: Final = frozenset({-32700, -32600, -32601, -32602, -32002})
"""JSON-RPC errors that are not failures of a server, by the conventions."""


class ObservedRequests:
    """A middleware of the SDK's server."""

    def __init__(self, state: ServerState) -> None:
        self._state = state

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request or take a notification; record its span and its duration if they are wanted."""
        tracer, metrics = current_tracer(), current_metrics()
        if tracer is None and metrics is None:
            return await call_next(ctx)
        attributes = self._attributes(ctx)
        request = RequestObservation()
        token = OBSERVED_REQUEST.set(request)
        began = perf_counter()
        try:
            if tracer is None:
                return await _watched(ctx, call_next, request.ended)
            return await self._traced(tracer, ctx, call_next, attributes=attributes, request=request)
        finally:
            OBSERVED_REQUEST.reset(token)
            if metrics is not None:
                ended = request.ended or {OUTCOME: "ok"}
                metrics.record(MCP_DURATION, perf_counter() - began, {**attributes, **ended})

    def _attributes(self, ctx: ServerRequestContext[Any, Any]) -> dict[str, str]:
        """Return the attributes of metric and span; names that a client has made up are left out."""
        method = ctx.method if ctx.method in _METHODS else OTHER
        attributes = {METHOD: method, "mcp.protocol.version": ctx.protocol_version}
        if method == "tools/call":
            name = (ctx.params or {}).get("name")
            found = self._state.tools.find(name) if isinstance(name, str) else None
            attributes |= {OPERATION: EXECUTE_TOOL, TOOL: OTHER if found is None else found.name}
        if ctx.request is None:
            return attributes | {"network.transport": "pipe"}
        return attributes | {"network.transport": "tcp", "network.protocol.name": "http"}

    async def _traced(
        self,
        tracer: Any,
        ctx: ServerRequestContext[Any, Any],
        call_next: CallNext,
        *,
        attributes: dict[str, str],
        request: RequestObservation,
    ) -> HandlerResult:
        target = attributes.get(TOOL, OTHER)
        name = attributes[METHOD] if target == OTHER else f"{attributes[METHOD]} {target}"
        more = {} if ctx.request_id is None else {"jsonrpc.request.id": str(ctx.request_id)[:64]}
        session_id = session_id_of(ctx)
        if session_id is not None:
            more["mcp.session.id"] = session_id
        span = tracer.start_span(
            name,
            kind=trace.SpanKind.SERVER,
            context=_parent(ctx),
            attributes={**attributes, **more},
            record_exception=False,
            set_status_on_exception=False,
        )
        request.span = span
        try:
            with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                return await _watched(ctx, call_next, request.ended)
        finally:
            if request.ended or request.of_call:
                span.set_attributes({**request.of_call, **request.ended})  # once: the SDK checks each anew
            if ERROR_TYPE in request.ended:
                span.set_status(trace.StatusCode.ERROR)
            span.end()


def _parent(ctx: ServerRequestContext[Any, Any]) -> Context | None:
    """Return the parent by W3C Trace Context: of `_meta`, else of the HTTP headers; None: the current span.

    In a session, the current span may be that of the request which opened it.
    """
    of_meta = _context_in(ctx.meta or {})
    return _context_in(ctx.request.headers) if of_meta is None and ctx.request is not None else of_meta


def _context_in(carrier: Mapping[str, Any]) -> Context | None:
    """Return the context that a client has sent; None if there is no valid one."""
    values = ((key, carrier.get(key)) for key in _CARRIED)
    sent = {key: value for key, value in values if isinstance(value, str) and len(value) <= MAX_CONTEXT}
    if "traceparent" not in sent:
        return None
    context = extract(sent)
    return context if trace.get_current_span(context).get_span_context().is_valid else None


async def _watched(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext, ended: dict[str, str]
) -> HandlerResult:
    """Await the result; add to `ended` how the request ended."""
    try:
        result = await call_next(ctx)
    except MCPError as error:
        ended[STATUS_CODE] = str(error.error.code)
        if error.error.code not in _OF_CALLERS:
            ended[ERROR_TYPE] = str(error.error.code)
        raise
    except ValidationError:
        ended[STATUS_CODE] = str(INVALID_PARAMS)
        raise
    except BaseException as error:
        ended[ERROR_TYPE] = type(error).__name__
        raise
    if isinstance(result, Mapping) and result.get("isError") is True:
        ended[ERROR_TYPE] = "tool_error"
    return result
