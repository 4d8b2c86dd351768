"""Lint the specs: what is valid, and still a fault. `toolgen explain RULE` has the page of each rule.

Exit 1 if there is an error, with --strict also for a warning; with a baseline for every finding that is not
in it. Levels are set in [lint] of toolgen.toml; a spec ignores a rule with a reason:

    x-lint: {ignore: {title-missing: no client shows it}}

Runs no code of the project. FILEs outside of a project are linted by themselves.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toolgen.base.suggestions import count
from toolgen.cli.diagnostics import emit_report, has_color
from toolgen.cli.linting import LintResult, lint_specs, read_baseline
from toolgen.cli.named_specs import project_root, read_files, select_specs
from toolgen.cli.output import emit, emit_json, say
from toolgen.cli.parser import add_format
from toolgen.cli.report.json import report_data
from toolgen.cli.report.text import render_entries
from toolgen.project import FILE, Project, UnableError, replace_files
from toolgen.project.building.project_build import Inputs, read_inputs
from toolgen.project.inputs.target_templates import targets_of

IS_SHORT = True


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", metavar="FILE", help="show the findings in these specs only")
    parser.add_argument("--strict", action="store_true", help="fail for warnings, too")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--fix", action="store_true", help="fix what is safe to fix; comments stay")
    group.add_argument(
        "--write-baseline",
        action="store_true",
        help="write the findings to a file: later, only new ones fail",
    )
    add_format(parser, of_report=True)


def run(args: argparse.Namespace) -> bool:
    subject = _subject(args)
    result = _lint(subject, args.strict)
    if args.fix and result.fixes:
        replace_files(subject.root, {f"{subject.prefix}{path}": text for path, text in result.fixes.items()})
        say(f"fixed: {count(len(result.fixes), 'file')}")
        subject = _subject(args)
        result = _lint(subject, args.strict)
    if args.write_baseline:
        replace_files(subject.root, {subject.inputs.project.lint.baseline: result.baseline})
        say(f"wrote {subject.inputs.project.lint.baseline}; commit it")
        return True
    _show(result, args, subject.root)
    return not result.report.failed


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is linted: a project, or files by themselves."""

    inputs: Inputs
    root: Path  # what paths are relative to
    only: Sequence[str]
    baseline: Counter[str] | None

    @property
    def prefix(self) -> str:
        """Return the part of the paths of specs before the specs folder."""
        specs = self.inputs.project.specs
        return f"{specs}/" if specs else ""


def _subject(args: argparse.Namespace) -> _Subject:
    """Return what is linted: a project, or files alone."""
    root = project_root(args.start)
    if root is None and args.files:
        if args.write_baseline:
            hint = "run it in a project, or in a new one: toolgen init"
            raise UnableError("usage", "a baseline belongs to a project, and there is none here", hint)
        named = read_files(args.start, args.files)
        project = Project(named.root, FILE, "", specs="")  # with all targets
        return _Subject(Inputs(project, named.texts, targets_of(project, {})), named.root, (), None)
    inputs = read_inputs(args.start)
    project = inputs.project
    shown = {f"{project.specs}/{path}".removeprefix("./") for path in inputs.specs}
    only = select_specs(project.root, args.start, args.files, project.specs, shown)
    return _Subject(inputs, project.root, only, None if args.write_baseline else read_baseline(project))


def _lint(subject: _Subject, strict: bool) -> LintResult:
    inputs = subject.inputs
    return lint_specs(
        inputs.specs,
        inputs.targets,
        inputs.settings,
        inputs.project.lint,
        baseline=subject.baseline,
        strict=strict,
        only=subject.only,
    )


def _show(result: LintResult, args: argparse.Namespace, root: Path) -> None:
    report = result.report
    if args.format == "json":
        emit_json(report_data(report))
        return
    if args.format != "text":
        emit_report(report, args.format, args.start, root)
        return
    shown = [entry for entry in report.entries if not entry.accepted]
    emit(*render_entries(shown, report.texts, color=has_color()).splitlines(), styled=True)
    say(*report.summary)
