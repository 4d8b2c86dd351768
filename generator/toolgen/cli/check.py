"""Tell whether the generated code is what the specs describe: exit 1 and the difference, where it is not.

CHANGED  the specs moved on since the file was generated
MISSING  the file is not there
EXTRA    the file is no longer generated
EDITED   the file is no longer what toolgen wrote
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from toolgen.cli.out import count, emit, emit_json, say
from toolgen.cli.parser import add_format


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-diff", action="store_true", help="name the files only")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    from toolgen.cli import fresh

    known = fresh.look(args.start) if args.format == "text" else None
    if known is not None:
        fresh.warn(known, args.start)
        _say_clean(known.tools, known.files)
        return True
    from toolgen.cli import build, drift, faults
    from toolgen.report.json import as_data

    plan = build.plan(args.start)
    found = drift.of(plan)
    if args.format == "json":
        warnings = as_data(plan.warnings)
        emit_json(
            {**drift.as_data(found), "warnings": warnings, "mend": None if found.clean else _mend(args)}
        )
        return found.clean
    if plan.warnings:
        faults.show(plan.warnings, args.start, as_json=False)
    if found.clean:
        for line in drift.toolchain_lines(found):
            say(f"{line} (the output is the same)")
        _say_clean(plan.tools, len(plan.tree))
        return True
    emit("\n".join([*drift.lines(found, with_diff=not args.no_diff), f"to mend it: {_mend(args)}"]))
    return False


def _say_clean(tools: int, files: int) -> None:
    say(f"clean: {count(tools, 'tool')}, {count(files, 'file')}")


def _mend(args: Any) -> str:
    where = "" if args.start == "." else f"-C {shlex.quote(args.start)} "
    return f"toolgen {where}generate"
