"""The cost of every public entry: it may grow at most as n log n with the size of the input."""

from __future__ import annotations

import json
import math
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice, pairwise
from pathlib import Path
from typing import Any

from tests.bombs.limited_process import run as run_limited
from tools.fuzz.cost_entries import ENTRIES
from tools.fuzz.findings import Deadline, Finding, Tally
from tools.fuzz.shapes import SHAPES
from tools.fuzz.workers import Workers

PART = "cost"
SECONDS = 15.0  # of processor time for the sizes of one input
_BATCH = 6  # inputs that one process measures
_STARTING = 10.0  # seconds of processor time for a process itself
_TOLERANCE = 3.0  # times n log n
_SLOW = 0.5  # seconds: less is noise
_SMALL = 0.02  # seconds: what takes less is as if it took this
_LARGE = 64.0  # megabytes: less is noise
_LITTLE = 4.0
_ROOT = Path(__file__).parents[2]
_COMMAND = "import sys; sys.path.insert(0, sys.argv.pop(1)); from tools.fuzz.cost_entries import main; main()"


@dataclass(slots=True)
class _Measured:
    """The figures of one input: seconds and megabytes by size, as a multiple of the smallest."""

    figures: dict[float, tuple[float, float]] = field(default_factory=dict)
    started: float | None = None  # size whose end was not seen
    error: str = ""

    def fault(self) -> str | None:
        """Return what grows too fast; None if nothing does."""
        if self.started is not None:
            return f"ended at {self.started:g} times the size: {self.error}"
        idle = self.figures.get(0.1, (0.0, 0.0))[0]
        sizes = sorted(size for size in self.figures if size >= 1)
        seconds = {size: max(self.figures[size][0] - idle, _SMALL) for size in sizes}
        megabytes = {size: max(self.figures[size][1], _LITTLE) for size in sizes}
        for small, large in pairwise(sizes):
            if _grows(seconds, small, large, _SLOW) or _grows(megabytes, small, large, _LARGE):
                return self.shown()
        return None

    def shown(self) -> str:
        figures = (f"size {size:g}: {s:.2f} s, {mb:.0f} MB" for size, (s, mb) in sorted(self.figures.items()))
        return "; ".join(figures)


def _grows(figures: dict[float, float], small: float, large: float, least: float) -> bool:
    """True if a figure grows faster than n log n, with some tolerance, and is at least `least`."""
    allowed = large * math.log(1_000 * large) / (small * math.log(1_000 * small))
    return figures[large] > least and figures[large] > _TOLERANCE * allowed * figures[small]


def every(source: random.Random) -> Iterator[dict[str, Any]]:
    """Yield inputs without end: first each entry with each shape, in the order of `ENTRIES`."""
    turn = 0
    while True:
        pairs = [
            (name, {"language": each} if made.languages else {"shape": each})
            for name, made in ENTRIES.items()
            for each in made.languages or SHAPES
        ]
        source.shuffle(pairs)
        order = [*ENTRIES]
        for name, kind in sorted(pairs, key=lambda pair: order.index(pair[0])) if not turn else pairs:
            yield {"entry": name, **kind, "seed": source.randrange(10**6)}
        turn += 1


def try_recipes(recipes: Sequence[dict[str, Any]], *, again: bool = True) -> Tally:
    """Measure the inputs in a process with limits; measure a suspected finding `again` by itself."""
    tally = Tally()
    left = list(recipes)
    while left:
        found = _measure(left)
        for recipe, each in zip(left, found, strict=False):
            tally.counts["inputs"] += 1
            if (fault := each.fault()) is None:
                continue
            if again:
                repeated = [try_recipes([recipe], again=False) for _ in range(2)]
                tally.findings += repeated[-1].findings if all(tried.findings for tried in repeated) else []
            else:
                kind = "ended" if each.started is not None else "cost"
                tally.findings.append(Finding(PART, kind, f"{json.dumps(recipe)}: {fault}", recipe))
        left = left[max(1, len(found)) :]
    return tally


def _measure(recipes: Sequence[dict[str, Any]]) -> list[_Measured]:
    """Return the figures of the inputs; of fewer if the process has ended, the last one being the reason."""
    lines = "".join(json.dumps(recipe) + "\n" for recipe in recipes)
    with tempfile.TemporaryDirectory(prefix="toolgen-fuzz-") as name:
        done = run_limited(
            [sys.executable, "-c", _COMMAND, str(_ROOT), str(SECONDS)],
            Path(name),
            lines.encode(),
            seconds=SECONDS * len(recipes) + _STARTING,
            patience=20 * SECONDS * len(recipes),
        )
    found: list[_Measured] = []
    for line in done.out.splitlines():
        match json.loads(line):
            case ["recipe", int()]:
                found.append(_Measured())
            case ["start", size]:
                found[-1].started = size
            case ["end", size, seconds, megabytes]:
                found[-1].started = None
                found[-1].figures[size] = (seconds, megabytes)
    if done.code != 0 and found and found[-1].started is None:
        found[-1].started = 0.0
    if found:
        found[
            -1
        ].error = f"exit {done.code}, {done.seconds:.0f} s, {done.megabytes:.0f} MB: {done.err[-800:]}"
    elif recipes:
        raise RuntimeError(done.err[-2000:])
    return found


def run(source: random.Random, deadline: Deadline, workers: Workers) -> Tally:
    """Try inputs until the deadline."""
    inputs = every(source)
    batches = ([*islice(inputs, _BATCH)] for _ in count())
    return workers.search(try_recipes, batches, deadline, lambda found: found.reproduction["entry"])


def try_recipe(recipe: dict[str, Any]) -> Tally:
    """Measure one input in a process of its own."""
    return try_recipes([recipe])
