"""Spans and metrics, through OpenTelemetry's API; without providers of the application, there are none.

Names that do not begin with `toolgen.` are those of OpenTelemetry's semantic conventions for MCP and GenAI,
schema 1.42.0-dev with the general conventions 1.44.0, status "development" in November 2026:
https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/mcp.md, model/gen-ai/metrics.yaml).
"""

from __future__ import annotations

import sys
from asyncio import sleep
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from time import monotonic
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from toolgen.runtime.context import ToolContext
from toolgen.runtime.health import HEALTH

SCHEMA_URL: Final = "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev"
SCOPE: Final = "toolgen"
TOOL: Final = "gen_ai.tool.name"
OPERATION: Final = "gen_ai.operation.name"
ERROR_TYPE: Final = "error.type"
OUTCOME: Final = "toolgen.outcome"
EXECUTE_TOOL: Final = "execute_tool"
OTHER: Final = "_OTHER"
"""In place of a name that a caller has made up, of which there may be any number."""
MCP_SESSION_DURATION: Final = "mcp.server.session.duration"
TOOL_DURATION: Final = "gen_ai.execute_tool.duration"
ACTIVE_CALLS: Final = "toolgen.tool.active_calls"
QUEUE_DEPTH: Final = "toolgen.queue.depth"
SESSIONS: Final = "toolgen.sessions"
CONFIRMATIONS: Final = "toolgen.confirmations"
REFUSALS: Final = "toolgen.http.refusals"
LOOP_LAG: Final = "toolgen.event_loop.lag"
DEGRADED_PARTS: Final = "toolgen.degraded_parts"

Owner = TypeVar("Owner")
Made = TypeVar("Made")
_Read = Callable[[Any], Mapping[str, float]]

_LAG_INTERVAL: Final = 0.5  # seconds
_owners: Final[dict[str, WeakKeyDictionary[Any, _Read]]] = {}


def current_tracer() -> Any:
    """Return the tracer of the application's provider; None if it has set none."""
    return _of_provider("opentelemetry.trace", "get_tracer_provider", _tracer_of)


def current_metrics() -> Metrics | None:
    """Return the instruments of the application's meter provider; None if it has set none."""
    return _of_provider("opentelemetry.metrics", "get_meter_provider", _metrics_of)


def _of_provider(api: str, getter: str, make: Callable[[Any], Made]) -> Made | None:
    if api not in sys.modules:  # who sets a provider has imported it
        return None
    provider = getattr(sys.modules[api], getter, lambda: None)()
    # those of the API itself do nothing
    return None if provider is None or type(provider).__module__.startswith(api) else make(provider)


@lru_cache(maxsize=1)
def _tracer_of(provider: Any) -> Any:
    return provider.get_tracer(SCOPE, schema_url=SCHEMA_URL)


@lru_cache(maxsize=1)
def _metrics_of(provider: Any) -> Metrics:
    return Metrics(provider.get_meter(SCOPE, schema_url=SCHEMA_URL))


def open_span(tracer: Any, call: ToolContext, description: str) -> Any:
    """Return the context manager of a call's own span."""
    # the span's name has few values, for aggregation: the name of an unknown tool is only an attribute
    name = EXECUTE_TOOL
    if not call.tool_name.startswith('"'):
        name = f"{name} {call.tool_name}"
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
    from opentelemetry import context, propagate  # of the extra `otel`

    token = context.attach(propagate.extract(carrier))
    try:
        yield
    finally:
        context.detach(token)


def observe(instrument: str, owner: Owner, read: Callable[[Owner], Mapping[str, float]]) -> None:
    """Have a gauge read the current values of `owner`, for as long as that exists.

    `read` maps values of the instrument's attribute to numbers; the key is "" for one without attributes.
    """
    _owners.setdefault(instrument, WeakKeyDictionary())[owner] = read


observe(DEGRADED_PARTS, HEALTH, lambda health: dict.fromkeys(health.degraded, 1))


@cache
def instruments() -> Mapping[str, Any]:
    """Return the metrics by name, as `instruments.toml` describes them."""
    import tomllib  # for applications with a meter provider
    from importlib.resources import files

    return tomllib.loads(
        files("toolgen.runtime.instrumentation").joinpath("instruments.toml").read_text("utf-8")
    )


class Metrics:
    """The instruments of one meter provider."""

    def __init__(self, meter: Any) -> None:
        self._record: dict[str, Callable[[float, Mapping[str, Any]], None]] = {}
        for name, each in instruments().items():
            described = {"name": name, "unit": each["unit"], "description": each["description"]}
            if each["kind"] == "histogram":
                buckets = each["buckets"]
                made = meter.create_histogram(**described, explicit_bucket_boundaries_advisory=buckets)
                self._record[name] = made.record
            elif each["kind"] == "counter":
                self._record[name] = meter.create_counter(**described).add
            else:
                callbacks = [partial(_observed, name, each["attributes"])]
                meter.create_observable_up_down_counter(**described, callbacks=callbacks)

    def record(self, instrument: str, value: float, attributes: Mapping[str, Any]) -> None:
        """Record a value of a histogram, or add it to a counter."""
        self._record[instrument](value, attributes)

    def record_call(self, tool: str, seconds: float, outcome: str, code: str | None) -> None:
        """Record the end of a call: its duration, by tool, outcome and error code."""
        attributes = {
            TOOL: metric_name(tool),
            "gen_ai.tool.type": "function",
            OUTCOME: outcome,
        }
        if code is not None:
            attributes[ERROR_TYPE] = code
        self.record(TOOL_DURATION, seconds, attributes)

    async def measure_lag(self) -> None:
        """Record how late the event loop runs, until the task is cancelled."""
        while True:
            due = monotonic() + _LAG_INTERVAL
            await sleep(_LAG_INTERVAL)
            self.record(LOOP_LAG, max(0.0, monotonic() - due), {})


def _observed(instrument: str, attributes: list[str], _: object) -> Iterator[Any]:
    """Yield the values of a gauge, for all of its owners together."""
    observation = sys.modules["opentelemetry.metrics"].Observation
    values: Counter[str] = Counter()
    for owner, read in list(_owners.get(instrument, {}).items()):
        values.update(read(owner))
    for key, value in values.items():
        yield observation(value, {attributes[0]: key} if attributes and key else {})


def metric_name(tool_name: str) -> str:
    """Return the name of a tool for metrics: a name that no tool has is quoted, and a caller's text."""
    return OTHER if tool_name.startswith('"') else tool_name
