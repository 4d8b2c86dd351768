"""Run the tests of a project's implementations in a process of its own, for `toolgen test`.

An implementation that ends the process, or hangs, has failed; the others are tested in a new process.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from toolgen.cli.child_process import events_of, how_it_ended, run_bounded
from toolgen.files import make_named, read_named, write_named
from toolgen.project import Project, UnableError
from toolgen.testing.child import Task
from toolgen.testing.project_tools import fixtures_file
from toolgen.testing.results import Failure, ToolReport
from toolgen.testing.running.tool_run import RunOptions
from toolgen.testing.tool_under_test import ToolUnderTest

CALL_SECONDS = 30.0  # that a call of a tool without `timeout` may take
LATE_SECONDS = 10.0  # after its `timeout`, until a call counts as hanging
MAX_RESULT = 1024**3  # bytes of all reports
TOTAL_SECONDS = 540.0  # that the tests of one tool may take


def test_implementations(
    project: Project,
    tools: Sequence[ToolUnderTest],
    options: RunOptions,
    *,
    all_tools: Sequence[ToolUnderTest],
) -> list[ToolReport]:
    """Return the report of each tool; `all_tools` are those of the project.

    Raises UnableError if there is no generated code, or no fixtures.
    """
    fixtures = fixtures_file(project)
    if not (project.root / project.output / "catalog.py").is_file():
        message = f"there is no generated code in {project.output}"
        raise UnableError("not-generated", message, "run `toolgen generate`")
    reports: dict[str, ToolReport] = {}
    left = list(tools)
    while left:
        task = replace(_task(project, fixtures, left, options), all_tools=tuple(all_tools))
        run = _run(project, task)
        for report in run.reports:
            reports[report.tool] = report
        left = [tool for tool in left if tool.name not in reports]
        if left and run.started == left[0].name:
            reports[run.started] = _crash_report(left.pop(0), run, project)
        elif left:
            raise UnableError("not-generated", f"importing the generated code ended{_ending(run.code)}")
    return [reports[tool.name] for tool in tools]


@dataclass(slots=True)
class _Run:
    """The result of one child process."""

    code: int | None  # None: it took too long
    reports: list[ToolReport] = field(default_factory=list)
    started: str = ""  # the tool that was tested last
    call: str = ""  # the command of its last call
    trace: str = ""  # of a call that hangs


def _task(
    project: Project, fixtures: Path | None, tools: Sequence[ToolUnderTest], options: RunOptions
) -> Task:
    return Task(
        folders=(str(project.import_root), str(project.root)),
        package=project.package,
        fixtures=None if fixtures is None else str(fixtures),
        tools=tuple(tools),
        all_tools=(),
        seed=options.seed,
        max_calls=options.max_calls,
        examples_only=options.examples_only,
        all_calls=options.all_calls,
        record=options.record,
        find_neighbours=options.find_neighbours,
        seconds=max([CALL_SECONDS, *((tool.timeout or 0) + LATE_SECONDS for tool in tools)]),
    )


def _run(project: Project, task: Task) -> _Run:
    with tempfile.TemporaryDirectory(prefix="toolgen-") as folder:
        result, trace = Path(folder, "result.jsonl"), Path(folder, "trace")
        write_named(result, task.as_json().encode() + b"\n")
        make_named(Path(folder, "tmp"))
        code = run_bounded(
            "toolgen.testing.child",
            [str(result), str(trace)],
            folder=project.root,
            scratch=folder,
            seconds=TOTAL_SECONDS * len(task.tools),
            environment={"TMPDIR": str(Path(folder, "tmp"))},  # so that nothing is left in the user's
        )
        run = _Run(code)
        events = list(events_of(read_named(result, limit=MAX_RESULT)))
        run.trace = read_named(trace).decode("utf-8", "replace") if trace.is_file() else ""
    for event in events:
        if "unusable" in event:
            raise UnableError("bad-fixtures", event["unusable"])
        if "broken" in event:
            message = f"the generated code cannot be used: {event['broken']}"
            raise UnableError("not-generated", message, "run `toolgen generate`")
        if "report" in event:
            run.reports.append(ToolReport.of_data(event["report"]))
        if "started" in event:
            run.started, run.call = event["started"], ""
        run.call = event.get("call", run.call)
    return run


def _crash_report(tool: ToolUnderTest, run: _Run, project: Project) -> ToolReport:
    """Return the report of a tool that ended its process or was ended because it hung."""
    place = _innermost_frame(run.trace, project)
    if run.trace:
        message = f"a call hangs{place}"
    elif run.code is None:
        message = f"its tests took longer than {TOTAL_SECONDS:g} seconds"
    else:
        message = f"the implementation ended the process{how_it_ended(run.code)}"
    failure = Failure("crash", message, tool.place, run.call)
    return ToolReport(tool.name, examples=len(tool.examples), failures=[failure])


def _innermost_frame(trace: str, project: Project) -> str:
    """Return the innermost place in the project's code, from a traceback of faulthandler."""
    root = os.path.join(os.path.realpath(project.root), "")
    for file, line in re.findall(r'File "([^"\n]+)", line (\d+)', trace):
        real = os.path.realpath(file)
        if real.startswith(root) and "site-packages" not in real:
            return f" in {os.path.relpath(real, root)}:{line}"
    return ""


def _ending(code: int | None) -> str:
    return " in a timeout" if code is None else how_it_ended(code)
