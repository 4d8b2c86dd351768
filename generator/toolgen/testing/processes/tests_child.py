"""The process in which `toolgen test` calls a project's implementations."""

from __future__ import annotations

import faulthandler
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from toolgen.testing.processes.child_run import from_data, report_events
from toolgen.testing.running.tool_run import RunOptions
from toolgen.testing.subjects.subject import Call, call_command
from toolgen.testing.tool_under_test import ToolUnderTest


@dataclass(frozen=True, slots=True)
class Task:
    """The job of the process."""

    folders: tuple[str, ...]  # put on `sys.path`
    package: str  # the generated one
    fixtures: str | None  # file
    tools: tuple[ToolUnderTest, ...]
    all_tools: tuple[ToolUnderTest, ...]  # of the project, without what is recorded of them
    options: RunOptions
    seconds: float  # that one call may take


def main(result: str, trace: str) -> None:
    """Run the task; the events are {"started": …}, {"call": …}, {"report": …}, {"broken": …}."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the handler of asyncio.run is slow
    report_events(result, trace, _run)


def _run(data: Any, hung: TextIOWrapper, write: Callable[..., None]) -> None:
    from toolgen.testing.running.runner import ToolRunner
    from toolgen.testing.subjects.fixtures import FixtureError, load_fixtures
    from toolgen.testing.subjects.toolkit_subject import ToolkitSubject

    task: Task = from_data(Task, data)
    sys.path[:0] = task.folders

    def watch() -> None:
        faulthandler.dump_traceback_later(task.seconds, exit=True, file=hung)

    watch()
    try:
        # Watched already: a module of the project may hang when it is imported.
        known = import_module(f"{task.package}.catalog").TOOLS
        fixtures = load_fixtures(task.package, Path(task.fixtures) if task.fixtures else None)
        for tool in task.tools:
            write(started=tool.name, call="")
            if tool.name not in known:
                write(broken=f"the generated code has no tool {tool.name}")
                return

            def before_call(call: Call, tool: ToolUnderTest = tool) -> None:
                watch()
                write(call=call_command(call, tool))

            subject = ToolkitSubject(fixtures, tool.scopes, before_call)
            write(report=asdict(ToolRunner(tool, subject, task.options, tools=task.all_tools).run()))
    except FixtureError as error:
        write(unusable=str(error))
