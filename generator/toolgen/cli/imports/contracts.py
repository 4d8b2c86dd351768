"""Copy the specs and shared schemas that an installed package publishes, and pin them in contracts.lock.

DISTRIBUTION is the name of a package that is installed beside toolgen. Its specs are in the folder that its
entry point of the group `toolgen.contracts` names. Nothing of the package is imported or run.
"""

from __future__ import annotations

import argparse

from toolgen.base.suggestions import count
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_flag, add_format
from toolgen.sources.loading.contracts import import_contracts


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="DISTRIBUTION", help="the name of an installed package")
    parser.add_argument(
        "--into", metavar="DIR", required=True, help="a folder below the specs folder, for these files only"
    )
    add_flag(parser, "--sync", "update an earlier import; refused if a file was changed by hand")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    done = import_contracts(args.source, args.start, args.into, sync=args.sync)
    lock = done.published.lock
    if args.format == "json":
        data = {"distribution": lock.distribution, "version": lock.version, "files": len(lock.files)}
        emit_json({**data, "written": done.written, "removed": done.removed})
        return True
    emit(*done.written, *(f"{path} (removed)" for path in done.removed))
    changed = f"{len(done.written)} written, {len(done.removed)} removed"
    say(f"{lock.label}: {count(len(lock.files), 'file')}, {changed}")
    return True
