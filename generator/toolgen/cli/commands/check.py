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
from pathlib import Path
from typing import TYPE_CHECKING

from toolgen.base.suggestions import count
from toolgen.cli.exit_codes import ExitCode, exit_code
from toolgen.cli.output import command_line, count_of_warnings, say
from toolgen.cli.parser import add_flag, add_format
from toolgen.cli.today import passed_sunsets, today
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.project import UnableError, read_project
from toolgen.project.cache.entries import user_cache
from toolgen.project.cache.freshness import find_up_to_date
from toolgen.project.inputs.discovery import find_projects
from toolgen.project.output.beside import find_outdated_schema, find_outdated_section
from toolgen.sources.contracts_lock import find_vendored_changes

if TYPE_CHECKING:
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
    from toolgen.cli.diagnostics import show_error  # 13 ms, which one clean project need not wait for

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
    from toolgen.cli.diagnostics import emit_findings
    from toolgen.testing.upstreams import judge_upstreams  # of the extra `mcp`

    judged = judge_upstreams(read_project(args.start).project, today())
    is_clean = _check_code(args, judged)
    if args.format == "text":
        for each in judged:
            say(f"{each.server.label}: {emit_findings(each.judgement)}")
            if each.judgement.failed:
                say(f"if this is as it should be: {command_line(args, *each.sync)}")
                say(f"then review {each.lock}")
    return is_clean and not any(each.judgement.failed for each in judged)


def _check_code(args: argparse.Namespace, judged: Sequence[JudgedUpstream]) -> bool:
    """Check the generated code, and the implementations if that is wanted."""
    if not args.implementations:
        return _check_output(args, [], judged)
    from toolgen.cli.diagnostics import show
    from toolgen.project.building.project_build import read_inputs  # with all that compiles
    from toolgen.testing.processes.implementation_check import check_implementations

    found = check_implementations(read_inputs(args.start))
    is_clean = _check_output(args, found, judged)
    if args.format == "text":
        show(found, args.start)
        say(f"implementations: {count(len(found), 'fault') if found else 'clean'}")
    return is_clean and not found


def _check_output(
    args: argparse.Namespace, found: Sequence[Diagnostic], judged: Sequence[JudgedUpstream]
) -> bool:
    read = read_project(args.start)
    if any(b"x-upstream:" in each for each in read.specs.values()):
        from toolgen.sources.forwarded_modules import check_upstreams  # 100 ms, for few projects

        check_upstreams(read)
    vendored = find_vendored_changes(read)
    schema = find_outdated_schema(read.project, user_cache())
    others = [each for each in (schema, find_outdated_section(read.project)) if each]
    say(*read.project.publish_notes, always=True)
    known = find_up_to_date(read) if args.format == "text" and not others and not vendored else None
    if known is not None and not passed_sunsets(known.sunsets):
        say(*count_of_warnings(len(known.warnings)))
        say(f"clean: {count(known.tools, 'tool')}, {count(known.files, 'file')}")
        return True
    from toolgen.cli.compiled_check import check_compiled  # 400 ms: whatever compiles specs

    return check_compiled(args, read, others, vendored=vendored, found=found, judged=judged)
