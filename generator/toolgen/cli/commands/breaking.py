"""Compare the specs with another version: exit 1 if a change breaks somebody, with a value that shows it.

The other version is a git ref, a folder of specs or a project, a file that `toolgen export` printed, the URL
of an MCP server, or a command that starts one (quoted, or after `--`). Requests of callers that know it must
still be accepted, and responses must be what they know. Runs no code of the project.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from toolgen.cli.output import count, emit, emit_json, say
from toolgen.cli.parser import add_format

if TYPE_CHECKING:
    from toolgen.cli.comparing.sides import Sides
    from toolgen.compat.finding import Category, Finding, Level
    from toolgen.compat.policy import Policy

_LEVELS = ("error", "warning", "info")
_CATEGORIES = ("wire", "source", "safety", "agent", "impl")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against", metavar="REF|DIR|FILE|URL|COMMAND", required=True, help="the version to compare with"
    )
    parser.add_argument(
        "--level", choices=_LEVELS, help="the level that fails (default: as configured, or error)"
    )
    parser.add_argument(
        "--category",
        metavar="LIST",
        default=",".join(_CATEGORIES),
        help=f"whom a finding must concern: some of {', '.join(_CATEGORIES)} (default: all)",
    )
    parser.add_argument(
        "--allow-unanalysed", action="store_true", help="do not fail if a change could not be decided"
    )
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli.comparing.sides import read_sides
    from toolgen.cli.comparing.today import today
    from toolgen.compat.comparison import compare
    from toolgen.compat.finding import Level
    from toolgen.compat.policy import failing
    from toolgen.project.inputs.breaking_policy import read_policy

    categories = _categories(args.category)
    policy = read_policy(args.start)
    sides = read_sides(args.against, args.start)
    findings = compare(sides.old, sides.new, policy=policy, today=today())
    findings = tuple(each for each in findings if each.category in categories)
    level = Level(args.level) if args.level else policy.level
    failed = tuple(failing(findings, level, categories, allow_unanalysed=args.allow_unanalysed))
    if args.format == "json":
        from toolgen.report.findings import as_data

        emit_json({"against": args.against, "findings": as_data(findings), "failed": len(failed)})
    else:
        _print(findings, sides, policy, level)
    return not failed


def _categories(text: str) -> frozenset[Category]:
    from toolgen.compat.finding import Category
    from toolgen.project import UnableError
    from toolgen.suggestions import did_you_mean

    names = [name for part in text.split(",") if (name := part.strip())]
    for name in names:
        if name not in _CATEGORIES:
            hint = did_you_mean(name, _CATEGORIES) or f"the categories are {', '.join(_CATEGORIES)}"
            raise UnableError("usage", f"unknown category '{name}'", hint)
    return frozenset(Category(name) for name in names)


def _print(findings: Sequence[Finding], sides: Sides, policy: Policy, level: Level) -> None:
    """Print the findings, those about texts that models read at the end, and a summary."""
    from toolgen.cli.diagnostics import has_color
    from toolgen.compat.finding import Category, Level
    from toolgen.report.findings import render

    for note in sides.notes:
        say(f"toolgen: {note}")
    texts = {**sides.old.texts, **sides.new.texts, **policy.texts}
    least = level if level is Level.INFO else Level.WARNING
    shown = [each for each in findings if each.level.reaches(least)]
    for_models = [each for each in shown if each.category is Category.AGENT]
    others = [each for each in shown if each.category is not Category.AGENT]
    if text := render([*others, *for_models], texts, color=has_color()):
        emit(*text.splitlines(), styled=True)
    _summarize(findings, len(findings) - len(shown))


def _summarize(findings: Collection[Finding], hidden: int) -> None:
    from toolgen.compat.policy import UNANALYSED

    accepted = sum(bool(each.accepted) for each in findings)
    undecided = sum(each.code == UNANALYSED and not each.accepted for each in findings)
    levels = Counter(each.level.value for each in findings if each.code != UNANALYSED and not each.accepted)
    parts = [count(levels["error"], "break"), count(levels["warning"], "warning"), f"{undecided} undecided"]
    if accepted:
        parts.append(f"{accepted} accepted")
    safe = f"; {count(hidden, 'safe change')} (--level info shows them)" if hidden else ""
    say(f"{', '.join(parts)}{safe}" if findings else "no change")
