"""Spans of calls, through OpenTelemetry's API; without a tracer provider, there are none."""

from __future__ import annotations

import os
import sys
from contextvars import ContextVar
from typing import Any, Final

from toolgen.runtime.context import ToolContext

from .conventions import ERROR_CODE, ERROR_TYPE, EXECUTE_TOOL, OPERATION, SCHEMA_URL, SCOPE, TOOL

_BY_ENVIRONMENT = "OTEL_PYTHON_TRACER_PROVIDER" in os.environ  # `get_tracer_provider` then creates it
_provider: Any = None  # that `_tracer` belongs to
_tracer: Any = None

REQUEST_SPAN: Final[ContextVar[Any]] = ContextVar("toolgen_request_span", default=None)
"""The span of the MCP request that the next call answers. The call adds its attributes to it: a call has one
span, as the conventions for MCP say of tool calls."""


def current_tracer() -> Any:
    """Return the application's tracer, or None. Fast, because every call does this."""
    global _provider, _tracer
    api = sys.modules.get("opentelemetry.trace")
    if api is None or (getattr(api, "_TRACER_PROVIDER", api) is None and not _BY_ENVIRONMENT):
        return None
    provider = api.get_tracer_provider()
    if provider is not _provider:
        idle = isinstance(provider, api.ProxyTracerProvider | api.NoOpTracerProvider)
        _tracer = None if idle else provider.get_tracer(SCOPE, schema_url=SCHEMA_URL)
        _provider = provider
    return _tracer


def attributes_of(call: ToolContext, description: str) -> dict[str, Any]:
    """Return the attributes of a call's span, without arguments and results."""
    attributes = {
        OPERATION: EXECUTE_TOOL,
        TOOL: call.tool_name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": description or None,
        "toolgen.call_id": call.call_id,
        "enduser.id": call.principal,
        "session.id": call.session_id,
        "toolgen.tool_version": call.info.version,
        "toolgen.deprecated": None if call.info.deprecated is None else True,
    }
    return {key: value for key, value in attributes.items() if value is not None}


def open_span(tracer: Any, call: ToolContext, description: str) -> Any:
    """Return the context manager of a call's own span."""
    # the span's name has few values, for aggregation: the name of an unknown tool is only an attribute
    name = EXECUTE_TOOL if call.tool_name.startswith('"') else f"{EXECUTE_TOOL} {call.tool_name}"
    return tracer.start_as_current_span(
        name,
        attributes=attributes_of(call, description),
        record_exception=False,
        set_status_on_exception=False,
    )


def mark_failed(span: Any, code: str, *, is_request: bool = False) -> None:
    """Set the span's status to the error `code`. The `error.type` of a request is that of its protocol."""
    span.set_attribute(ERROR_CODE, code)
    if not is_request:
        span.set_attribute(ERROR_TYPE, code)
    span.set_status(sys.modules["opentelemetry.trace"].StatusCode.ERROR)
