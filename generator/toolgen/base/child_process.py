"""Run a module in a separate process, for a limited time. The process ends when its parent ends.

The child's stdin is a pipe to which the parent writes nothing. Any end of the parent closes it, SIGKILL
too: then the child removes the folder of temporary files, and ends with all processes that it started.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any


def run_bounded(
    module: str,
    arguments: Sequence[str],
    *,
    folder: Path,
    scratch: str,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> int | None:
    """Call `main(*arguments)` of a module in a process without input and output.

    Args:
        module: its dotted name.
        arguments: of its function `main`.
        folder: the working directory.
        scratch: the folder of temporary files, which the child removes if its parent has ended.
        seconds: after which it is killed.
        environment: is added to the variables of this process.
        meanwhile: is called about once a second.

    Returns:
        The exit code; None if the process took longer than `seconds`.
    """
    command = [sys.executable, "-P", "-B", "-m", "toolgen.base.child_process", scratch, module]
    with subprocess.Popen(
        [*command, *arguments],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        end = time.monotonic() + seconds
        try:
            while (left := end - time.monotonic()) > 0:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(min(1, left))
                meanwhile()
            return None
        finally:
            _end(process)


def events_of(result: bytes) -> Iterator[Any]:
    """Yield what a child has written into its file of results: a line of JSON each, after its task."""
    _, *lines = result.decode("utf-8", "replace").splitlines()
    for line in lines:
        with suppress(ValueError):  # the last line is cut off if the child was ended
            yield json.loads(line)


def how_it_ended(code: int) -> str:
    """Return ` (signal 11)` or ` (exit code 3)`."""
    return f" (signal {-code})" if code < 0 else f" (exit code {code})"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its process group."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _main(scratch: str, module: str, *arguments: str) -> None:
    """Run in the child."""
    parent = os.dup(0)  # not inherited by processes that the module starts
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=_end_with_parent, args=(parent, scratch), daemon=True).start()
    import_module(module).main(*arguments)


def _end_with_parent(parent: int, scratch: str) -> None:
    """Wait until the other end of the pipe `parent` is closed; then end this process and its children."""
    os.read(parent, 1)
    shutil.rmtree(scratch, ignore_errors=True)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    _main(*sys.argv[1:])
