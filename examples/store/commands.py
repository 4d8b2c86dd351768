"""Commands run in the workspace: no shell, little time, limited output, nothing left behind.

A command is found in the system's own folders, never by the caller's PATH; it gets an environment of four
variables and no input. It runs in a process group of its own, which is ended whole: when its time is up, when
it says too much, when the call is cancelled, and when it is done but has left somebody behind.

A command looks its paths up anew after they were checked. That is safe as long as nobody who is not trusted
can make links in the workspace meanwhile: its own tools cannot.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .command_rules import Rule, checked
from .workspace import Workspace, normal

SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
MAX_OUTPUT: Final = 60_000
"""Bytes of standard output and of standard error that are kept."""
_CHUNK: Final = 65_536
_GRACE: Final = (
    0.5  # seconds: between asking a group to end and ending it; for a pipe that outlives its command
)
_TICK: Final = 0.05  # seconds between looks at the clock


class NotAFolderError(Exception):
    """The place to run in is not a folder."""


class NotInstalledError(Exception):
    """This system does not have the command."""


class TooSlowError(Exception):
    """The command was stopped because its time was up."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a command wrote, and how it ended; `exit_code` is None where it wrote too much and was stopped."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes

    @property
    def truncated(self) -> bool:
        return self.exit_code is None


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs what `rules` allow below the workspace."""

    workspace: Workspace
    rules: Mapping[str, Rule]
    path: str = SYSTEM_PATH
    max_output: int = MAX_OUTPUT

    async def run(
        self, command: str, arguments: Sequence[str] = (), folder: str = ".", seconds: float = 10.0
    ) -> Output:
        """Run one command in `folder`.

        Raises NotAllowedError, NotAFolderError, NotInstalledError, TooSlowError, what the workspace raises.
        """
        folder = normal(folder)
        if self.workspace.kind(folder) != "folder":
            raise NotAFolderError(f"{folder} is not a folder.")
        argv = checked(self.rules, self.workspace, folder, command, arguments)
        program = shutil.which(command, path=self.path)
        if program is None:
            raise NotInstalledError(f"{command} is not installed here.")
        stop = threading.Event()
        job = _Job(
            program, [command, *argv], self.workspace.root / folder, self._environment(), self.max_output
        )
        running = asyncio.ensure_future(asyncio.to_thread(job.run, time.monotonic() + seconds, stop))
        try:
            output = await asyncio.shield(running)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([running])  # nothing is left behind when the caller hears of it
            raise
        if output is None:
            raise TooSlowError(f"{command} was stopped after {seconds:g} seconds.")
        return output

    def _environment(self) -> dict[str, str]:
        return {"PATH": self.path, "HOME": str(self.workspace.root), "LC_ALL": "C.UTF-8", "TERM": "dumb"}


@dataclass(frozen=True, slots=True)
class _Job:
    """One process, in the thread that waits for it."""

    program: str
    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    most: int

    def run(self, end: float, stop: threading.Event) -> Output | None:
        """What it wrote; None where it was stopped because its time was up or nobody waits any more."""
        with subprocess.Popen(
            self.argv,
            executable=self.program,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self.folder,
            env=dict(self.environment),
            start_new_session=True,
        ) as process:
            try:
                return self._gather(process, end, stop)
            finally:
                _end_group(process)

    def _gather(self, process: subprocess.Popen[bytes], end: float, stop: threading.Event) -> Output | None:
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = bytearray(), bytearray()
        gone: float | None = None
        with selectors.DefaultSelector() as pipes:
            pipes.register(process.stdout, selectors.EVENT_READ, out)
            pipes.register(process.stderr, selectors.EVENT_READ, err)
            while pipes.get_map() or gone is None:
                if stop.is_set() or time.monotonic() > end:
                    return None
                for key, _ in _ready(pipes):
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        pipes.unregister(key.fileobj)
                    key.data.extend(chunk)
                    if len(key.data) > self.most:
                        return Output(None, bytes(out[: self.most]), bytes(err[: self.most]))
                if gone is None and process.poll() is not None:
                    gone = time.monotonic()
                if gone is not None and time.monotonic() > gone + _GRACE:
                    break  # a child of the command keeps its pipe open
        return Output(process.returncode, bytes(out), bytes(err))


def _ready(pipes: selectors.BaseSelector) -> list[tuple[selectors.SelectorKey, int]]:
    if pipes.get_map():
        return pipes.select(_TICK)
    time.sleep(_TICK)  # both pipes are closed, and the command goes on
    return []


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group, politely, then not. It keeps its leader's id as long as a member lives."""
    _signal(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
