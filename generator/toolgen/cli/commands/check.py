"""Check that the generated code is up to date: exit 1 and a diff if it is not.

CHANGED  the specs changed since the file was generated
MISSING  the file does not exist
EXTRA    the file is no longer generated
EDITED   the file was changed after toolgen wrote it

A deprecated tool whose sunset is over is an error, too: exit 1.

Runs no code of the project, except with --implementations, which imports the implementations of the tools.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from toolgen.cli.collector import paused_collector
from toolgen.cli.output import count, emit, emit_json, say
from toolgen.cli.parser import add_format

if TYPE_CHECKING:
    from toolgen.data.diagnostic import Diagnostic


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-diff", action="store_true", help="list the files without a diff")
    parser.add_argument(
        "--implementations",
        action="store_true",
        help="also import the implementations, which runs their code, and check them against their specs",
    )
    parser.add_argument(
        "--today",
        type=_date,
        metavar="DATE",
        help="decide about sunsets as on this day, YYYY-MM-DD (default: the date in UTC)",
    )
    add_format(parser)


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date, YYYY-MM-DD") from None


def run(args: argparse.Namespace) -> bool:
    if not args.implementations:
        return _check_output(args, [])
    return _check_with_implementations(args)


def _check_with_implementations(args: argparse.Namespace) -> bool:
    from toolgen.cli import diagnostics
    from toolgen.cli.building.project_build import read_inputs
    from toolgen.cli.checking import implementations
    from toolgen.data.codes import CODES
    from toolgen.output_files import disabled_modules

    inputs = read_inputs(args.start)
    disabled = disabled_modules(inputs.specs, f"{inputs.project.specs}/", inputs.targets)
    found = implementations.check(inputs.project, disabled)
    fresh = _check_output(args, found)
    if found and args.format == "text":
        diagnostics.show(found, args.start, as_json=False)
    errors = [each for each in found if CODES[each.code].severity == "error"]
    if args.format == "text":
        say(f"implementations: {count(len(errors), 'fault') if errors else 'clean'}")
    return fresh and not errors


@paused_collector()
def _check_output(args: argparse.Namespace, found: Sequence[Diagnostic]) -> bool:
    from toolgen.cli.checking.sunsets import passed_sunsets
    from toolgen.cli.comparing.today import today
    from toolgen.project import find_up_to_date, read_project

    read = read_project(args.start)
    known = find_up_to_date(read) if args.format == "text" else None
    if known is not None:
        passed = passed_sunsets(read, args.today or today())
        if shown := (*passed, *known.warnings):
            from toolgen.cli import diagnostics

            diagnostics.show(shown, args.start, as_json=False)
        if not passed:
            _say_clean(known.tools, known.files)
        return not passed
    from toolgen.cli import diagnostics
    from toolgen.cli.building import output_diff, project_build
    from toolgen.report.json import as_data

    plan = project_build.plan(read)
    diff = output_diff.compare_output(plan)
    passed = passed_sunsets(read, args.today or today())
    is_clean = diff.clean and not passed
    if args.format == "json":
        data = {**output_diff.as_data(diff), "clean": is_clean}
        data |= {"errors": as_data(passed), "warnings": as_data(plan.warnings)}
        data["fix"] = None if diff.clean else _fix(args)
        if args.implementations:
            data["implementations"] = as_data(found)
        emit_json(data)
        return is_clean
    if shown := (*passed, *plan.warnings):
        diagnostics.show(shown, args.start, as_json=False)
    if diff.clean:
        for line in output_diff.toolchain_lines(diff):
            say(f"{line} (the output is the same)")
        if not passed:
            _say_clean(plan.tools, len(plan.tree))
        return not passed
    emit(*output_diff.lines(diff, with_diff=not args.no_diff), f"to fix it: {_fix(args)}")
    return False


def _say_clean(tools: int, files: int) -> None:
    say(f"clean: {count(tools, 'tool')}, {count(files, 'file')}")


def _fix(args: Any) -> str:
    where = "" if args.start == "." else f"-C {shlex.quote(args.start)} "
    return f"toolgen {where}generate"
