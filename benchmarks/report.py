"""Figures as a table in the terminal, as JSON, and as Markdown in `docs/performance.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .measure import Samples, Spread, ratio, spread
from .rows import OURS, ROWS, Row

Measured = Mapping[tuple[str, int], Samples]  # group and size → its samples

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Figure:
    """One row at one size."""

    row: Row
    size: int
    ours: Spread
    baseline: Spread
    ratio: Spread

    @property
    def target(self) -> float | None:
        """Return the target at this size."""
        return self.row.target_at(self.size)

    @property
    def binding(self) -> bool:
        """True if the target applies to this size."""
        return self.target is not None

    @property
    def verdict(self) -> str:
        """Return met, missed or noise; an empty text without a target."""
        if (target := self.target) is None:
            return ""
        if self.baseline.median <= 0:  # a slope that noise has made negative
            return "noise"
        return "met" if self.ratio.median <= target else "missed"


def figures(measured: Measured) -> list[Figure]:
    """Return every row at every measured size, in the order of the rows."""
    return [
        Figure(
            row,
            size,
            spread(samples[row.ours]),
            spread(samples[row.baseline]),
            ratio(samples[row.ours], samples[row.baseline]),
        )
        for row in ROWS
        for (group, size), samples in sorted(measured.items())
        if group == row.group and row.ours in samples and row.baseline in samples
    ]


def as_data(measured: Measured, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data from which the documents are generated, in seconds, bytes or lines."""
    return {
        "facts": dict(facts),
        "samples": [
            {
                "group": group,
                "size": size,
                "cases": {name: [round(x, 9) for x in each] for name, each in s.items()},
            }
            for (group, size), s in sorted(measured.items())
        ],
    }


def from_data(data: Mapping[str, Any]) -> Measured:
    """Read the data of `as_data`."""
    return {(each["group"], each["size"]): each["cases"] for each in data["samples"]}


def targets(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield the table of targets: a heading, then one line per figure."""
    yield ("what", "specs", "toolgen", "compared with", "", "ratio (quartiles)", "target", "")
    for each in figures(measured):
        row, unit = each.row, _unit(each.row)
        yield (
            row.what,
            f"{each.size:,}" if row.at else "",
            unit(each.ours.median),
            row.baseline,
            unit(each.baseline.median),
            f"{_digits(each.ratio.median)} ({_digits(each.ratio.low)} to {_digits(each.ratio.high)})",
            "" if each.target is None else f"{each.target:g}",
            each.verdict,
        )


def peers(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield all cases of each group, relative to toolgen's case."""
    yield ("group", "specs", "case", "median", "relative to toolgen")
    for (group, size), samples in sorted(measured.items()):
        if group not in OURS:
            continue
        for name, each in samples.items():
            times = ratio(each, samples[OURS[group]]).median
            yield (group, f"{size:,}", name, seconds(spread(each).median), _digits(times))


def as_text(table: Iterator[tuple[str, ...]]) -> str:
    """Align the columns of a table."""
    rows = list(table)
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_markdown(table: Iterator[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    head, *rows = table
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _unit(row: Row) -> Any:
    if row.id.endswith(("-bytes", "-lines")):
        return "{:,.0f}".format
    return _bytes if row.id.endswith("memory") else seconds


def _bytes(figure: float) -> str:
    return f"{figure / _MIB:.0f} MiB"


def seconds(figure: float) -> str:
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(figure) >= size:
            return f"{figure / size:.3g} {unit}"
    return f"{figure * 1e9:.0f} ns"


def _digits(figure: float) -> str:
    if figure >= 10:
        return f"{figure:,.0f}"
    return f"{figure:.2f}" if figure >= 0.1 else f"{figure:.2g}"
