"""Measure what models are sent: the definitions of each tool, exactly as each target publishes them.

Exit 1 if a tool or a target is above a limit, or a tool is larger than in the committed baseline. The report
shows whether the words of users (`ask` in examples) find their tools. Limits and the baseline's name can be
set in the section [budget] of the configuration. Runs no code of the project.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from toolgen.base.escaping.characters import printable
from toolgen.base.suggestions import count
from toolgen.changes.budget import BYTES, NOUNS, Budget, Limits, measure_budget, write_baseline
from toolgen.cli.diagnostics import emit_report, show, source_texts
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_choice, add_flag, add_format, whole_number
from toolgen.cli.report.entry import Report, entry_of
from toolgen.language.lint.asks import FIRST, MAX_ASKS
from toolgen.language.targets.builtin import MCP


def arguments(parser: argparse.ArgumentParser) -> None:
    about = "bytes of UTF-8, or tokens of OpenAI's vocabulary o200k, with the extra `tokens`"
    add_choice(parser, "--unit", ("bytes", "o200k"), f"{about} (default: as configured, or bytes)")
    parser.add_argument(
        "--max",
        type=whole_number,
        metavar="BYTES",
        help="fail if a tool is larger for any target; in the unit",
    )
    parser.add_argument(
        "--max-total",
        type=whole_number,
        metavar="BYTES",
        help="fail if all tools of a target are larger; in the unit",
    )
    add_flag(parser, "--write-baseline", "accept the sizes: write them to the baseline")
    add_format(parser, of_report=True)


def run(args: argparse.Namespace) -> bool:
    budget = measure_budget(
        args.start,
        unit=args.unit,
        limits=Limits(args.max, args.max_total),
        compares_baseline=not args.write_baseline,
    )
    report = Report(
        "budget",
        entries=tuple(map(entry_of, budget.found)),
        failed=bool(budget.faults),
        summary=tuple(_lines(budget)),
        data={
            "tools": [{"tool": name, "targets": dict(sizes)} for name, sizes in budget.tools.items()],
            "total": dict(budget.total),
            "unit": budget.unit,
        },
        texts=source_texts(budget.found, args.start),
    )
    if args.format == "json":
        emit_json(report.data)
    elif args.format != "text":
        emit_report(report, args.format, args.start)
        return not report.failed
    else:
        emit(*report.summary)
    show(budget.found, args.start, report.texts)
    if args.write_baseline:
        say(f"wrote {write_baseline(budget)}: {count(len(budget.tools), 'tool')}")
    return not report.failed


_MAX_ROWS: Final = 20  # of tools, the largest first, and of confusions


def _lines(budget: Budget) -> Iterator[str]:
    noun = NOUNS[budget.unit]
    # what they read before a user asks anything: MCP's list, if that is a target
    size = budget.total.get(MCP.name, next(iter(budget.total.values()), 0))
    amount = f"{size / 1000:,.1f} kB" if budget.unit == BYTES else f"{size:,} {noun}"
    yield f"models read {amount} before the first question"
    yield from ("", *_table([noun, *budget.total], _rows_of_tools(budget)))
    if len(budget.tools) > _MAX_ROWS:
        yield f"{len(budget.tools) - _MAX_ROWS:,} smaller ones are not shown (--format json has all)"
    yield from _lines_of_asks(budget)


def _rows_of_tools(budget: Budget) -> list[list[str]]:
    by_size = sorted(budget.tools, key=lambda name: (-sum(budget.tools[name].values()), name))
    rows = {name: budget.tools[name] for name in by_size[:_MAX_ROWS]}
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
        [printable(tool), printable(sibling), f"{asks:,}"]
        for (tool, sibling), asks in budget.confusions[:_MAX_ROWS]
    ]:
        yield from ("", *_table(["asks for", "find first", "asks"], rows))
    if len(budget.confusions) > _MAX_ROWS:
        yield f"{len(budget.confusions) - _MAX_ROWS:,} more pairs are not shown"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield rows below their heads; columns of numbers are aligned to the right."""
    cells = [list(heads), *map(list, rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    for row in cells:
        # the first row has the heads, the last one shows which columns are numbers
        shown = (
            text.rjust(width) if last[:1].isdigit() else text.ljust(width)
            for text, width, last in zip(row, widths, cells[-1], strict=True)
        )
        yield "  ".join(shown).rstrip()
