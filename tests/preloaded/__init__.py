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
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
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


def python_command(environment: Mapping[str, str]) -> list[str]:
    """Return the words in front of `-m module …`, `-c code …` or `script.py …`.

    They are the path of the interpreter alone where processes cannot be forked, or if `environment` has other settings for the start of
    an interpreter than this process.
    """
    if not hasattr(os, "fork") or _settings(environment) != _settings(os.environ):
        return [sys.executable]
    return [sys.executable, "-I", "-S", str(HERE / "start.py"), _address(os.getpid())]


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
def _address(parent: int) -> str:
    """Start the process that forks; return the path of its socket. `parent`: a fork of the tests starts its own."""
    folder = tempfile.mkdtemp(prefix="toolgen-")  # a short path, which sockets need
    path = f"{folder}/socket"
    process = subprocess.Popen(
        [sys.executable, str(HERE / "forking.py"), path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def end() -> None:
        if os.getpid() == parent:
            process.communicate()  # it ends with its stdin
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return path
