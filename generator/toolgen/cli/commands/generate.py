"""Generate code from the specs. Files are written all together, or not at all if there is an error."""

from __future__ import annotations

import argparse
import gc
from collections.abc import Sequence
from dataclasses import asdict

from toolgen.base.suggestions import count
from toolgen.cli.output import count_of_warnings, emit, emit_json, say
from toolgen.cli.parser import add_flag, add_format
from toolgen.language.changes import WrittenFiles
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.project import Project, UnableError, read_project, replace_files
from toolgen.project.building.watch import project_changes
from toolgen.project.cache.entries import user_cache
from toolgen.project.cache.freshness import find_up_to_date
from toolgen.project.output.beside import find_outdated_schema, find_outdated_section

IS_SHORT = True


def arguments(parser: argparse.ArgumentParser) -> None:
    add_flag(parser, "--watch", "keep running, and generate after every change until ^C")
    add_format(parser)


def run(args: argparse.Namespace) -> bool:
    if not args.watch:
        return _generate(args)
    from toolgen.cli.diagnostics import show_error  # 13 ms, which no other run needs

    gc.enable()  # this may run for days
    for _ in project_changes(args.start):
        try:
            _generate(args)
        except (SpecErrors, UnableError) as error:
            show_error(error, args)
        say("watching for changes; ^C stops")
    return True


def _generate(args: argparse.Namespace) -> bool:
    read = read_project(args.start)
    find_outdated_section(read.project)  # before anything is written, it may be refused
    known = find_up_to_date(read) if args.format == "text" else None
    if known is not None:
        _renew_others(read.project)
        return _show(WrittenFiles(known.tools, unchanged=known.files), known.warnings, args)
    from toolgen.cli.progress import plan_output  # 400 ms: whatever compiles specs
    from toolgen.project.building.project_build import write_output

    plan = plan_output(read)
    done = write_output(plan)
    _renew_others(read.project)
    return _show(done, plan.warnings, args, plan.project.implementations)


def _renew_others(project: Project) -> None:
    """Write the file by which editors check specs, and the section for coding agents, if they are old."""
    change = find_outdated_schema(project, user_cache())
    if change is not None:
        replace_files(project.root, {change.path: change.after})
        say(f"renewed {change.path}, by which editors check specs")
    section = find_outdated_section(project)
    if section is not None:
        replace_files(project.root, {section.path: section.after})
        say(f"renewed the section of {section.path} for coding agents")
    say(*project.publish_notes, always=True)


def _show(
    done: WrittenFiles,
    warnings: Sequence[Diagnostic],
    args: argparse.Namespace,
    implementations: str | None = None,
) -> bool:
    if args.format == "json":
        from toolgen.cli.report.json import diagnostics_data  # 10 ms, which text does not need

        emit_json({**asdict(done), "warnings": diagnostics_data(warnings)})
        return True
    say(*count_of_warnings(len(warnings)))
    for path in done.replaced:
        package = implementations or "a package of your own"
        say(f"EDITED {path}: your changes were replaced; write subclasses in {package} instead", always=True)
    for path in done.kept:
        say(
            f"KEPT {path}: no longer generated, but edited; remove it when you no longer need it", always=True
        )
    written, removed = len(done.written), len(done.removed)
    parts = [count(done.tools, "tool"), f"{count(written, 'file')} written", f"{done.unchanged} unchanged"]
    emit(", ".join([*parts, f"{removed} removed"] if removed else parts))
    return True
