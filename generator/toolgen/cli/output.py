"""Print: data on stdout, messages on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


def emit(text: str) -> None:
    """Print data. If the reader of a pipe goes away, the command continues and keeps its exit code."""
    with closed_pipe_ignored():
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def emit_json(data: Any) -> None:
    """Print one JSON document."""
    emit(json.dumps(data, indent=2, ensure_ascii=False))


def say(text: str, end: str = "\n") -> None:
    """Print a message for the user, not for programs."""
    with suppress(OSError):  # stderr is closed
        sys.stderr.write(text + end)
        sys.stderr.flush()


def count(number: int, noun: str) -> str:
    """Return number and noun: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def can_ask() -> bool:
    """True if a user at a terminal can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> str:
    """Ask the user at the terminal for one line; on stderr, so that stdout holds data only."""
    say(question, end="")
    line = sys.stdin.readline()
    if not line:  # ^D
        raise KeyboardInterrupt
    return line.strip()


@contextmanager
def closed_pipe_ignored() -> Iterator[None]:
    """Ignore a closed pipe; raise `UnableError` if data is lost for another reason."""
    try:
        yield
    except OSError as error:
        _discard_buffer()
        if not isinstance(error, BrokenPipeError):
            from toolgen.project.errors import UnableError, reason

            raise UnableError("cannot-write", f"cannot write to stdout: {reason(error)}") from error


def flush() -> None:
    """Flush stdout at the end; errors no longer matter, as data was flushed when it was printed."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_buffer()


def _discard_buffer() -> None:
    with open(os.devnull, "w") as nowhere:  # or the interpreter would fail to flush at exit
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
