"""Check the implementations of a project's tools, for `check --implementations`."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolgen.cli.child_process import events_of, how_it_ended, run_bounded
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.source import Span
from toolgen.files import read_named, write_named
from toolgen.project import Project, UnableError

_SECONDS = 30.0  # that importing one implementation may take
_TOTAL_SECONDS = 600.0  # seconds that all of them may take
_RESTARTS = 10  # implementations that may end the process before the check gives up

_HINTS = {
    "implementation-missing": "write the module, or set `enabled: false` in the spec",
    "orphaned-implementation": "remove it, or begin its name with `_` if it is a helper",
}


def check(project: Project, unlisted: Collection[str] = ()) -> list[Diagnostic]:
    """Return the faults of the project's implementations, by file and line.

    Runs the project's code, in a process of its own. `unlisted` are modules of tools that are not enabled.
    Raises UnableError if there is no generated code that can be imported, or no implementations setting.
    """
    if project.implementations is None:
        message = f"{project.file} has no `implementations` setting"
        raise UnableError("usage", f"--implementations: {message}", 'write implementations = "PACKAGE" in it')
    if not (project.root / project.output / "catalog.py").is_file():
        message = f"there is no generated code in {project.output}"
        raise UnableError("not-generated", message, "run `toolgen generate`")
    faults: dict[tuple[str, ...], dict[str, Any]] = {}
    skip: list[str] = []
    for _ in range(_RESTARTS):
        run = _run(project, skip, unlisted)
        for fault in run.faults:
            faults[fault["code"], fault["tool"], fault["message"]] = fault
        if run.done:
            return sorted((_diagnostic(project, fault) for fault in faults.values()), key=lambda d: d.span)
        fault = _crash_fault(run, project)
        faults[fault["code"], fault["tool"], fault["message"]] = fault
        if fault["tool"] == project.implementations:
            break
        skip.append(fault["tool"])
    found = sorted((_diagnostic(project, fault) for fault in faults.values()), key=lambda d: d.span)
    note = "the check stopped here: not all implementations were checked"
    last = found[-1]
    return [*found[:-1], Diagnostic(last.span, last.code, f"{last.message}; {note}", last.hint)]


@dataclass(slots=True)
class _Run:
    """The result of one child process."""

    code: int | None  # None: it took too long
    faults: list[dict[str, Any]] = field(default_factory=list)
    last: tuple[str, str] = ("", "")  # name and file of the implementation that it checked last
    done: bool = False
    hung_at: tuple[str, int] | None = None


def _run(project: Project, skip: Sequence[str], unlisted: Collection[str]) -> _Run:
    with tempfile.TemporaryDirectory(prefix="toolgen-") as folder:
        result, trace = Path(folder, "result.jsonl"), Path(folder, "trace")
        task = {
            "folder": str(project.import_root),
            "package": project.package,
            "skip": list(skip),
            "unlisted": sorted(unlisted),
            "seconds": _SECONDS,
        }
        write_named(result, json.dumps(task).encode() + b"\n")
        code = run_bounded(
            "toolgen.cli.checking.implementations_child",
            [str(result), str(trace)],
            folder=project.import_root,
            scratch=folder,
            seconds=_TOTAL_SECONDS,
        )
        run = _Run(code)
        events = list(events_of(read_named(result)))
        if trace.is_file():
            run.hung_at = _innermost_frame(read_named(trace).decode("utf-8", "replace"), project)
    for event in events:
        if "broken" in event:
            message = f"the generated code cannot be imported: {event['broken']}"
            raise UnableError("not-generated", message, "run `toolgen generate`")
        if "fault" in event:
            run.faults.append(event["fault"])
        if "started" in event:
            run.last = (event["started"][0], event["started"][1])
        run.done = run.done or "done" in event
    if not run.done and not run.last[0]:
        ended = "took too long" if run.code is None else f"ended{how_it_ended(run.code)}"
        raise UnableError("not-generated", f"importing the generated code {ended}", "run `toolgen generate`")
    return run


def _crash_fault(run: _Run, project: Project) -> dict[str, Any]:
    """Return the fault of the implementation that ended the child process."""
    name, file = run.last
    where = run.hung_at or (file, 1)
    subject = "the package" if name == project.implementations else "the implementation of"
    if run.hung_at is not None or run.code is None:
        message = f"importing {subject} {name} took longer than {_SECONDS:g} seconds"
    else:
        message = f"importing {subject} {name} ended the process{how_it_ended(run.code)}"
    return {
        "code": "implementation-import",
        "tool": name,
        "file": where[0],
        "line": where[1],
        "message": message,
        "detail": "",
    }


def _innermost_frame(trace: str, project: Project) -> tuple[str, int] | None:
    """Return file and line of the innermost frame in the project, from a traceback of faulthandler."""
    _, _, main = trace.rpartition("Thread ")
    root = os.path.join(os.path.realpath(project.root), "")
    for file, line in re.findall(r'File "([^"\n]+)", line (\d+)', main):
        if os.path.realpath(file).startswith(root):
            return file, int(line)
    return None


def _diagnostic(project: Project, fault: dict[str, Any]) -> Diagnostic:
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
    message = f"{fault['message']}: {fault['detail']}" if fault["detail"] else fault["message"]
    span = Span(shown, fault["line"], column, max(1, len(text.strip())))
    return Diagnostic(span, fault["code"], message, _HINTS.get(fault["code"], ""))
