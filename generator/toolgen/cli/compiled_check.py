"""Compile a project for `toolgen check`, compare the output with the files, and report the difference."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolgen.base.suggestions import count
from toolgen.cli.diagnostics import emit_report, show
from toolgen.cli.output import command_line, count_of_warnings, emit, emit_json, say
from toolgen.cli.progress import plan_output
from toolgen.cli.report.entry import output_report
from toolgen.cli.report.json import changes_data, diagnostics_data, findings_data
from toolgen.cli.report.text import lines_of_changes, lines_of_toolchain
from toolgen.cli.today import passed_sunsets
from toolgen.language.changes import Change
from toolgen.language.diagnostic import Diagnostic
from toolgen.project.building.project_build import compare_output
from toolgen.project.inputs.specs import ReadProject

if TYPE_CHECKING:
    from toolgen.testing.upstreams import JudgedUpstream


def check_compiled(
    args: argparse.Namespace,
    read: ReadProject,
    others: Sequence[Change],
    *,
    vendored: Sequence[Diagnostic],
    found: Sequence[Diagnostic],
    judged: Sequence[JudgedUpstream],
) -> bool:
    """Print the difference in the format of `args`. Return True if there is none.

    Args:
        others: Outdated files outside of the output folder.
        vendored: Errors of specs that differ from their contracts.lock.
        found: Errors of implementations.
        judged: Servers that tools are forwarded to.
    """
    plan = plan_output(read)
    diff = compare_output(plan)
    diff = replace(diff, changes=(*diff.changes, *others))
    passed = (*vendored, *passed_sunsets(plan.sunsets))
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
        emit_report(output_report(diff, [*passed, *found], plan.warnings), args.format, args.start)
        return is_clean
    show(passed, args.start)
    say(*count_of_warnings(len(plan.warnings)))
    if diff.clean:
        say(*(f"{line} (the output is the same)" for line in lines_of_toolchain(diff)))
        if is_clean:
            say(f"clean: {count(plan.tools, 'tool')}, {count(len(plan.tree), 'file')}")
    elif plan.existing.text is None and not plan.existing.files:
        emit(
            f"{count(len(read.specs), 'spec')} valid; not generated yet",
            f"to do it: {command_line(args, 'generate')}",
        )
    else:
        lines = lines_of_changes(diff, with_diff=not args.no_diff)
        emit(*lines, f"to fix it: {command_line(args, 'generate')}")
    return is_clean


def _upstreams_data(judged: Sequence[JudgedUpstream]) -> list[dict[str, Any]]:
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
