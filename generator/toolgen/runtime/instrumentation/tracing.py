"""OpenTelemetry, where the application has it running: one span a call. Without it, nothing is imported."""

from __future__ import annotations

import os
import sys
from typing import Any

# The conventions for spans of tool executions, status "development" in 2026:
# https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/gen-ai-spans.md, execute tool)
_NAME, _OPERATION, _TYPE = "gen_ai.tool.name", "gen_ai.operation.name", "gen_ai.tool.type"
_DESCRIPTION, _ERROR = "gen_ai.tool.description", "error.type"
_CALL = "toolgen.call_id"

_BY_ENVIRONMENT = "OTEL_PYTHON_TRACER_PROVIDER" in os.environ  # then asking for the provider makes it
_last: tuple[Any, Any] = (None, None)  # provider, its tracer


def current_tracer() -> Any:
    """The application's tracer; None where it traces nothing. Cheap: every call asks."""
    global _last
    api = sys.modules.get("opentelemetry.trace")
    if api is None or (getattr(api, "_TRACER_PROVIDER", api) is None and not _BY_ENVIRONMENT):
        return None
    provider = api.get_tracer_provider()
    if provider is not _last[0]:
        idle = isinstance(provider, api.ProxyTracerProvider | api.NoOpTracerProvider)
        _last = (provider, None if idle else provider.get_tracer("toolgen"))
    return _last[1]


def open_span(tracer: Any, name: str, description: str, call_id: str) -> Any:
    """The context manager of a call's span; it gives the span. Arguments and results stay out of it."""
    return tracer.start_as_current_span(
        f"execute_tool {name}",
        attributes={
            _OPERATION: "execute_tool",
            _NAME: name,
            _TYPE: "function",
            _DESCRIPTION: description,
            _CALL: call_id,
        },
        record_exception=False,
        set_status_on_exception=False,
    )


def mark_failed(span: Any, code: str) -> None:
    """Say that a call ended in the error `code`."""
    status = sys.modules["opentelemetry.trace"].StatusCode.ERROR
    span.set_attribute(_ERROR, code)
    span.set_status(status)
