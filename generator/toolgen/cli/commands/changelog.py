"""Print what changed in the contracts of the tools between two commits, as Markdown for people.

RANGE is A..B, or A for all changes since A, those in the work tree included. Each tag between them has a
section of its own. Runs no code of the project.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toolgen.cli.output import emit, emit_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.cli.comparing.sides import Sides
    from toolgen.report.changelog import Release


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("range", metavar="RANGE", help="A..B, or A for A..work tree; each a git ref")
    parser.add_argument(
        "--summary", action="store_true", help="a short text for a pull request: counts, and the breaks"
    )
    parser.add_argument(
        "--format", choices=("markdown", "json"), default="markdown", help="output format (default: markdown)"
    )


def run(args: argparse.Namespace) -> bool:
    from toolgen.report.changelog import as_json, as_markdown, as_summary

    releases = list(_releases(args))
    if args.format == "json":
        emit_json(as_json(args.range, releases))
    elif args.summary:
        emit(*as_summary(args.range, releases).splitlines())
    else:
        emit(*as_markdown(args.range, releases).splitlines())
    return True


def _releases(args: argparse.Namespace) -> Iterator[Release]:
    from dataclasses import replace

    from toolgen.cli.comparing.history import read_history
    from toolgen.cli.comparing.today import today
    from toolgen.compat.comparison import compare
    from toolgen.project.inputs.breaking_policy import read_policy
    from toolgen.report.changelog import Release

    # entries of `breaking.toml` are about the present; in older versions they would match nothing
    policy = replace(read_policy(args.start), is_semver=False)
    for step in read_history(args.range, args.start, by_tag=not args.summary):
        findings = compare(step.sides.old, step.sides.new, policy=policy, today=today())
        shown = tuple(each for each in findings if not each.code.startswith("acceptance-"))
        yield Release(step.title, step.date, shown, _versions(step.sides))


def _versions(sides: Sides) -> dict[str, str]:
    """Return the tools whose version changed, with both."""
    old, new = sides.old.contracts, sides.new.contracts
    return {
        name: f"{old[name].spec.version or 'no version'} → {new[name].spec.version or 'no version'}"
        for name in sorted(old.keys() & new.keys())
        if old[name].spec.version != new[name].spec.version
    }
