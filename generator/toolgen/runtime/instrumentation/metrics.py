"""Metrics of calls and servers, through OpenTelemetry's API; without a meter provider, there are none."""

from __future__ import annotations

import sys
from asyncio import sleep
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from time import monotonic
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from toolgen.runtime.health import HEALTH

from . import conventions
from .spans import current_provider

Owner = TypeVar("Owner")
_Read = Callable[[Any], Mapping[str, float]]

_LAG_INTERVAL: Final = 0.5  # seconds
_owners: Final[dict[str, WeakKeyDictionary[Any, _Read]]] = {}


def observe(instrument: str, owner: Owner, read: Callable[[Owner], Mapping[str, float]]) -> None:
    """Have a gauge read the current values of `owner`, for as long as that exists.

    `read` maps values of the instrument's attribute to numbers; the key is "" for one without attributes.
    """
    _owners.setdefault(instrument, WeakKeyDictionary())[owner] = read


observe(conventions.DEGRADED_PARTS, HEALTH, lambda health: dict.fromkeys(health.degraded, 1))


class Metrics:
    """The instruments of one meter provider."""

    def __init__(self, meter: Any) -> None:
        self._record: dict[str, Callable[[float, Mapping[str, Any]], None]] = {}
        for each in conventions.INSTRUMENTS:
            described = {"unit": each.unit, "description": each.description}
            if each.kind == "histogram":
                buckets = list(each.buckets)
                made = meter.create_histogram(
                    each.name, explicit_bucket_boundaries_advisory=buckets, **described
                )
                self._record[each.name] = made.record
            elif each.kind == "counter":
                self._record[each.name] = meter.create_counter(each.name, **described).add
            else:
                callbacks = [partial(_observed, each)]
                meter.create_observable_up_down_counter(each.name, callbacks=callbacks, **described)

    def record(self, instrument: str, value: float, attributes: Mapping[str, Any]) -> None:
        """Record a value of a histogram, or add it to a counter."""
        self._record[instrument](value, attributes)

    def record_call(self, tool: str, seconds: float, outcome: str, code: str | None) -> None:
        """Record the end of a call: its duration, by tool, outcome and error code."""
        attributes = {conventions.TOOL: tool, "gen_ai.tool.type": "function", conventions.OUTCOME: outcome}
        self.record(
            conventions.TOOL_DURATION,
            seconds,
            attributes if code is None else {**attributes, conventions.ERROR_TYPE: code},
        )

    async def measure_lag(self) -> None:
        """Record how late the event loop runs, until the task is cancelled."""
        while True:
            due = monotonic() + _LAG_INTERVAL
            await sleep(_LAG_INTERVAL)
            self.record(conventions.LOOP_LAG, max(0.0, monotonic() - due), {})


def _observed(of: conventions.Instrument, _: object) -> Iterator[Any]:
    """Yield the values of a gauge, for all of its owners together."""
    observation = sys.modules["opentelemetry.metrics"].Observation
    values: Counter[str] = Counter()
    for owner, read in list(_owners.get(of.name, {}).items()):
        values.update(read(owner))
    for key, value in values.items():
        yield observation(value, {of.attributes[0]: key} if of.attributes and key else {})


def metric_name(tool_name: str) -> str:
    """Return the name of a tool for metrics: a name that no tool has is quoted, and a caller's text."""
    return conventions.OTHER if tool_name.startswith('"') else tool_name


def current_metrics() -> Metrics | None:
    """Return the instruments of the application's meter provider; None if it has set none."""
    if "opentelemetry.metrics" not in sys.modules:  # who sets a provider has imported it
        return None
    provider = current_provider("opentelemetry.metrics", "get_meter_provider")
    return None if provider is None else _metrics_of(provider)


@lru_cache(maxsize=1)
def _metrics_of(provider: Any) -> Metrics:
    return Metrics(provider.get_meter(conventions.SCOPE, schema_url=conventions.SCHEMA_URL))
