"""Check the implementations of a project's tools, for `check --implementations`.

The implementations are imported in a process of its own, whose `main` is here, too.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from toolgen.base.child_process import how_it_ended
from toolgen.base.files import read_named
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.program import ProgramTool
from toolgen.language.source import Span
from toolgen.project import Project, UnableError
from toolgen.project.building.project_build import Inputs, program_of
from toolgen.testing.processes.child_run import ChildRun, innermost_frame, report_events, run_child
from toolgen.testing.project_tools import require_generated

_SECONDS = 30.0  # that importing one implementation may take
_TOTAL_SECONDS = 600.0  # seconds that all of them may take

_HINTS = {"implementation-missing": "write the module, or set `enabled: false` in the spec"}


def check_implementations(inputs: Inputs) -> list[Diagnostic]:
    """Return the faults of a project's implementations, by file and line, up to one that ends the process.

    Runs the project's code, in a process of its own. Raises UnableError if there is no generated code that
    can be imported, or no implementations setting.
    """
    project = inputs.project
    if project.implementations is None:
        message = f"{project.file} has no `implementations` setting"
        raise UnableError("usage", f"--implementations: {message}", 'write implementations = "PACKAGE" in it')
    require_generated(project)
    folder = project.import_root
    task = {
        "folder": str(folder),
        "package": project.package,
        "seconds": _SECONDS,
    }
    run = run_child(__name__, task, folder=folder, seconds=_TOTAL_SECONDS)
    for reason in run.all("broken"):
        message = f"the generated code cannot be imported: {reason}"
        raise UnableError("not-generated", message, "run `toolgen generate`")
    crashes = []
    if not run.all("done"):
        if not run.all("started"):
            ended = "took too long" if run.code is None else f"ended{how_it_ended(run.code)}"
            message = f"importing the generated code {ended}"
            raise UnableError("not-generated", message, "run `toolgen generate`")
        crashes = [_crash_fault(run, project)]
    faults = run.all("fault") + crashes
    tools = program_of(inputs).tools if any(each.get("injected") for each in faults) else ()
    return sorted((_diagnostic(project, each, tools) for each in faults), key=lambda d: d.span)


def _crash_fault(run: ChildRun, project: Project) -> dict[str, Any]:
    """Return the fault of the implementation that ended the child process."""
    name, file = run.last("started")
    note = "the check stopped here: not all implementations were checked"
    _, _, main_thread = run.trace.rpartition("Thread ")
    frame = innermost_frame(main_thread, project.root)
    where = frame or (file, 1)
    subject = "the package" if name == project.implementations else "the implementation of"
    if frame is not None or run.code is None:
        message = f"importing {subject} {name} took longer than {_SECONDS:g} seconds; {note}"
    else:
        message = f"importing {subject} {name} ended the process{how_it_ended(run.code)}; {note}"
    return {
        "code": "implementation-import",
        "tool": name,
        "file": where[0],
        "line": where[1],
        "message": message,
        "detail": "",
    }


def _diagnostic(project: Project, fault: dict[str, Any], tools: Sequence[ProgramTool]) -> Diagnostic:
    message = f"{fault['message']}: {fault['detail']}" if fault["detail"] else fault["message"]
    hint = fault.get("hint") or _HINTS.get(fault["code"], "")
    for tool in tools:
        for number, each in enumerate(tool.spec.inject):
            if (tool.spec.name, each.name) == (fault["tool"], fault.get("injected")):
                span = tool.source.value(("inject", number, "name"))
                return Diagnostic(span, fault["code"], message, hint)
    path = Path(os.path.abspath(fault["file"]))
    shown = path.as_posix()
    for root in (project.root, Path(os.path.realpath(project.root))):
        if path.is_relative_to(root):
            shown = path.relative_to(root).as_posix()
    try:
        text = read_named(path).decode("utf-8", "replace").splitlines()[fault["line"] - 1]
    except (OSError, IndexError):
        text = ""
    column = len(text) - len(text.lstrip()) + 1
    span = Span(shown, fault["line"], column, max(1, len(text.strip())))
    return Diagnostic(span, fault["code"], message, hint)


def main(result: str, trace: str) -> None:
    """Run in the child: the events are {"started": …}, {"fault": …}, {"broken": …}."""
    report_events(result, trace, _check)


def _check(task: Any, hung: TextIOWrapper, write: Callable[..., None]) -> None:
    def started(name: str, file: str) -> None:
        faulthandler.dump_traceback_later(task["seconds"], exit=True, file=hung)
        write(started=[name, file])

    sys.path.insert(0, task["folder"])
    catalog = import_module(f"{task['package']}.catalog")
    from toolgen.runtime.implementations.implementation_faults import check_implementations

    for fault in check_implementations(catalog, started=started):
        write(fault=dataclasses.asdict(fault))
