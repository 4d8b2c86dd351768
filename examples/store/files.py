"""Text files of a workspace: read in parts, and written atomically."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from toolgen.runtime import printable

from .text_files import is_text
from .wording import count, digest
from .workspace import OutsideWorkspaceError, PathNotFoundError, Snapshot, Workspace, Writer

Mode = Literal["create", "replace", "append"]
MAX_SHOWN: Final = 20
"""Maximum number of diff lines that the user is shown."""
_END: Final = "\n"


class IsFolderError(Exception):
    """The path is a folder, not a file."""


class NotTextError(Exception):
    """The file, or the text to write, is not UTF-8."""


class TooLargeError(Exception):
    """The file is, or would be, larger than one call may handle."""


class FileExistsAlreadyError(Exception):
    """A file exists at this path and must not be replaced."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines of a file, numbered from 1; `last` is `first - 1` if there are none."""

    path: str
    text: str
    first: int
    last: int
    total_lines: int


@dataclass(frozen=True, slots=True)
class Writing:
    """Contents of a file before (None if it does not exist) and after."""

    path: str
    before: Snapshot | None
    after: bytes

    @property
    def created(self) -> bool:
        return self.before is None

    @property
    def lines(self) -> int:
        return len(_lines(self.after.decode("utf-8")))


def load(workspace: Workspace, path: str, first: int, lines: int) -> Part:
    """Read at most `lines` lines of the file from line `first` on, with their line ends.

    Raises IsFolderError, NotTextError, TooLargeError, and what the workspace raises.
    """
    snapshot = snapshot_of(workspace, path)
    every = _lines(snapshot.data.decode("utf-8"))
    part = every[first - 1 : first - 1 + lines]
    return Part(snapshot.path, "".join(part), first, first - 1 + len(part), len(every))


def plan(workspace: Workspace, path: str, text: str, mode: Mode) -> Writing:
    """Return what writing would change; write nothing.

    Raises FileExistsAlreadyError in mode create, PathNotFoundError in the others where there is no file, what
    `load` raises, and OutsideWorkspaceError.
    """
    if "\0" in text:
        raise NotTextError("The text holds a NUL, which no text file can hold.")
    try:
        before = snapshot_of(workspace, path)
    except PathNotFoundError:
        if mode != "create":
            raise
        before = None
    if before is not None and mode == "create":
        raise FileExistsAlreadyError(f"{path} is there already.")
    old = before.data if before is not None and mode == "append" else b""
    after = old + text.encode("utf-8")
    if len(after) > workspace.limits.file_bytes:
        raise TooLargeError(f"{path} would be larger than {workspace.limits.file_bytes:,} bytes.")
    return Writing(path, before, after)


def write(workspace: Workspace, planned: Writing) -> None:
    """Write a planned change atomically. Raises ChangedMeanwhileError or NotWritableError."""
    with workspace.writing() as writer:
        put(writer, planned)


def change(
    workspace: Workspace, path: str, text: str, mode: Mode, check: Callable[[Writing], None] = lambda _: None
) -> Writing:
    """Plan and write under one lock; return what was written.

    `check` sees the plan before anything is written, and may raise to prevent it. Raises what `plan`, `check`
    and `write` raise.
    """
    with workspace.writing() as writer:
        planned = plan(workspace, path, text, mode)
        check(planned)
        put(writer, planned)
    return planned


def put(writer: Writer, planned: Writing) -> None:
    """Write a planned change in a locked workspace. Raises the errors of `write`."""
    if planned.before is None:
        writer.create(planned.path, planned.after)
    else:
        writer.replace({planned.path: (planned.before, planned.after)})


def describe(planned: Writing) -> str:
    """Describe a change for the user who is asked; invisible characters are escaped.

    Where not all of it is shown, a digest stands for the rest: another change never has the same text.
    """
    path, after = printable(planned.path), planned.after.decode("utf-8")
    if planned.before is None:
        shown = [f"  + {printable(line.rstrip(_END))}" for line in _lines(after)]
        return _first(f"{path}: new file, {count(planned.lines, 'line')}", shown, planned)
    before = planned.before.data.decode("utf-8")
    if before == after:
        return f"{path}: nothing would change"
    difference = difflib.unified_diff(_lines(before), _lines(after), n=1)
    shown = [f"  {printable(line.rstrip(_END))}" for line in list(difference)[2:]]
    lines = f"{count(len(_lines(before)), 'line')} become {planned.lines}"
    return _first(f"{path}: {lines}", shown, planned)


def _first(title: str, shown: list[str], planned: Writing) -> str:
    if len(shown) <= MAX_SHOWN:
        return "\n".join([title, *shown])
    title += f" (sha256 {digest(_before(planned), planned.after)})"
    return "\n".join([title, *shown[:MAX_SHOWN], f"  … and {len(shown) - MAX_SHOWN} more lines"])


def _before(planned: Writing) -> bytes:
    return b"" if planned.before is None else planned.before.data


def snapshot_of(workspace: Workspace, path: str) -> Snapshot:
    """Read the text file at `path`. Raises the errors of `load`."""
    kind = workspace.kind(path)
    if kind == "folder":
        raise IsFolderError(f"{path} is a folder.")
    if kind == "special":
        raise OutsideWorkspaceError(f"{path} is not a regular file.")
    snapshot = workspace.read(path)
    if snapshot is None:
        raise TooLargeError(f"{path} is larger than {workspace.limits.file_bytes:,} bytes.")
    if not is_text(snapshot.data):
        raise NotTextError(f"{path} is not UTF-8 text.")
    return snapshot


def _lines(text: str) -> list[str]:
    """The lines with their ends; only \\n ends a line, so that numbers agree with other tools."""
    lines = text.split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended
