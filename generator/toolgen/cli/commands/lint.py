"""Lint the specs: what is valid, and still a fault. `toolgen explain RULE` has the page of each rule.

Exit 1 if there is an error, with --strict also for a warning, with --level info for any finding; with a
baseline for every error or warning that is not in it. Levels are set in [lint] of toolgen.toml; a spec
ignores a rule with a reason:

    x-lint: {ignore: {title-missing: no client shows it}}

Runs no code of the project.
"""

from __future__ import annotations

import argparse

from toolgen.base.suggestions import count
from toolgen.cli.diagnostics import emit_report, has_color
from toolgen.cli.linting import LintResult, lint_specs, read_baseline
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_choice, add_flag, add_format
from toolgen.cli.report.json import report_data
from toolgen.cli.report.text import render_entries
from toolgen.language.lint.settings import LEVELS
from toolgen.project import replace_files
from toolgen.project.building.project_build import Inputs, read_inputs
from toolgen.project.inputs.specs import select_specs

IS_SHORT = True
WORK = "linting the specs"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="show the findings in these specs only")
    add_choice(parser, "--level", LEVELS[:3], "the level from which findings fail", default="error")
    parser.add_argument("--strict", action="store_const", const="warning", dest="level", help="warnings fail")
    group = parser.add_mutually_exclusive_group()
    add_flag(group, "--fix", "fix what is safe to fix; comments stay")
    add_flag(group, "--write-baseline", "write the findings to a file: later, only new ones fail")
    add_format(parser, of_report=True)


def run(args: argparse.Namespace) -> bool:
    inputs = read_inputs(args.start)
    project = inputs.project
    result = _lint(inputs, args)
    if args.fix and result.fixes:
        replace_files(project.root, {f"{project.specs}/{path}": text for path, text in result.fixes.items()})
        say(f"fixed: {count(len(result.fixes), 'file')}")
        result = _lint(read_inputs(args.start), args)
    if args.write_baseline:
        replace_files(project.root, {project.lint.baseline: result.baseline})
        say(f"wrote {project.lint.baseline}; commit it")
        return True
    _show(result, args)
    return not result.report.failed


def _lint(inputs: Inputs, args: argparse.Namespace) -> LintResult:
    project = inputs.project
    known = {f"{project.specs}/{path}".removeprefix("./") for path in inputs.specs}
    return lint_specs(
        inputs.specs,
        inputs.targets,
        inputs.settings,
        project.lint,
        baseline=None if args.write_baseline else read_baseline(project),
        fails=LEVELS[: LEVELS.index(args.level) + 1],
        only=select_specs(project, args.start, args.files, known),
    )


def _show(result: LintResult, args: argparse.Namespace) -> None:
    report = result.report
    if args.format == "json":
        emit_json(report_data(report))
        return
    if args.format != "text":
        emit_report(report, args.format, args.start)
        return
    shown = [entry for entry in report.entries if not entry.accepted]
    emit(*render_entries(shown, report.texts, color=has_color()).splitlines(), styled=True)
    say(*report.summary)
