"""Run commands in the workspace: no shell, a time limit, limited output, no process left behind.

A command is found in the system's own folders, never by the caller's PATH; it gets an environment of four
variables and no input. It runs in its own process group, which is ended as a whole if its time is up, if its
output is too large, if the call is cancelled, and if it has finished but left a process behind.

A command resolves its paths again after they were checked. That is safe as long as nobody untrusted can
create links in the workspace meanwhile; the gallery's tools cannot.
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
"""Maximum number of bytes that are read from standard output, and from standard error."""
_CHUNK: Final = 65_536
_GRACE: Final = (
    0.5  # seconds: between asking a group to end and ending it; for a pipe that outlives its command
)
_TICK: Final = 0.05  # seconds between looks at the clock


class NotAFolderError(Exception):
    """The working directory is not a folder."""


class NotInstalledError(Exception):
    """This system does not have the command."""


class TooSlowError(Exception):
    """The command was stopped because its time was up."""


@dataclass(frozen=True, slots=True)
class Output:
    """Output and exit code of a command; `exit_code` is None if it wrote too much and was stopped."""

    exit_code: int | None
    stdout: bytes
    stderr: bytes

    @property
    def truncated(self) -> bool:
        return self.exit_code is None


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs commands that `rules` allow in a workspace."""

    workspace: Workspace
    rules: Mapping[str, Rule]
    path: str = SYSTEM_PATH
    max_output: int = MAX_OUTPUT

    async def run(self, command: str, arguments: Sequence[str], folder: str, seconds: float) -> Output:
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
            await asyncio.wait([running])  # no process is left behind when the call returns
            raise
        if output is None:
            raise TooSlowError(f"{command} was stopped after {seconds:g} seconds.")
        return output

    def _environment(self) -> dict[str, str]:
        return {"PATH": self.path, "HOME": str(self.workspace.root), "LC_ALL": "C.UTF-8", "TERM": "dumb"}


@dataclass(frozen=True, slots=True)
class _Job:
    """A process, and the thread that waits for it."""

    program: str
    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    most: int

    def run(self, end: float, stop: threading.Event) -> Output | None:
        """Return the output; None if the process was stopped because of its time limit or a cancellation."""
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
                    break  # a child of the command holds the pipe open
        return Output(process.returncode, bytes(out), bytes(err))


def _ready(pipes: selectors.BaseSelector) -> list[tuple[selectors.SelectorKey, int]]:
    if pipes.get_map():
        return pipes.select(_TICK)
    time.sleep(_TICK)  # both pipes are closed, but the command still runs
    return []


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the process group: SIGTERM, then SIGKILL. The group's id is valid as long as a member lives."""
    _signal(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
    _signal(process, signal.SIGKILL)


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
