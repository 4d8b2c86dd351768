"""Check that the generated code is up to date: exit 1 and a diff if it is not.

CHANGED  the specs changed since the file was generated
MISSING  the file does not exist
EXTRA    the file is no longer generated
EDITED   the file was changed after toolgen wrote it

A deprecated tool whose sunset is over is an error, too, and so is a spec that differs from the
contracts.lock of its folder: exit 1.

Runs no code of the project, except with --implementations, which imports the implementations of the tools.
--upstream lists the tools of the servers that they forward to, and starts those that a command starts: exit 1
if one of them has changed in a way for which calls are refused.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolgen.base.suggestions import count
from toolgen.cli.exit_codes import ExitCode, exit_code
from toolgen.cli.output import command_line, count_of_warnings, emit, emit_json, say
from toolgen.cli.parser import add_flag, add_format
from toolgen.cli.today import today

if TYPE_CHECKING:
    from toolgen.language.diagnostic import Diagnostic, Sunset
    from toolgen.testing.upstreams import JudgedUpstream

IS_SHORT = True


def arguments(parser: argparse.ArgumentParser) -> None:
    add_flag(parser, "--no-diff", "list the files without a diff")
    add_flag(
        parser,
        "--implementations",
        "also import the implementations, which runs their code, and check them against their specs",
    )
    add_flag(parser, "--all", "check all projects of the git repository, one after the other")
    add_flag(parser, "--upstream", "also compare the servers that tools are forwarded to with their locks")
    add_format(parser, of_report=True)


def run(args: argparse.Namespace) -> bool | ExitCode:
    return _check_all(args) if args.all else _check(args)


def _check_all(args: argparse.Namespace) -> ExitCode:
    """Check each project of the repository; return the worst outcome."""
    from toolgen.cli.diagnostics import show_error
    from toolgen.language.diagnostic import SpecErrors
    from toolgen.project import UnableError
    from toolgen.project.inputs.discovery import find_projects

    if args.format not in ("text", "github"):  # others are one document
        raise UnableError("usage", f"--all cannot be printed as {args.format}", "use `text` or `github`")
    outcomes = []
    for folder in find_projects(Path(args.start)):
        own = argparse.Namespace(**{**vars(args), "start": os.path.relpath(folder)})
        say(f"{own.start}:")
        try:
            outcomes.append(exit_code(_check(own)))
        except (SpecErrors, UnableError) as error:
            show_error(error, own)
            outcomes.append(exit_code(error))
    return max(outcomes)


def _check(args: argparse.Namespace) -> bool:
    if not args.upstream:
        return _check_code(args, [])
    from toolgen.project import read_project
    from toolgen.testing.upstreams import judge_upstreams

    judged = judge_upstreams(read_project(args.start).project, today())
    is_clean = _check_code(args, judged)
    if args.format == "text":
        _show_upstreams(judged, args)
    return is_clean and not any(each.judgement.failed for each in judged)


def _check_code(args: argparse.Namespace, judged: Sequence[JudgedUpstream]) -> bool:
    """Check the generated code, and the implementations if that is wanted."""
    if not args.implementations:
        return _check_output(args, [], judged)
    from toolgen.project.building.project_build import read_inputs
    from toolgen.testing.processes.implementation_check import check_implementations

    found = check_implementations(read_inputs(args.start))
    is_clean = _check_output(args, found, judged)
    if args.format == "text":
        _show(found, args)
        say(f"implementations: {count(len(found), 'fault') if found else 'clean'}")
    return is_clean and not found


def _check_output(
    args: argparse.Namespace, found: Sequence[Diagnostic], judged: Sequence[JudgedUpstream]
) -> bool:
    from toolgen.project import read_project
    from toolgen.project.cache.entries import user_cache
    from toolgen.project.cache.freshness import find_up_to_date
    from toolgen.project.output.beside import find_outdated_schema, find_outdated_section
    from toolgen.sources.contracts_lock import find_vendored_changes

    read = read_project(args.start)
    if any(b"x-upstream:" in each for each in read.specs.values()):  # its import takes 6 ms
        from toolgen.sources.forwarded_modules import check_upstreams

        check_upstreams(read)
    vendored = find_vendored_changes(read)
    schema = find_outdated_schema(read.project, user_cache())
    others = [each for each in (schema, find_outdated_section(read.project)) if each]
    say(*read.project.publish_notes, always=True)
    known = find_up_to_date(read) if args.format == "text" and not others else None
    if known is not None:
        passed = (*vendored, *_passed(known.sunsets))
        return _show_clean(known.tools, known.files, passed, len(known.warnings), args)
    from toolgen.cli.progress import plan_output
    from toolgen.cli.report.json import changes_data, diagnostics_data
    from toolgen.cli.report.text import lines_of_changes, lines_of_toolchain
    from toolgen.project.building.project_build import compare_output

    plan = plan_output(read)
    diff = compare_output(plan)
    diff = replace(diff, changes=(*diff.changes, *others))
    passed = (*vendored, *_passed(plan.sunsets))
    is_clean = diff.clean and not passed
    if args.format == "json":
        data = {**changes_data(diff), "clean": is_clean}
        data |= {"errors": diagnostics_data(passed), "warnings": diagnostics_data(plan.warnings)}
        data["fix"] = None if diff.clean else command_line(args, "generate")
        if args.implementations:
            data["implementations"] = diagnostics_data(found)
        if args.upstream:
            data["upstreams"] = _upstreams_data(judged)
        emit_json(data)
        return is_clean
    if args.format != "text":
        from toolgen.cli.diagnostics import emit_report
        from toolgen.cli.report.entry import output_report

        emit_report(output_report(diff, [*passed, *found], plan.warnings), args.format, args.start)
        return is_clean
    if diff.clean:
        unused = [f"{line} (the output is the same)" for line in lines_of_toolchain(diff)]
        return _show_clean(plan.tools, len(plan.tree), passed, len(plan.warnings), args, unused)
    _show(passed, args)
    say(*count_of_warnings(len(plan.warnings)))
    if plan.existing.text is None and not plan.existing.files:
        emit(
            f"{count(len(read.specs), 'spec')} valid; not generated yet",
            f"to do it: {command_line(args, 'generate')}",
        )
        return False
    lines = lines_of_changes(diff, with_diff=not args.no_diff)
    emit(*lines, f"to fix it: {command_line(args, 'generate')}")
    return False


def _show_upstreams(judged: Sequence[JudgedUpstream], args: argparse.Namespace) -> None:
    from toolgen.cli.diagnostics import emit_findings

    for each in judged:
        say(f"{each.server.label}: {emit_findings(each.judgement)}")
        if each.judgement.failed:
            say(f"if this is as it should be: {command_line(args, *each.sync)}")
            say(f"then review {each.lock}")


def _upstreams_data(judged: Sequence[JudgedUpstream]) -> list[dict[str, Any]]:
    from toolgen.cli.report.json import findings_data

    return [
        {
            "server": each.server.name,
            "version": each.server.version,
            "lock": each.lock,
            "findings": findings_data(each.judgement.findings),
            "failed": len(each.judgement.failed),
        }
        for each in judged
    ]


def _passed(sunsets: Sequence[Sunset]) -> tuple[Diagnostic, ...]:
    """Return an error for each tool whose last day is over."""
    day = today().isoformat()
    return tuple(sunset.error for sunset in sunsets if sunset.day < day)


def _show_clean(
    tools: int,
    files: int,
    passed: Sequence[Diagnostic],
    warnings: int,
    args: argparse.Namespace,
    notes: Sequence[str] = (),
) -> bool:
    """Show a project whose output is up to date. Return True unless a sunset or a file's lock is broken."""
    _show(passed, args)
    say(*count_of_warnings(warnings), *notes)
    if not passed:
        say(f"clean: {count(tools, 'tool')}, {count(files, 'file')}")
    return not passed


def _show(found: Sequence[Diagnostic], args: argparse.Namespace) -> None:
    if found:
        from toolgen.cli.diagnostics import show

        show(found, args.start)
