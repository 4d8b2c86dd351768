"""The text files of a workspace, up to the limits of one call."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import PurePosixPath

from .workspace import PathNotFoundError, Reason, Snapshot, UnreadableError, Workspace


class TooManyFilesError(Exception):
    """More files, or more text, than one call may search."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was skipped."""

    path: str
    reason: Reason


def read_texts(workspace: Workspace, path: str, include: str) -> tuple[list[Snapshot], list[Skipped]]:
    """Return the text files at or below `path` whose names match `include`, and the skipped ones.

    Raises TooManyFilesError, and what the workspace raises.
    """
    files: list[Snapshot] = []
    skipped: list[Skipped] = []
    size, limits = 0, workspace.limits
    for entry in workspace.entries(path):
        if entry.skipped:
            skipped.append(Skipped(entry.path, entry.skipped))
            continue
        if not fnmatch.fnmatchcase(PurePosixPath(entry.path).name, include):
            continue
        try:
            snapshot = workspace.read(entry.path)
        except (UnreadableError, PathNotFoundError):  # not readable, or removed since it was listed
            skipped.append(Skipped(entry.path, "unreadable"))
            continue
        if snapshot is None:
            skipped.append(Skipped(entry.path, "too_large"))
        elif not is_text(snapshot.data):
            skipped.append(Skipped(entry.path, "not_text"))
        else:
            files.append(snapshot)
            size += len(snapshot.data)
        if len(files) > limits.files or size > limits.total_bytes:
            raise TooManyFilesError(f"More than {limits.files:,} files or {limits.total_bytes:,} bytes.")
    return files, skipped


def is_text(data: bytes) -> bool:
    """True if the bytes are UTF-8 without NUL."""
    if b"\0" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
