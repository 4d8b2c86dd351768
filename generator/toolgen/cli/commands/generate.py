"""Generate code from the specs. Files are written all together, or not at all if there is an error."""

from __future__ import annotations

import argparse
from typing import Any

from toolgen.cli.building import build_action
from toolgen.cli.collector import paused_collector
from toolgen.cli.output import count, emit, emit_json, say
from toolgen.cli.parser import add_format

_NOTHING: dict[str, Any] = {"written": (), "removed": (), "replaced": (), "kept": ()}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--watch", action="store_true", help="keep running, and generate after every change until ^C"
    )
    add_format(parser)
    build_action.arguments(parser)


def run(args: argparse.Namespace) -> bool:
    if build_action.is_build_action(args):
        return build_action.run(args)
    if not args.watch:
        return _generate(args)
    from toolgen.cli.building.watch import watch
    from toolgen.cli.diagnostics import show_error

    watch(args.start, lambda: _generate(args), lambda error: show_error(error, args))
    return True


@paused_collector()
def _generate(args: argparse.Namespace) -> bool:
    from toolgen.project import find_up_to_date, read_project

    read = read_project(args.start)
    known = find_up_to_date(read) if args.format == "text" else None
    if known is not None:
        if known.warnings:
            from toolgen.cli import diagnostics

            diagnostics.show(known.warnings, args.start, as_json=False)
        emit(_summary({**_NOTHING, "tools": known.tools, "unchanged": known.files}))
        return True
    from toolgen.cli.building import project_build
    from toolgen.project import write

    plan = project_build.plan(read)
    write(plan.project, plan.changes, plan.manifest, plan.manifest_text)
    _report(plan, args)
    return True


def _report(plan: Any, args: argparse.Namespace) -> None:
    from toolgen.cli import diagnostics
    from toolgen.report.json import as_data

    done = _summarize(plan)
    if args.format == "json":
        emit_json({**done, "warnings": as_data(plan.warnings)})
        return
    if plan.warnings:
        diagnostics.show(plan.warnings, args.start, as_json=False)
    for path in done["replaced"]:
        package = plan.project.implementations or "a package of your own"
        say(f"EDITED {path}: your changes were replaced; write subclasses in {package} instead")
    for path in done["kept"]:
        say(f"KEPT {path}: no longer generated, but edited; remove it when you no longer need it")
    emit(_summary(done))


def _summarize(plan: Any) -> dict[str, Any]:
    """Return the written, removed, replaced and kept files. Paths are relative to the project."""
    from toolgen.data.changes import ChangeKind

    def paths(*kinds: ChangeKind, deleted: bool = False) -> list[str]:
        return [
            f"{plan.project.output}/{change.path}"
            for change in plan.changes
            if change.kind in kinds and (change.after is None) == deleted
        ]

    written = paths(ChangeKind.CHANGED, ChangeKind.MISSING, ChangeKind.EDITED)
    return {
        "tools": plan.tools,
        "written": written,
        "unchanged": len(plan.tree) - len(written),
        "removed": paths(ChangeKind.EXTRA, deleted=True),
        "replaced": paths(ChangeKind.EDITED),
        "kept": paths(ChangeKind.EDITED, deleted=True),
    }


def _summary(done: dict[str, Any]) -> str:
    written, unchanged, removed = len(done["written"]), done["unchanged"], len(done["removed"])
    parts = [count(done["tools"], "tool"), f"{count(written, 'file')} written", f"{unchanged} unchanged"]
    return ", ".join([*parts, f"{removed} removed"] if removed else parts)
