"""The content of an import's source: a file, stdin, or what a server has answered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from toolgen.base.files import open_named
from toolgen.project import UnableError, reason
from toolgen.schema.budget import BUDGET
from toolgen.sources.imported_tool import SourceError


@dataclass(frozen=True, slots=True)
class SourceContent:
    """The bytes of a source, and its name in messages."""

    data: bytes
    name: str
    is_file: bool = False


@contextmanager
def source_errors() -> Iterator[None]:
    """Turn a `SourceError` of an importer into an error that the command line reports."""
    try:
        yield
    except SourceError as error:
        raise UnableError(error.code, error.message, error.hint or "nothing was written") from error


def read_bounded(file: BinaryIO) -> bytes:
    """Return the content of `file`, at most one byte more than an import may have: importers refuse that."""
    return file.read(BUDGET.import_bytes + 1)


def read_source(source: str, start: str) -> SourceContent:
    """Return what is in a file, named relative to the folder `start`, or on stdin for `-`."""
    return read_file(Path("-") if source == "-" else Path(start, source), source)


def read_file(path: Path, shown: str) -> SourceContent:
    """Return what is in a file, which messages call `shown`, or on stdin for `-`. Raises `UnableError`."""
    if path == Path("-"):
        return SourceContent(read_bounded(sys.stdin.buffer), "stdin", is_file=True)
    try:
        with open_named(path) as file:
            return SourceContent(read_bounded(file), shown, is_file=True)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        message = f"cannot read {shown}: {why}"
        raise UnableError("bad-source", message, "give a file, or - for stdin") from error
