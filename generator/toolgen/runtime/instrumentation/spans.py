"""Spans of calls, through OpenTelemetry's API; without a tracer provider, there are none."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from toolgen.runtime.context import ToolContext

from .conventions import ERROR_TYPE, EXECUTE_TOOL, OPERATION, SCHEMA_URL, SCOPE, TOOL


def current_provider(api: str, getter: str) -> Any:
    """Return the provider that the application has set in a loaded module of OpenTelemetry, or None."""
    provider = getattr(sys.modules[api], getter, lambda: None)()
    # those of the API itself do nothing
    return None if type(provider).__module__.startswith(api) else provider


def current_tracer() -> Any:
    """Return the tracer of the application's provider; None if it has set none."""
    if "opentelemetry.trace" not in sys.modules:  # who sets a provider has imported it
        return None
    provider = current_provider("opentelemetry.trace", "get_tracer_provider")
    return None if provider is None else _tracer_of(provider)


@lru_cache(maxsize=1)
def _tracer_of(provider: Any) -> Any:
    return provider.get_tracer(SCOPE, schema_url=SCHEMA_URL)


def open_span(tracer: Any, call: ToolContext, description: str) -> Any:
    """Return the context manager of a call's own span."""
    # the span's name has few values, for aggregation: the name of an unknown tool is only an attribute
    name = EXECUTE_TOOL if call.tool_name.startswith('"') else f"{EXECUTE_TOOL} {call.tool_name}"
    # without arguments and results
    attributes = {
        OPERATION: EXECUTE_TOOL,
        TOOL: call.tool_name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": description or None,
        "toolgen.call_id": call.call_id,
        "enduser.id": call.principal,
        "session.id": call.session_id,
        "toolgen.tool_version": call.info.get("version"),
        "toolgen.deprecated": True if "deprecated" in call.info else None,
    }
    return tracer.start_as_current_span(
        name,
        attributes={key: value for key, value in attributes.items() if value is not None},
        record_exception=False,
        set_status_on_exception=False,
    )


def mark_failed(span: Any, code: str) -> None:
    """Set the span's status to the error `code`."""
    span.set_attribute(ERROR_TYPE, code)
    span.set_status(sys.modules["opentelemetry.trace"].StatusCode.ERROR)


def current_context() -> dict[str, str]:
    """Return the W3C Trace Context of the current span, for another process; empty outside of a span."""
    carrier: dict[str, str] = {}
    if "opentelemetry.trace" in sys.modules:
        from opentelemetry.propagate import inject  # its API is there, as the application uses it

        inject(carrier)
    return carrier


@contextmanager
def continuing(carrier: Mapping[str, str]) -> Iterator[None]:
    """Make spans in a `with` block children of a span of another process."""
    if not carrier or current_tracer() is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry.propagate import extract

    token = context.attach(extract(carrier))
    try:
        yield
    finally:
        context.detach(token)
