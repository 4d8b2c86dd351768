"""Measure what models are sent: the definitions of each tool, exactly as each target publishes them.

Exit 1 if a tool or a target is above a limit, or a tool is larger than in the committed baseline. The report
shows what would make definitions smaller, and whether the words of users (`ask` in examples) find their
tools. Limits and the baseline's name can be set in the section [budget] of the configuration. Runs no code of
the project.
"""

from __future__ import annotations

import argparse

from toolgen.base.suggestions import count
from toolgen.changes.measuring.budget import Limits, measure_budget, write_baseline
from toolgen.cli.diagnostics import emit_report, show, source_texts
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_format, whole_number
from toolgen.cli.report.budget import budget_report


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--unit",
        choices=("bytes", "o200k"),
        help="bytes of UTF-8, or tokens of OpenAI's vocabulary o200k, with the extra `tokens` "
        "(default: as configured, or bytes)",
    )
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
    parser.add_argument(
        "--write-baseline", action="store_true", help="accept the sizes: write them to the baseline"
    )
    add_format(parser, of_report=True)


def run(args: argparse.Namespace) -> bool:
    budget = measure_budget(
        args.start,
        unit=args.unit,
        limits=Limits(args.max, args.max_total),
        compares_baseline=not args.write_baseline,
        with_savings=args.format != "json",
    )
    report = budget_report(budget, source_texts(budget.found, args.start))
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
