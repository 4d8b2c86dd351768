"""Print what changed in the contracts of the tools between two commits, as Markdown for people.

RANGE is A..B, or A for all changes since A, those in the work tree included. Each tag between them has a
section of its own. Runs no code of the project.
"""

from __future__ import annotations

import argparse

from toolgen.changes.comparing.history import LeftOut, Release, read_releases
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.report.json import releases_data
from toolgen.cli.report.markdown import as_markdown
from toolgen.cli.today import today


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("range", metavar="RANGE", help="A..B, or A for A..work tree; each a git ref")
    parser.add_argument(
        "--format", choices=("markdown", "json"), default="markdown", help="output format (default: markdown)"
    )


def run(args: argparse.Namespace) -> bool:
    releases: list[Release] = []
    for each in read_releases(args.range, args.start, today=today()):
        if isinstance(each, LeftOut):
            say(f"toolgen: {each.title} is left out, its specs cannot be read: {each.error}")
        else:
            releases.append(each)
    if args.format == "json":
        emit_json(releases_data(args.range, releases))
    else:
        emit(*as_markdown(args.range, releases).splitlines())
    return True
