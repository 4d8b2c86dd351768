"""Interleaved measurement: rounds in rotating order, ratios within a round."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Samples = Mapping[str, Sequence[float]]  # name of a case → one figure a round


@dataclass(frozen=True, slots=True)
class Case:
    """A case to measure. `run` returns the figure of one round; `prepare` runs before it, unmeasured."""

    name: str
    run: Callable[[], float]
    prepare: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and quartiles of several figures."""

    median: float
    low: float
    high: float


def interleave(
    cases: Sequence[Case], rounds: int, label: str, *, warm_up: bool = True
) -> dict[str, list[float]]:
    """Run every case once per round, each round beginning with another one. Warm-up rounds do not count."""
    samples: dict[str, list[float]] = {case.name: [] for case in cases}
    for number in range(-1 if warm_up else 0, rounds):
        _say(f"\r{label}: round {number + 1} of {rounds} ")
        at = number % len(cases)
        for case in (*cases[at:], *cases[:at]):
            case.prepare()
            figure = case.run()
            if number >= 0:
                samples[case.name].append(figure)
    _say("\r\033[K")
    return samples


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(text, end="", file=sys.stderr, flush=True)


def spread(figures: Sequence[float]) -> Spread:
    """Return median and quartiles."""
    if len(figures) == 1:
        return Spread(figures[0], figures[0], figures[0])
    low, middle, high = statistics.quantiles(figures, n=4, method="inclusive")
    return Spread(middle, low, high)


def ratio(ours: Sequence[float], baseline: Sequence[float]) -> Spread:
    """Return median and quartiles of the ratios within each round."""
    return spread([mine / other for mine, other in zip(ours, baseline, strict=True)])
