"""Run a command, measure its time, and check that it did the work."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class Wrong(Exception):  # noqa: N818
    """A command did not do what its row measures."""


@dataclass(frozen=True, slots=True)
class Done:
    """One run."""

    seconds: float  # by the selected clock
    text: str  # stdout and stderr


def environment(project: Path, **more: str) -> dict[str, str]:
    """Return an environment without the caller's settings that affect measurements; byte-code is used."""
    kept = {
        key: os.environ[key] for key in ("HOME", "LANG", "PATH", "TMPDIR", "SYSTEMROOT") if key in os.environ
    }
    return {**kept, "PYTHONPATH": str(project), **more}


def run(
    command: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    *,
    code: int = 0,
) -> Done:
    """Run `command` to its end. Raises `Wrong` unless it ends with `code`."""
    log = folder / ".bench-log"
    with log.open("w+b") as file:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = elapsed(began, usage)
        process.returncode = os.waitstatus_to_exitcode(status)
        file.seek(0)
        text = file.read().decode("utf-8", "replace")
    log.unlink()
    if process.returncode != code:
        raise Wrong(f"{' '.join(command)} ended with {process.returncode}, not {code}:\n{text[-2000:]}")
    return Done(seconds, text)


def elapsed(began: float, usage: resource.struct_rusage) -> float:
    """Return seconds since `began` or, with `BENCH_CLOCK=cpu`, processor time including children.

    On a busy machine, processor time is more stable; it does not show idle cores.
    """
    if os.environ.get("BENCH_CLOCK") == "cpu":
        return usage.ru_utime + usage.ru_stime
    return time.perf_counter() - began
