"""Read every file below the specs folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolgen.compile.output_changes import digest
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.source import Span
from toolgen.project.errors import UnableError, reason
from toolgen.project.files.reading import read_bytes
from toolgen.project.inputs.configuration import Project
from toolgen.project.inputs.discovery import find_project
from toolgen.schema.limits import BUDGET

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class ReadProject:
    """A project whose specs have been read."""

    project: Project
    specs: Mapping[str, bytes]  # posix path below the specs folder → content
    digests: Mapping[str, str]  # the same paths → hash of the content


def read_project(start: str) -> ReadProject:
    """Return the project at or above `start` with its specs. Raises as `find_project` and `read_specs`."""
    project = find_project(Path(start))
    specs = read_specs(project)
    return ReadProject(project, specs, {path: digest(content) for path, content in specs.items()})


def read_specs(project: Project) -> dict[str, bytes]:
    """Return posix path below the specs folder → content, sorted. Names that begin with a dot are skipped.

    Raises `UnableError` if there are none; `SpecErrors` with every file that cannot be read.
    """
    folder = str(project.root / project.specs)
    if not os.path.isdir(folder):
        hint = f"write one with `toolgen new NAME`, or set 'specs' in {project.file}"
        raise UnableError("no-specs", f"there is no folder {project.specs}", hint)
    found: dict[str, bytes] = {}
    faults: list[Diagnostic] = []
    for path, entry in sorted(_walk(folder, folder, ""), key=lambda found: found[0]):
        try:
            found[path] = _read(folder, path, entry)
        except _UnreadableError as fault:
            place = Span(f"{project.specs}/{path}".encode("utf-8", "backslashreplace").decode(), 1, 1)
            faults.append(Diagnostic(place, fault.code, fault.message))
    if faults:
        raise SpecErrors(faults)
    if not found:
        raise UnableError(
            "no-specs", f"there is no spec in {project.specs}", "write one with `toolgen new NAME`"
        )
    return found


def too_large(size: int) -> str:
    """Return the message about a file of `size` bytes."""
    return f"a file of {size:,} bytes; at most {BUDGET.spec_bytes:,} are read"


class _UnreadableError(Exception):
    """The reason why one file cannot be read."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message


def _walk(top: str, folder: str, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every spec, and every link to a folder elsewhere, whose specs would be missed."""
    try:
        entries = list(os.scandir(folder))
    except OSError as error:
        raise UnableError("unreadable-spec", f"cannot list {error.filename}: {reason(error)}") from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = prefix + entry.name
        if _is_folder(entry):
            if not entry.is_symlink():
                yield from _walk(top, entry.path, path + "/")
            elif _leaves(top, entry.path):
                yield path, entry
        elif entry.name.endswith(SUFFIXES):
            yield path, entry


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _leaves(top: str, path: str) -> bool:
    real, inside = os.path.realpath(top), os.path.realpath(path)
    return inside != real and not inside.startswith(real.rstrip(os.sep) + os.sep)


def _read(top: str, path: str, entry: os.DirEntry[str]) -> bytes:
    if not path.isprintable():  # which includes names that are not UTF-8
        raise _UnreadableError("unreadable-spec", "this file's name is not printable text")
    if entry.is_symlink() and _leaves(top, entry.path):
        raise _UnreadableError(
            "spec-outside", f"this link leaves the specs folder: {os.readlink(entry.path)}"
        )
    try:
        found = os.stat(entry.path)
        if not stat.S_ISREG(found.st_mode):  # reading a pipe might never end
            raise _UnreadableError("unreadable-spec", "this is not a file")
        if found.st_size > BUDGET.spec_bytes:
            raise _UnreadableError("too-complex", too_large(found.st_size))
        return read_bytes(entry.path)
    except OSError as error:
        raise _UnreadableError("unreadable-spec", f"cannot read this file: {reason(error)}") from error
