"""A child process that runs code of a project: its task, and the events that it reports.

The task is the first line of a file, to which the child adds its events as lines of JSON, {"done": true} at
the end. A second file gets the traceback of a call or an import that hangs.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from toolgen.base import MIB
from toolgen.base.child_process import events_of, run_bounded
from toolgen.base.files import make_named, read_named, write_named
from toolgen.schema.document import JsonObject

MAX_RESULT: Final = 1024 * MIB  # bytes of all events


@dataclass(frozen=True, slots=True)
class ChildRun:
    """The result of one child process."""

    code: int | None  # None: it took too long
    events: list[Any]
    trace: str  # of what hangs

    def all(self, name: str) -> list[Any]:
        """Return what the events of this name report."""
        return [event[name] for event in self.events if name in event]

    def last(self, name: str) -> Any:
        """Return what the last event of this name reports; None if there is none."""
        return next(reversed(self.all(name)), None)


def run_child(
    module: str,
    task: JsonObject,
    *,
    folder: Path,
    seconds: float,
    on_event: Callable[[Any], None] = lambda event: None,
) -> ChildRun:
    """Run a module, whose `main` calls `report_events`, in the folder. `on_event` gets each event."""
    with tempfile.TemporaryDirectory(prefix="toolgen-") as scratch:
        result, trace, own = (Path(scratch, name) for name in ("result.jsonl", "trace", "tmp"))
        write_named(result, json.dumps(task).encode() + b"\n")
        make_named(own)
        with open(result, "rb") as lines:
            lines.readline()
            rest = b""

            def follow() -> None:
                nonlocal rest
                *whole, rest = (rest + lines.read()).split(b"\n")  # the last line may be incomplete
                for line in whole:
                    on_event(json.loads(line))

            code = run_bounded(
                module,
                [str(result), str(trace)],
                folder=folder,
                scratch=scratch,
                seconds=seconds,
                environment={"TMPDIR": str(own)},  # so that nothing is left in the user's
                meanwhile=follow,
            )
        events = list(events_of(read_named(result, limit=MAX_RESULT)))
        return ChildRun(code, events, read_named(trace).decode("utf-8", "replace") if trace.is_file() else "")


def report_events(
    result: str, trace: str, work: Callable[[Any, TextIOWrapper, Callable[..., None]], None]
) -> None:
    """Run in the child: call `work(task, hung, write)`; end the process with all threads that it started."""
    process = os.getpid()
    with open(result, "r+", encoding="utf-8") as lines, open(trace, "w") as hung:
        task = json.loads(lines.readline())
        lines.seek(0, os.SEEK_END)

        def write(**line: Any) -> None:
            if os.getpid() == process:  # not in a process that code of the project forked
                lines.write(json.dumps(line, default=repr) + "\n")
                lines.flush()

        try:
            work(task, hung, write)
        except Exception as error:
            write(broken=f"{type(error).__name__}: {error}")
        write(done=True)
        os._exit(0)  # without waiting for threads and exit handlers of imported modules


def innermost_frame(trace: str, root: Path) -> tuple[str, int] | None:
    """Return file and line of the innermost frame in a project, from a traceback of faulthandler."""
    below = os.path.join(os.path.realpath(root), "")
    for file, line in re.findall(r'File "([^"\n]+)", line (\d+)', trace):
        real = os.path.realpath(file)
        if real.startswith(below) and "site-packages" not in real:
            return real, int(line)
    return None
