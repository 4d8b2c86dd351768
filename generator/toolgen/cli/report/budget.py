"""What `toolgen budget` has measured, as text and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import count
from toolgen.changes.measuring.budget import Budget
from toolgen.changes.measuring.units import BYTES, NOUNS
from toolgen.cli.report.entry import Report, entry_of
from toolgen.language.lint.asks import FIRST, MAX_ASKS
from toolgen.language.targets.builtin import MCP

_MAX_TOOLS: Final = 20  # rows of tools, the largest first
_MAX_CONFUSIONS: Final = 20


def budget_data(budget: Budget) -> dict[str, Any]:
    """Return the sizes as plain data."""
    return {
        "tools": [{"tool": name, "targets": dict(sizes)} for name, sizes in budget.tools.items()],
        "total": dict(budget.total),
        "unit": budget.unit,
    }


def budget_report(budget: Budget, texts: Mapping[str, bytes | str]) -> Report:
    """Return what formats print; `texts` maps the files of its findings to their contents."""
    return Report(
        command="budget",
        entries=tuple(map(entry_of, budget.found)),
        failed=bool(budget.faults),
        summary=tuple(_lines(budget)),
        data=budget_data(budget),
        texts=texts,
    )


def headline(budget: Budget) -> str:
    """Return how much models read before a user asks anything: by MCP's list, if that is a target."""
    size = budget.total.get(MCP.name, next(iter(budget.total.values()), 0))
    amount = f"{size / 1000:,.1f} kB" if budget.unit == BYTES else f"{size:,} {NOUNS[budget.unit]}"
    return f"models read {amount} before the first question"


def _lines(budget: Budget) -> Iterator[str]:
    yield headline(budget)
    targets = list(budget.total)
    noun = NOUNS[budget.unit]
    yield from ("", *_table([noun, *targets], _rows_of_tools(budget)))
    if len(budget.tools) > _MAX_TOOLS:
        yield f"{len(budget.tools) - _MAX_TOOLS:,} smaller ones are not shown (--format json has all)"
    saved = [
        [
            each.way,
            *(_less(each.saved[target], budget.total[target]) for target in targets),
            f"{each.tools:,}",
        ]
        for each in budget.savings
        if any(each.saved.values())
    ]
    if saved:
        yield from ("", *_table(["would save", *targets, "in tools"], saved))
    yield from _lines_of_asks(budget)


def _rows_of_tools(budget: Budget) -> list[list[str]]:
    by_size = sorted(budget.tools, key=lambda name: (-sum(budget.tools[name].values()), name))
    rows = {name: budget.tools[name] for name in by_size[:_MAX_TOOLS]}
    all_tools = f"all {len(budget.tools):,}"
    return [
        [printable(name), *(f"{size:,}" for size in sizes.values())]
        for name, sizes in [*rows.items(), (all_tools, budget.total)]
    ]


def _lines_of_asks(budget: Budget) -> Iterator[str]:
    if not budget.asks:
        yield from ("", "no example has an `ask`: whether users' words find the tools is not known")
        return
    found = sum(each.is_found for each in budget.asks)
    yield ""
    yield f"{found} of {count(len(budget.asks), 'ask')} find their tool among the first {FIRST}"
    if len(budget.asks) == MAX_ASKS:
        yield f"only the first {MAX_ASKS:,} asks are searched"
    if budget.without_ask:
        yield f"{count(budget.without_ask, 'tool')} without an `ask` in an example"
    if rows := [
        [printable(each.tool), printable(each.sibling), f"{each.asks:,}"]
        for each in budget.confusions[:_MAX_CONFUSIONS]
    ]:
        yield from ("", *_table(["asks for", "find first", "asks"], rows))
    if len(budget.confusions) > _MAX_CONFUSIONS:
        yield f"{len(budget.confusions) - _MAX_CONFUSIONS:,} more pairs are not shown"


def _less(saved: int, total: int) -> str:
    return f"{saved:,} ({saved / total * 100:.0f} %)" if saved else "0"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield rows below their heads; columns of numbers are aligned to the right."""
    cells = [list(heads), *map(list, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    is_number = [
        all(row[column][:1].isdigit() for row in cells[1:]) and column > 0 for column in range(len(heads))
    ]
    for row in cells:
        shown = (
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(row, widths, is_number, strict=True)
        )
        yield "  ".join(shown).rstrip()
