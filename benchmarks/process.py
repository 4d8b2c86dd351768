"""Run a command, measure its time and memory, and check that it did the work."""

from __future__ import annotations

import os
import resource
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class Wrong(Exception):  # noqa: N818
    """A command did not do what its row measures."""


@dataclass(frozen=True, slots=True)
class Done:
    """One run. `memory` is in bytes; None if it was not measured or cannot be known."""

    seconds: float  # by the selected clock
    largest: int  # peak resident memory of the largest process, by getrusage
    memory: int | None  # peak of all its processes together, shared pages counted once (PSS)
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
    weigh: bool = False,
    one_core: bool = False,
) -> Done:
    """Run `command` to its end. `weigh` samples its memory, which slows it down, so its time is not used."""
    if one_core:
        command = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0))), *command]
    log = folder / ".bench-log"
    with log.open("w+b") as file:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )
        scale = Scale(process.pid) if weigh else None
        _, status, usage = os.wait4(process.pid, 0)
        seconds = elapsed(began, usage)
        process.returncode = os.waitstatus_to_exitcode(status)
        memory = scale.stop() if scale else None
        file.seek(0)
        text = file.read().decode("utf-8", "replace")
    log.unlink()
    if process.returncode != code:
        raise Wrong(f"{' '.join(command)} ended with {process.returncode}, not {code}:\n{text[-2000:]}")
    return Done(seconds, usage.ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024), memory, text)


def elapsed(began: float, usage: resource.struct_rusage) -> float:
    """Return seconds since `began` or, with `BENCH_CLOCK=cpu`, processor time including children.

    On a busy machine, processor time is more stable; it does not show idle cores.
    """
    if os.environ.get("BENCH_CLOCK") == "cpu":
        return usage.ru_utime + usage.ru_stime
    return time.perf_counter() - began


class Scale:
    """The peak memory of a process and its children, sampled every few milliseconds. Linux only."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peak = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> int | None:
        """Stop sampling; return bytes, or None if the system does not report them."""
        self._over.set()
        self._thread.join()
        return self._peak or None

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            self._peak = max(self._peak, sum(map(_proportional, _family(self._pid))))


def _family(pid: int) -> list[int]:
    found = [pid]
    for each in found:
        try:
            for task in os.listdir(f"/proc/{each}/task"):
                found += map(int, Path(f"/proc/{each}/task/{task}/children").read_text().split())
        except OSError:  # it has ended
            continue
    return found


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)
