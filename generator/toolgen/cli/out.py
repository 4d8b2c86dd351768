"""stdout is data, stderr is talk."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


def emit(text: str) -> None:
    """Print data. A reader that goes away has seen enough: the verb goes on, its exit code stays true."""
    with hushed():
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def emit_json(data: Any) -> None:
    """Print one JSON document."""
    emit(json.dumps(data, indent=2, ensure_ascii=False))


def say(text: str, end: str = "\n") -> None:
    """Print talk: for the person who watches, never for a program."""
    with suppress(OSError):  # nobody is listening
        sys.stderr.write(text + end)
        sys.stderr.flush()


def count(number: int, noun: str) -> str:
    """1 file, 2 files."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def can_ask() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> str:
    """One line from the person at the terminal; asked on stderr, so that stdout stays data."""
    say(question, end="")
    line = sys.stdin.readline()
    if not line:  # ^D
        raise KeyboardInterrupt
    return line.strip()


@contextmanager
def hushed() -> Iterator[None]:
    """Writing to a pipe that nobody reads any more is no fault; data that is lost otherwise is one."""
    try:
        yield
    except OSError as error:
        _divert()
        if not isinstance(error, BrokenPipeError):
            from toolgen.project.errors import UnableError, reason

            raise UnableError("cannot-write", f"cannot write to stdout: {reason(error)}") from error


def flush() -> None:
    """The end: what matters was flushed when it was printed."""
    try:
        sys.stdout.flush()
    except OSError:
        _divert()


def _divert() -> None:
    with open(os.devnull, "w") as nowhere:  # what is left in the buffer has to go somewhere
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
