"""The process that imports a project's implementations for `check --implementations`.

`toolgen.cli.child_process` calls `main` in it, with two files. The task is JSON on the first
line of RESULT, the results follow as JSON lines: {"started": …}, {"fault": …}, {"done": true}.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import os
import sys
from importlib import import_module
from typing import Any


def main(result: str, trace: str) -> None:
    """Check the implementations; end the process with all threads that they started."""
    process = os.getpid()
    with open(result, "r+", encoding="utf-8") as lines, open(trace, "w") as hung:
        task: dict[str, Any] = json.loads(lines.readline())
        lines.seek(0, os.SEEK_END)

        def write(**line: Any) -> None:
            if os.getpid() == process:  # not in a process that a module forked
                lines.write(json.dumps(line) + "\n")
                lines.flush()

        def started(name: str, file: str) -> None:
            faulthandler.dump_traceback_later(task["seconds"], exit=True, file=hung)
            write(started=[name, file])

        sys.path.insert(0, task["folder"])
        try:
            catalog = import_module(f"{task['package']}.catalog")
        except Exception as error:
            write(broken=f"{type(error).__name__}: {error}")
        else:
            from toolgen.runtime.implementations.check import check_implementations

            found = check_implementations(
                catalog, skip=task["skip"], unlisted=task["unlisted"], started=started
            )
            for fault in found:
                write(fault=dataclasses.asdict(fault))
        write(done=True)
        os._exit(0)  # without waiting for threads and exit handlers of imported modules
