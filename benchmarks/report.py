"""Figures as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .measure import Samples, ratio, spread
from .rows import ROWS

Measured = Mapping[tuple[str, int], Samples]  # group and size → its samples


def table(measured: Measured) -> Iterator[tuple[str, ...]]:
    """Yield a heading, then a line for every row at every measured size."""
    yield ("what", "specs", "toolgen", "compared with", "", "ratio (quartiles)", "target", "")
    for row in ROWS:
        for (group, size), samples in sorted(measured.items()):
            if group != row.group:
                continue
            found, target = ratio(samples[row.ours], samples[row.baseline]), row.target_at(size)
            yield (
                row.what,
                f"{size:,}" if row.at else "",
                seconds(spread(samples[row.ours]).median),
                row.baseline,
                seconds(spread(samples[row.baseline]).median),
                f"{_digits(found.median)} ({_digits(found.low)} to {_digits(found.high)})",
                "" if target is None else f"{target:g}",
                "" if target is None else "met" if found.median <= target else "missed",
            )


def as_markdown(lines: Iterator[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    head, *rows = lines
    text = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join([text[0], "|" + "---|" * len(head), *text[1:]])


def seconds(figure: float) -> str:
    """Return seconds in a unit that suits them."""
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(figure) >= size:
            return f"{figure / size:.3g} {unit}"
    return f"{figure * 1e9:.0f} ns"


def _digits(figure: float) -> str:
    if figure >= 10:
        return f"{figure:,.0f}"
    return f"{figure:.2f}" if figure >= 0.1 else f"{figure:.2g}"
