"""Real processes that misbehave, and whether they are gone."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

NOTES = """\
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"])
open("pids", "w").write(f"{os.getpid()} {child.pid}")
"""
"""Start a child, and write down who there is, in the folder where it runs."""


def assert_gone(folder: Path) -> None:
    """The process that wrote `pids` in `folder`, and its child, are there no more."""
    left = [pid for pid in map(int, (folder / "pids").read_text().split()) if not _ends(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    if left:
        pytest.fail(f"left behind: {left}")


def _ends(pid: int) -> bool:
    for _ in range(100):
        if not _runs(pid):
            return True
        time.sleep(0.02)
    return False


def _runs(pid: int) -> bool:
    """One that has ended, and only waits for its parent to notice, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
