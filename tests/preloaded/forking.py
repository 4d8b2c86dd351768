"""Fork Python programs from a process that has imported what they need, for as long as stdin is open.

Each connection to its socket is from a `start.py`: it sends its streams, then the words, folder and environment of a program. It
receives the program's process id and, at the program's end, its exit code. If the connection ends first, the program is killed.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import runpy
import select
import signal
import socket
import sys
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from io import TextIOWrapper
from types import ModuleType
from typing import TextIO

LIBRARIES = (
    "anyio._backends._asyncio",
    "argparse",
    "difflib",
    "getpass",
    "jinja2.sandbox",
    "jsonschema",
    "jsonschema_rs",
    "mcp.client",
    "mcp.server.lowlevel",
    "mcp.server.streamable_http_manager",
    "platformdirs",
    "pygls.lsp.server",
    "pytest",
    "rich.console",
    "rich.logging",
    "ruff",
    "sqlite3",
    "sse_starlette",
    "tomllib",
    "uvicorn.lifespan.on",
    "uvicorn.loops.asyncio",
    "uvicorn.loops.auto",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
    "webauthn",
    "yaml.cyaml",
)
# Most of a command's start is the import of toolgen; that nothing relies on it, `test_preloaded.py` tests.
PRODUCT = (
    "toolgen.project.building.project_build",
    "toolgen.changes.comparing.against",
    "toolgen.changes.comparing.server_drift",
    "toolgen.cli.commands.call",
    "toolgen.cli.commands.check",
    "toolgen.cli.diagnostics",
    "toolgen.cli.generated_package",
    "toolgen.cli.parser",
    "toolgen.cli.report.text",
    "toolgen.runtime.adapters.anthropic",
    "toolgen.runtime.approval.approvals",
    "toolgen.runtime.background.tasks",
    "toolgen.runtime.default_toolkit",
    "toolgen.runtime.execution.call",
    "toolgen.serving.approval.listener",
    "toolgen.serving.command",
    "toolgen.serving.server",
    "toolgen.serving.transports.http_server",
    "toolgen.serving.transports.stdio",
    "toolgen.runtime.adapters.openai",
    "toolgen.testing.updated_files",
    "toolgen.testing.project_tests",
    "toolgen.testing.runner",
    "toolgen.upstream.gateway.forwarding",
)


def postpone_grammars() -> None:
    """Let `jsonschema` compile its grammars of IRIs, a second of processor time, when it first checks an IRI."""
    name = "rfc3987_syntax"

    def is_valid_syntax(*arguments: str) -> bool:
        if sys.modules.get(name) is postponed:
            del sys.modules[name]
        return bool(importlib.import_module(name).is_valid_syntax(*arguments))

    postponed = ModuleType(name)
    postponed.is_valid_syntax = is_valid_syntax  # type: ignore[attr-defined]
    sys.modules.setdefault(name, postponed)


@dataclass(frozen=True)
class Program:
    """A program to run, as its command line would."""

    words: list[str]
    folder: str
    environment: dict[str, str]
    streams: list[int]

    def run(self) -> None:
        """Run it in this process, to its SystemExit if it raises that."""
        os.environ.clear()
        os.environ.update(self.environment)
        for standard, stream in enumerate(self.streams):
            os.dup2(stream, standard)
            os.close(stream)
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # they know the kind of file
            setattr(sys, name, _reopened(getattr(sys, name), mode))
            setattr(sys, f"__{name}__", getattr(sys, name))
        os.chdir(self.folder)
        sys.orig_argv[:] = [sys.executable, *self.words]
        more = [path for path in self.environment.get("PYTHONPATH", "").split(os.pathsep) if path]
        if self.words[0] == "-c":
            sys.argv[:] = ["-c", *self.words[2:]]
            sys.path[:1] = ["", *more]
            sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(self.words[1], "<string>", "exec", dont_inherit=True), vars(sys.modules["__main__"]))
        elif self.words[0] == "-m":
            sys.argv[:] = self.words[1:]
            sys.path[:1] = [self.folder, *more]
            runpy.run_module(self.words[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv[:] = self.words
            sys.path[:1] = [os.path.dirname(os.path.abspath(self.words[0])), *more]
            runpy.run_path(self.words[0], run_name="__main__")


def end(code: int) -> None:
    """End the process as Python does, but leave the memory to the system: clean-up would copy all that forks share."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # Python reports it
    os._exit(code & 0xFF)


def _reopened(stream: TextIO, mode: str) -> TextIO:
    """Return a standard stream for what its descriptor now is, as Python opens it at its start."""
    number = stream.fileno()
    if number and os.environ.get("PYTHONUNBUFFERED"):
        binary = open(number, "wb", 0, closefd=False)  # noqa: SIM115
        return TextIOWrapper(binary, stream.encoding, stream.errors, write_through=True)  # type: ignore[arg-type]
    buffering = 1 if number == 2 or os.isatty(number) else -1
    return open(number, mode, buffering, stream.encoding, stream.errors, closefd=False)


def fork_programs(listening: socket.socket) -> Program | None:
    """Fork a process for each connection. Return the program to run in each of them, and None at the end of stdin."""
    waiting: dict[int, socket.socket] = {}  # by process
    ended, wake = socket.socketpair()
    wake.setblocking(False)
    signal.set_wakeup_fd(wake.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, *_ = select.select([0, listening, ended, *waiting.values()], [], [])
        if 0 in ready:
            return None
        if ended in ready:
            ended.recv(4096)
            _report_ends(waiting)
        for process in [process for process, each in waiting.items() if each in ready]:
            os.kill(process, signal.SIGKILL)  # its `start.py` was killed
            waiting.pop(process).close()
        if listening in ready:
            connection, _ = listening.accept()
            program = _receive(connection)
            process = os.fork()
            if not process:
                for each in (connection, listening, ended, wake, *waiting.values()):
                    each.close()
                return program
            for stream in program.streams:
                os.close(stream)
            waiting[process] = connection
            _send(connection, process)


def _receive(connection: socket.socket) -> Program:
    size, streams, *_ = socket.recv_fds(connection, 8, 3)
    request = connection.recv(int.from_bytes(size, "big"), socket.MSG_WAITALL)
    return Program(*marshal.loads(request), streams)


def _report_ends(waiting: dict[int, socket.socket]) -> None:
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not process:
            return
        if process in waiting:
            with waiting.pop(process) as connection:
                _send(connection, os.waitstatus_to_exitcode(status))


def _send(connection: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # it has gone
        connection.sendall(number.to_bytes(8, "big", signed=True))


def main() -> None:
    """Import the libraries, and fork programs."""
    postpone_grammars()
    for name in (*LIBRARIES, *PRODUCT):
        if find_spec(name.partition(".")[0]):  # the environment of `make test-bridges` has fewer
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # no fork looks at what it did not make, not even at its end, which would copy all the memory
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for the tests
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        program = fork_programs(listening)
    if program is not None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            program.run()
        except SystemExit as exiting:
            if not isinstance(exiting.code, int | None):
                raise  # Python prints it
            end(exiting.code or 0)
        end(0)


if __name__ == "__main__":
    main()
