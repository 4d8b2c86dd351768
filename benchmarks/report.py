"""Figures as a table on the terminal, as JSON, as Markdown in `docs/performance.md`."""

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
    def binding(self) -> bool:
        """Whether the target was set for this size."""
        return self.row.target is not None and self.row.at in (None, self.size)

    @property
    def verdict(self) -> str:
        """met, missed or noise; nothing where no target was set."""
        target = self.row.target
        if target is None or not self.binding:
            return ""
        if self.baseline.median <= 0:  # a slope, on a machine too busy to see one
            return "noise"
        return "met" if self.ratio.median <= target else "missed"


def figures(measured: Measured) -> list[Figure]:
    """Every row at every size it was measured at, in the order of the rows."""
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
    """All that the documents are made from. Seconds, or bytes where it is memory."""
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
    """What `as_data` wrote."""
    return {(each["group"], each["size"]): each["cases"] for each in data["samples"]}


def promises(measured: Measured) -> Iterator[tuple[str, ...]]:
    """The table of what was promised: a heading, then a line a figure."""
    yield ("what", "specs", "ours", "beside", "", "ratio (quartiles)", "at most", "")
    for each in figures(measured):
        row, unit = each.row, _unit(each.row)
        yield (
            row.what,
            f"{each.size:,}" if row.at else "",
            unit(each.ours.median),
            row.baseline,
            unit(each.baseline.median),
            f"{_digits(each.ratio.median)} ({_digits(each.ratio.low)} to {_digits(each.ratio.high)})",
            f"{row.target:g}" if each.binding else "",
            each.verdict,
        )


def short(measured: Measured) -> Iterator[tuple[str, ...]]:
    """The same for a first look: only what a target was set for, each once."""
    yield ("what", "specs", "beside", "ratio", "at most", "")
    for each in {figure.row.id: figure for figure in figures(measured) if figure.binding}.values():
        row = each.row
        specs = f"{each.size:,}" if row.at else ""
        yield (row.what, specs, row.baseline, _digits(each.ratio.median), f"{row.target:g}", each.verdict)


def peers(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Everything that was measured in a group beside what is ours, each as a multiple of it."""
    yield ("group", "specs", "case", "median", "times ours")
    for (group, size), samples in sorted(measured.items()):
        if group not in OURS:
            continue
        for name, each in samples.items():
            times = ratio(each, samples[OURS[group]]).median
            yield (group, f"{size:,}", name, seconds(spread(each).median), _digits(times))


def as_text(table: Iterator[tuple[str, ...]]) -> str:
    """Columns side by side."""
    rows = list(table)
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_markdown(table: Iterator[tuple[str, ...]]) -> str:
    """The same as a Markdown table."""
    head, *rows = table
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def _unit(row: Row) -> Any:
    return _bytes if row.group == "memory" else seconds


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
