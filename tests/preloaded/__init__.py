"""Start Python programs with the libraries and toolgen already imported.

Nine tenths of the start of a server or a command are imports, and the suite starts hundreds of them.
`python_command` returns a command that starts a program like `python` does: in a process of its own, with its folder, environment,
streams, signals and exit code. That process is forked from one that has imported third-party libraries, and most of toolgen
(`forking.py`). The command itself, `start.py`, hands over its streams, passes SIGINT and SIGTERM on, and ends as the program ends; only
the process id is another. Tests of imports, and of processes that are killed, start `sys.executable`.
"""

from __future__ import annotations

import atexit
import os
import select
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path

HERE = Path(__file__).parent
READ_AT_START = (
    "PYTHON",
    "LC_",
    "LANG",
    "LD_",
    "MALLOC_",
    "OTEL_",
)  # prefixes of variables that a running Python ignores
READ_BY_FORKS = ("PYTHONPATH", "PYTHONUNBUFFERED")
_given: dict[int, str] = {}  # addresses by process


def python_command(environment: Mapping[str, str]) -> list[str]:
    """Return the words in front of `-m module …`, `-c code …` or `script.py …`.

    They are the path of the interpreter alone where processes cannot be forked, or if `environment` has other settings for the start of
    an interpreter than this process.
    """
    if not hasattr(os, "fork") or _settings(environment) != _settings(os.environ):
        return [sys.executable]
    return [sys.executable, "-I", "-S", str(HERE / "start.py"), address(os.getpid())]


@cache
def programs() -> str:
    """Return a folder for PATH with `toolgen` and `python`, which start as `python_command` does."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    for name, words in (("python", ""), ("toolgen", " -m toolgen")):
        file = Path(folder.name, name)
        file.write_text(f'#!/bin/sh\nexec {shlex.join(python_command(os.environ))}{words} "$@"\n')
        file.chmod(0o755)
    return os.pathsep.join([folder.name, str(Path(sys.executable).parent)])


def _settings(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(READ_AT_START) and name not in READ_BY_FORKS
    }


@cache
def address(parent: int) -> str:
    """Return the path of a socket at which programs are forked. `parent`: a fork of the tests has its own.

    The process that forks starts when the first program is asked for.
    """
    if parent in _given:
        return _given[parent]
    folder = tempfile.mkdtemp(prefix="toolgen-")  # a short path, which sockets need
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"{folder}/socket")
    listening.listen()

    def start() -> None:
        with listening:
            select.select([listening], [], [])
            command = [sys.executable, str(HERE / "forking.py"), str(listening.fileno())]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[listening.fileno()])
        atexit.register(end, process.communicate)  # it ends with its stdin

    def end(each: Callable[[], object]) -> None:
        if os.getpid() == parent:
            each()

    atexit.register(end, partial(shutil.rmtree, folder, ignore_errors=True))
    threading.Thread(target=start, daemon=True).start()
    return f"{folder}/socket"


def share(path: str) -> None:
    """Have programs forked at this socket, which another process listens to."""
    _given[os.getpid()] = path
