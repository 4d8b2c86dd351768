"""Print what changed in the contracts of the tools between two commits, as Markdown for people.

RANGE is A..B, or A for all changes since A, those in the work tree included.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from toolgen.cli.output import emit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolgen.cli.comparing.sides import Sides


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("range", metavar="RANGE", help="A..B, or A for A..work tree; each a git ref")


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli.comparing.sides import read_range

    emit("\n".join(_lines(args.range, read_range(args.range, args.start))))
    return True


def _lines(title: str, sides: Sides) -> Iterator[str]:
    yield f"## {title}"
    old, new = sides.old.contracts, sides.new.contracts
    groups = {
        "Removed": sorted(old.keys() - new.keys()),
        "Added": sorted(new.keys() - old.keys()),
        "Changed": [name for name in sorted(old.keys() & new.keys()) if old[name].spec != new[name].spec],
    }
    for group, names in groups.items():
        if names:
            yield from ("", f"### {group}", "", *(f"- `{name}`" for name in names))
    if not any(groups.values()):
        yield from ("", "No change.")
