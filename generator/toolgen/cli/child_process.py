"""Run a command without input and output, for a limited time; end it with all processes it started."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def run_bounded(
    command: list[str], folder: Path, seconds: float, environment: Mapping[str, str] | None = None
) -> int | None:
    """Run a command in `folder`; return its exit code, or None if it took longer than `seconds`.

    `environment` is added to the variables of this process.
    """
    with subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)


def how_it_ended(code: int) -> str:
    """Return ` (signal 11)` or ` (exit code 3)`."""
    return f" (signal {-code})" if code < 0 else f" (exit code {code})"


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its process group."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
