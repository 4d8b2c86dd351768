"""Run a toolgen command in a process with limits of time and memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

SECONDS = 10.0  # of processor time
PATIENCE = 600.0  # of wall time, for busy machines
MEGABYTES = 512  # resident
ADDRESSES = 2 * 1024 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a command."""

    code: int
    out: str
    err: str
    seconds: float  # of processor time, its children's included
    megabytes: float  # resident, at most


def toolgen(*words: str, folder: Path, stdin: bytes | None = None) -> Done:
    """Run a toolgen command under the limits."""
    return run([sys.executable, "-m", "toolgen", *words], folder, stdin)


def run(
    command: Sequence[str],
    folder: Path,
    stdin: bytes | None = None,
    *,
    seconds: float = SECONDS,
    patience: float = PATIENCE,
) -> Done:
    """Run a command under the limits of memory, of `seconds` of processor time and `patience` of wall time."""
    environment = {**os.environ, "TOOLGEN_CACHE_DIR": str(folder / ".cache")}
    out, err = folder / ".out", folder / ".err"
    with out.open("wb") as to_out, err.open("wb") as to_err:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
            stdout=to_out,
            stderr=to_err,
            preexec_fn=partial(_limit, int(seconds) + 2),
        )
        if stdin is not None and process.stdin is not None:
            try:
                process.stdin.write(stdin)
                process.stdin.close()
            except BrokenPipeError:
                pass
        until = time.monotonic() + patience
        megabytes = 0.0
        while True:
            megabytes = max(megabytes, _resident(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > until:
                process.kill()
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Done(
        process.returncode,
        out.read_text(errors="replace"),
        err.read_text(errors="replace"),
        usage.ru_utime + usage.ru_stime,
        megabytes,
    )


def _resident(pid: int) -> float:
    """Return the peak memory of a process in megabytes; 0 if it cannot be read.

    `ru_maxrss` would count what this process had when it forked.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)


def _limit(seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
