"""Everything below the specs folder, as bytes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.source import Span
from toolgen.disk.fault import UnableError, reason
from toolgen.disk.project import Project

_ENDINGS = (".yaml", ".yml")


def read_specs(project: Project) -> dict[str, bytes]:
    """Posix path below the specs folder → content, sorted. Names that begin with a dot are left alone.

    `UnableError` where there is nothing to read; `SpecErrors` with every file that cannot be read.
    """
    folder = project.root / project.specs
    if not folder.is_dir():
        hint = f"write one with `toolgen new NAME`, or set 'specs' in {project.file}"
        raise UnableError("no-specs", f"there is no folder {project.specs}", hint)
    found: dict[str, bytes] = {}
    faults: list[Diagnostic] = []
    for path in sorted(_walk(folder)):
        try:
            found[path] = _read(folder, path)
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


class _UnreadableError(Exception):
    """Why one file cannot be read."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message


def _walk(folder: Path) -> Iterator[str]:
    """Every spec; and every link to a folder elsewhere, whose specs would otherwise be missed in silence."""

    def refuse(error: OSError) -> None:
        raise UnableError("unreadable-spec", f"cannot list {error.filename}: {reason(error)}")

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        specs = [name for name in names if name.endswith(_ENDINGS) and not name.startswith(".")]
        links = [name for name in folders if _leaves(folder, Path(parent, name))]
        for name in (*specs, *links):
            yield Path(parent, name).relative_to(folder).as_posix()


def _leaves(folder: Path, path: Path) -> bool:
    return path.is_symlink() and not path.resolve().is_relative_to(folder.resolve())


def _read(folder: Path, path: str) -> bytes:
    whole = folder / path
    if not path.isprintable():  # nor would a name be that is not UTF-8
        raise _UnreadableError("unreadable-spec", "this file's name is not printable text")
    if _leaves(folder, whole):
        raise _UnreadableError("spec-outside", f"this link leaves the specs folder: {os.readlink(whole)}")
    try:
        if not stat.S_ISREG(whole.stat().st_mode):  # a pipe would wait for ever
            raise _UnreadableError("unreadable-spec", "this is not a file")
        return whole.read_bytes()
    except OSError as error:
        raise _UnreadableError("unreadable-spec", f"cannot read this file: {reason(error)}") from error
