"""Metrics of calls and servers, through OpenTelemetry's API; without a meter provider, there are none."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from time import monotonic
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from toolgen.runtime.health import HEALTH
from toolgen.runtime.logs.queue_handler import dropped_records
from toolgen.runtime.response import ToolResponse

from .conventions import (
    CONFIRMATIONS,
    DEGRADED_PARTS,
    DROPPED_RECORDS,
    ERROR_TYPE,
    INSTRUMENTS,
    LOOP_LAG,
    OTHER,
    OUTCOME,
    QUEUE_WAIT,
    REFUSALS,
    RESULT_BYTES,
    SCHEMA_URL,
    SCOPE,
    TOOL,
    TOOL_DURATION,
    Instrument,
)

Owner = TypeVar("Owner")
_Read = Callable[[Any], Mapping[str, float]]

_LAG_INTERVAL: Final = 0.5  # seconds
_owners: Final[dict[str, WeakKeyDictionary[Any, _Read]]] = {}


def observe(instrument: str, owner: Owner, read: Callable[[Owner], Mapping[str, float]]) -> None:
    """Have a gauge read the current values of `owner`, for as long as that exists.

    `read` maps values of the instrument's attribute to numbers; the key is "" for one without attributes.
    """
    _owners.setdefault(instrument, WeakKeyDictionary())[owner] = read


class Metrics:
    """The instruments of one meter provider."""

    def __init__(self, meter: Any) -> None:
        self.result_bytes: Counter[str] = Counter()  # by tool; cheaper than an instrument in each call
        self._instruments: dict[str, Any] = {}
        self._attributes: dict[tuple[str, str, str | None], dict[str, str]] = {}
        for each in INSTRUMENTS:
            self._instruments[each.name] = self._create(meter, each)

    def _create(self, meter: Any, of: Instrument) -> Any:
        described = {"unit": of.unit, "description": of.description}
        if of.kind == "histogram":
            return meter.create_histogram(
                of.name, explicit_bucket_boundaries_advisory=list(of.buckets), **described
            )
        if of.kind == "counter":
            return meter.create_counter(of.name, **described)
        create = (
            meter.create_observable_up_down_counter if of.kind == "gauge" else meter.create_observable_counter
        )
        return create(of.name, callbacks=[lambda _: self._observed(of)], **described)

    def _observed(self, of: Instrument) -> Iterator[Any]:
        observation = sys.modules["opentelemetry.metrics"].Observation
        values: dict[str, float] = {}
        if of.name == RESULT_BYTES:
            values |= self.result_bytes
        elif of.name == DROPPED_RECORDS:
            values = {"": dropped_records()}
        elif of.name == DEGRADED_PARTS:
            values |= dict.fromkeys(HEALTH.degraded, 1)
        for owner, read in list(_owners.get(of.name, {}).items()):
            for key, value in read(owner).items():
                values[key] = values.get(key, 0) + value
        for key, value in values.items():
            yield observation(value, {of.attributes[0]: key} if of.attributes and key else {})

    def record(self, instrument: str, value: float, attributes: Mapping[str, Any]) -> None:
        """Record a value of a histogram."""
        self._instruments[instrument].record(value, attributes)

    def record_call(self, tool: str, seconds: float, outcome: str, code: str | None) -> None:
        """Record the end of a call: its duration, by tool, outcome and error code."""
        key = (tool, outcome, code)
        attributes = self._attributes.get(key)
        if attributes is None:
            attributes = {TOOL: tool, "gen_ai.tool.type": "function", OUTCOME: outcome}
            if code is not None:
                attributes[ERROR_TYPE] = code
            self._attributes[key] = attributes
        self._instruments[TOOL_DURATION].record(seconds, attributes)

    def count_confirmation(self, tool: str, outcome: str) -> None:
        """Count a question to the user, or its outcome."""
        self._instruments[CONFIRMATIONS].add(1, {TOOL: tool, OUTCOME: outcome})

    def count_refusal(self, status: int) -> None:
        """Count an HTTP request that was refused."""
        self._instruments[REFUSALS].add(1, {"http.response.status_code": status})

    def record_wait(self, tool: str, seconds: float) -> None:
        """Record how long a call waited in a queue."""
        self._instruments[QUEUE_WAIT].record(seconds, {TOOL: tool})

    async def measure_lag(self) -> None:
        """Record how late the event loop runs, until the task is cancelled."""
        from asyncio import sleep

        while True:
            due = monotonic() + _LAG_INTERVAL
            await sleep(_LAG_INTERVAL)
            self._instruments[LOOP_LAG].record(max(0.0, monotonic() - due))


def metric_name(tool_name: str) -> str:
    """Return the name of a tool for metrics: a name that no tool has is quoted, and a caller's text."""
    return OTHER if tool_name.startswith('"') else tool_name


def bytes_of(response: ToolResponse) -> int:
    """Return the bytes of a result: of its text, and of the data of its blocks."""
    text = response.text or ""
    size = len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))
    return size + sum(int(block.as_log().get("size", 0)) for block in response.blocks)


def current_metrics() -> Metrics | None:
    """Return the instruments of the application's meter provider; None if it has set none."""
    api = sys.modules.get("opentelemetry.metrics")  # who sets a provider has imported it
    get_provider = getattr(api, "get_meter_provider", None)
    if get_provider is None:
        return None
    provider = get_provider()
    # those of the API itself do nothing
    is_idle = type(provider).__module__.startswith("opentelemetry.metrics.")
    return None if is_idle else _metrics_of(provider)


@lru_cache(maxsize=1)
def _metrics_of(provider: Any) -> Metrics:
    return Metrics(provider.get_meter(SCOPE, schema_url=SCHEMA_URL))
