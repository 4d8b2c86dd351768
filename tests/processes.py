"""Limit how long tests wait, and check whether processes that they start have ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE = 120
"""Seconds that a test waits for what takes a fraction of one: how busy the machine is must not decide a test."""
NOTES = """\
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(240)"])
with open("pids.new", "w") as file:
    file.write(f"{os.getpid()} {child.pid}")
os.rename("pids.new", "pids")
"""
"""The start of a script: start a child, and write the ids of both to `pids` in the working directory.

The child sleeps for longer than `is_gone` waits for its end.
"""


@contextmanager
def time_limit(seconds: float, again: float = 10) -> Iterator[None]:
    """Fail at the line that runs or waits when `seconds` have passed: a read of a pipe, a join, a test itself.

    On Windows, which has no such timers, nothing is limited.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    def fail(*_: object) -> None:
        pytest.fail(f"not done after {seconds:g} seconds")

    handler = signal.signal(signal.SIGALRM, fail)
    # Again and again, because what cleans up may wait, too: `with Popen(…)` does until its process has ended.
    outer = signal.setitimer(signal.ITIMER_REAL, seconds, again)
    # Code in C that does not return to Python never sees that signal. This one ends the process: pytest-xdist
    # says which test it was, and starts another worker.
    outer_processor = signal.setitimer(signal.ITIMER_PROF, 2 * seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, *outer_processor)
        signal.setitimer(signal.ITIMER_REAL, *outer)
        signal.signal(signal.SIGALRM, handler)


def assert_gone(folder: Path) -> None:
    """Fail unless the process that wrote `pids` in `folder` and its child end."""
    left = [pid for pid in map(int, (folder / "pids").read_text().split()) if not is_gone(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    if left:
        pytest.fail(f"left behind: {left}")


def is_gone(pid: int) -> bool:
    """True if the process ends within the time that the tests wait."""
    until = time.monotonic() + PATIENCE
    while _runs(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _runs(pid: int) -> bool:
    """True unless the process has ended; one that waits for its parent to notice (a zombie) has ended."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def outputs_of_processes(code: str, *seeds: int) -> set[bytes]:
    """Return what Python prints with other orders of sets."""
    return {
        subprocess.check_output([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": str(seed)})
        for seed in seeds
    }


def assert_processor_time(seconds: float, limit: float) -> None:
    """Fail above a limit of processor time, in `make test-bombs`, which has the machine for itself.

    Elsewhere, only the limit of each test ends it: what other processes do would decide.
    """
    assert seconds < limit or "TOOLGEN_TIMED" not in os.environ, f"{seconds:.1f} s of processor time"


@contextmanager
def processor_limit(seconds: float) -> Iterator[None]:
    """Fail, as `assert_processor_time` does, if the block takes more processor time."""
    began = time.process_time()
    yield
    assert_processor_time(time.process_time() - began, seconds)
