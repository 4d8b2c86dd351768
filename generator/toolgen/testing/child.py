"""The process in which `toolgen test` calls a project's implementations.

`toolgen.cli.child_process` calls `main` in it, with two files. The task is JSON on the first line of RESULT,
the results follow as JSON lines: {"started": …}, {"call": …}, {"report": …}, {"broken": …}, {"done": true}.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from toolgen.testing.results import ToolReport
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
    seed: str
    max_calls: int
    examples_only: bool
    all_calls: bool
    record: bool
    find_neighbours: bool
    seconds: float  # that one call may take

    def as_json(self) -> str:
        """Return it as one line of JSON."""
        data = {name: getattr(self, name) for name in self.__slots__}
        for name in ("tools", "all_tools"):
            data[name] = [each.as_data() for each in data[name]]
        return json.dumps(data)

    @staticmethod
    def of_json(line: str) -> Task:
        """Return the task of `as_json`."""
        data = json.loads(line)
        tools = {name: tuple(map(ToolUnderTest.of_data, data[name])) for name in ("tools", "all_tools")}
        return Task(**{**data, "folders": tuple(data["folders"]), **tools})


def main(result: str, trace: str) -> None:
    """Run the task; end the process with all threads that it started."""
    process = os.getpid()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the handler of asyncio.run is slow
    with open(result, "r+", encoding="utf-8") as lines, open(trace, "w") as hung:
        task = Task.of_json(lines.readline())
        lines.seek(0, os.SEEK_END)

        def write(**line: Any) -> None:
            if os.getpid() == process:  # not in a process that an implementation forked
                lines.write(json.dumps(line, default=repr) + "\n")
                lines.flush()

        try:
            _run(task, hung, write)
        except Exception as error:
            write(broken=f"{type(error).__name__}: {error}")
        write(done=True)
        os._exit(0)  # without waiting for threads and exit handlers of imported modules


def _run(task: Task, hung: TextIOWrapper, write: Callable[..., None]) -> None:
    from toolgen.testing.running.runner import ToolRunner
    from toolgen.testing.running.tool_run import RunOptions
    from toolgen.testing.subjects.fixtures import FixtureError, load_fixtures
    from toolgen.testing.subjects.toolkit_subject import ToolkitSubject

    sys.path[:0] = task.folders

    def watch() -> None:
        faulthandler.dump_traceback_later(task.seconds, exit=True, file=hung)

    watch()
    options = RunOptions(
        task.seed,
        task.max_calls,
        task.examples_only,
        task.all_calls,
        record=task.record,
        find_neighbours=task.find_neighbours,
    )
    try:
        known = import_module(f"{task.package}.catalog").TOOLS
        fixtures = load_fixtures(task.package, Path(task.fixtures) if task.fixtures else None)
        for tool in task.tools:
            write(started=tool.name)
            if tool.name not in known:
                write(broken=f"the generated code has no tool {tool.name}")
                return

            def before_call(call: Call, tool: ToolUnderTest = tool) -> None:
                watch()
                write(call=call_command(call, tool))

            subject = ToolkitSubject(fixtures, tool.scopes, before_call)
            report: ToolReport = ToolRunner(tool, subject, options, tools=task.all_tools).run()
            write(report=report.as_data())
    except FixtureError as error:
        write(unusable=str(error))
