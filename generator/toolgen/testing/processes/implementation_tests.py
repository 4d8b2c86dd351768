"""Run the tests of a project's implementations in a process of its own, for `toolgen test`.

An implementation that ends the process, or hangs, has failed; the others are tested in a new process.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from toolgen.base.child_process import how_it_ended
from toolgen.language.diagnostic import Progress
from toolgen.project import Project, UnableError
from toolgen.testing.processes.child_run import ChildRun, innermost_frame, report_events, run_child
from toolgen.testing.project_tools import fixtures_file, require_generated
from toolgen.testing.results import Failure, ToolReport
from toolgen.testing.runner import RunOptions
from toolgen.testing.subject import Call, call_command
from toolgen.testing.tool_under_test import ToolUnderTest

CALL_SECONDS = 30.0  # that a call of a tool without `timeout` may take
LATE_SECONDS = 10.0  # after its `timeout`, until a call counts as hanging
TOTAL_SECONDS = 540.0  # that the tests of one tool may take
_REPORT: Final = TypeAdapter(ToolReport)


@dataclass(frozen=True, slots=True)
class Task:
    """The job of the process."""

    folders: tuple[str, ...]  # put on `sys.path`
    package: str  # the generated one
    fixtures: str | None  # file
    tools: tuple[ToolUnderTest, ...]
    others: tuple[ToolUnderTest, ...]  # of the project, whose examples show values
    options: RunOptions
    seconds: float  # that one call may take


def test_implementations(
    project: Project,
    tools: Sequence[ToolUnderTest],
    options: RunOptions,
    *,
    others: Sequence[ToolUnderTest],
    progress: Progress,
) -> list[ToolReport]:
    """Return the report of each tool; `others` of the project supply values, and are read after writes.

    `progress` is called about once a second.

    Raises UnableError if there is no generated code, or no fixtures.
    """
    fixtures = fixtures_file(project)
    require_generated(project)
    reports: dict[str, ToolReport] = {}
    left, show = list(tools), _shown_with(progress, len(tools))
    while left:
        task = Task(
            folders=(str(project.import_root), str(project.root)),
            package=project.package,
            fixtures=None if fixtures is None else str(fixtures),
            tools=tuple(left),
            others=tuple(others),
            options=options,
            seconds=max([CALL_SECONDS, *((tool.timeout or 0) + LATE_SECONDS for tool in left)]),
        )
        run = _run(project, task, show)
        reports |= {each.tool: each for each in map(_REPORT.validate_python, run.all("report"))}
        left = [tool for tool in left if tool.name not in reports]
        # Whatever ended the process did so in the tests of the tool that was begun last.
        if left and run.last("started") == left[0].name:
            first, *left = left
            reports[first.name] = _crash_report(first, run, project)
        elif left:
            ended = " in a timeout" if run.code is None else how_it_ended(run.code)
            raise UnableError("not-generated", f"importing the generated code ended{ended}")
    return [reports[tool.name] for tool in tools]


def _shown_with(progress: Progress, total: int) -> Callable[[Any], None]:
    """Return a function of events that shows which tool is tested, and the fixture that is waited for."""
    tool, done = "", 0

    def show(event: Any) -> None:
        nonlocal tool, done
        tool, done = event.get("started", tool), done + ("report" in event)
        where = f", in {event['fixture']}" if "fixture" in event else ""
        progress(f"testing {tool}{where}", done, total)

    return show


def _run(project: Project, task: Task, on_event: Callable[[Any], None]) -> ChildRun:
    seconds = TOTAL_SECONDS * len(task.tools)
    run = run_child(__name__, asdict(task), folder=project.root, seconds=seconds, on_event=on_event)
    for message in run.all("unusable"):
        raise UnableError("bad-fixtures", message)
    if (why := run.last("broken")) and not run.all("started"):
        about = f"the generated code cannot be used: {why}"
        raise UnableError("not-generated", about, "run `toolgen generate`")
    return run


def _crash_report(tool: ToolUnderTest, run: ChildRun, project: Project) -> ToolReport:
    """Return the report of a tool that ended its process or was ended because it hung."""
    if broken := run.last("broken"):  # it stopped the event loop, say
        message = f"its tests ended with {broken}"
    elif run.trace:
        frame = innermost_frame(run.trace, project.root)
        place = f" in {os.path.relpath(frame[0], os.path.realpath(project.root))}:{frame[1]}" if frame else ""
        message = f"a call hangs{place}"
    elif run.code is None:
        message = f"its tests took longer than {TOTAL_SECONDS:g} seconds"
    else:
        message = f"the implementation ended the process{how_it_ended(run.code)}"
    failure = Failure("crash", message, tool.place, run.last("call"))
    return ToolReport(tool.name, examples=len(tool.examples), failures=(failure,))


def main(result: str, trace: str) -> None:
    """Run in the child: the events are {"started": …}, {"call": …}, {"report": …}, {"broken": …}."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the handler of asyncio.run is slow
    report_events(result, trace, _run_task)


def _run_task(data: Any, hung: TextIOWrapper, write: Callable[..., None]) -> None:
    from toolgen.testing.runner import ToolRunner
    from toolgen.testing.toolkit_subject import FixtureError, ToolkitSubject, load_fixtures

    task = TypeAdapter(Task).validate_python(data)
    sys.path[:0] = task.folders

    def watch() -> None:
        faulthandler.dump_traceback_later(task.seconds, exit=True, file=hung)

    def before_fixture(name: str) -> None:
        watch()
        write(fixture=name)

    watch()
    try:
        # Watched already: a module of the project may hang when it is imported.
        catalog = import_module(f"{task.package}.catalog")
        fixtures = load_fixtures(task.package, Path(task.fixtures) if task.fixtures else None, before_fixture)
        for tool in task.tools:  # before any test, since stale code is no tool's fault
            if tool.name not in catalog.TOOLS:
                write(broken=f"the generated code has no tool {tool.name}")
                return
            catalog.tool_class(tool.name)
        for tool in task.tools:
            write(started=tool.name, call="")

            def before_call(call: Call, tool: ToolUnderTest = tool) -> None:
                watch()
                write(call=call_command(call, tool))

            subject = ToolkitSubject(fixtures, tool.scopes, before_call, has_people=tool.needs_people)
            started, before = time.monotonic(), sum(fixtures.seconds)
            report = ToolRunner(tool, subject, task.options, tools=task.others).run()
            seconds, in_fixtures = time.monotonic() - started, sum(fixtures.seconds) - before
            write(report=asdict(replace(report, seconds=seconds, fixture_seconds=in_fixtures)))
    except FixtureError as error:
        write(unusable=str(error))
