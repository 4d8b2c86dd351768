"""Open one OpenTelemetry span for each call, if the application has set a tracer provider."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolgen.runtime.context import ToolContext

# Semantic conventions for spans of tool executions, status "development" in 2026:
# https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-spans.md, execute tool)
_NAME, _OPERATION, _TYPE = "gen_ai.tool.name", "gen_ai.operation.name", "gen_ai.tool.type"
_DESCRIPTION, _ERROR = "gen_ai.tool.description", "error.type"
_CALL, _PRINCIPAL, _SESSION = "toolgen.call_id", "enduser.id", "session.id"
_VERSION, _DEPRECATED = "toolgen.tool_version", "toolgen.deprecated"

_BY_ENVIRONMENT = "OTEL_PYTHON_TRACER_PROVIDER" in os.environ  # `get_tracer_provider` then creates it
_provider: Any = None  # that `_tracer` belongs to
_tracer: Any = None


def current_tracer() -> Any:
    """Return the application's tracer, or None. Fast, because every call does this."""
    global _provider, _tracer
    api = sys.modules.get("opentelemetry.trace")
    if api is None or (getattr(api, "_TRACER_PROVIDER", api) is None and not _BY_ENVIRONMENT):
        return None
    provider = api.get_tracer_provider()
    if provider is not _provider:
        idle = isinstance(provider, api.ProxyTracerProvider | api.NoOpTracerProvider)
        _tracer = None if idle else provider.get_tracer("toolgen")
        _provider = provider
    return _tracer


def open_span(tracer: Any, call: ToolContext, description: str) -> Any:
    """Return the context manager of a call's span. Its attributes contain no arguments and no results."""
    attributes = {
        _OPERATION: "execute_tool",
        _NAME: call.tool_name,
        _TYPE: "function",
        _CALL: call.call_id,
    }
    optional: dict[str, Any] = {
        _DESCRIPTION: description or None,
        _PRINCIPAL: call.principal,
        _SESSION: call.session_id,
        _VERSION: call._version,
        _DEPRECATED: None if call._deprecated is None else True,
    }
    attributes.update({key: value for key, value in optional.items() if value is not None})
    # the span's name has few values, for aggregation: the name of an unknown tool is only an attribute
    name = "execute_tool" if call.tool_name.startswith('"') else f"execute_tool {call.tool_name}"
    return tracer.start_as_current_span(
        name,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    )


def mark_failed(span: Any, code: str) -> None:
    """Set the span's status to the error `code`."""
    status = sys.modules["opentelemetry.trace"].StatusCode.ERROR
    span.set_attribute(_ERROR, code)
    span.set_status(status)
