"""Read every file below the specs folder."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolgen.base.files import Entry, FileKind, Folder, OutsideError, OversizedFileError
from toolgen.compile.output_changes import digest
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.source import Span
from toolgen.project import Project, UnableError, reason
from toolgen.project.files.reading import file_errors
from toolgen.project.inputs.discovery import find_project
from toolgen.schema.budget import BUDGET

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
    found = find_specs(project)
    if found.faults:
        raise SpecErrors(found.faults)
    if not found.specs:
        raise UnableError(
            "no-specs", f"there is no spec in {project.specs}", "write one with `toolgen new NAME`"
        )
    return found.specs


def existing_specs(project: Project) -> dict[str, bytes]:
    """Return the specs as `read_specs` does, and an empty dict if there is none yet."""
    try:
        return read_specs(project)
    except UnableError as error:
        if error.code != "no-specs":
            raise
        return {}


@dataclass(frozen=True, slots=True)
class FoundSpecs:
    """The files in a specs folder."""

    specs: dict[str, bytes]  # posix path below the specs folder → content
    faults: list[Diagnostic]  # of files that cannot be read


def find_specs(project: Project) -> FoundSpecs:
    """Return what is in the specs folder, sorted. Raises `UnableError` if that cannot be listed."""
    found = FoundSpecs({}, [])
    with file_errors(project.root, "list", code="unreadable-spec"):
        try:
            folder = Folder(project.root).below(project.specs)
        except (FileNotFoundError, NotADirectoryError) as error:
            hint = f"write one with `toolgen new NAME`, or set 'specs' in {project.file}"
            raise UnableError("no-specs", f"there is no folder {project.specs}", hint) from error
        for entry in sorted(folder.walk(skipped=(".",)), key=lambda entry: entry.path):
            try:
                if _is_spec(folder, entry):
                    found.specs[entry.path] = _read(folder, entry)
            except UnreadableSpecError as fault:
                shown = f"{project.specs}/{entry.path}".removeprefix("./")
                found.faults.append(fault.diagnostic(shown))
    return found


class UnreadableSpecError(Exception):
    """The reason why one file cannot be read."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code, self.message, self.hint = code, message, hint

    def diagnostic(self, path: str) -> Diagnostic:
        """Return the fault of the file at `path`, which need not be Unicode."""
        shown = path.encode("utf-8", "backslashreplace").decode()
        return Diagnostic(Span(shown, 1, 1), self.code, self.message, self.hint)


def check_name(path: str) -> None:
    """Raise `UnreadableSpecError` for a name that no message can show."""
    if not path.isprintable():  # which includes names that are not UTF-8
        raise UnreadableSpecError("unreadable-spec", "this file's name is not printable text")


def too_large(size: int) -> str:
    """Return the message about a file of `size` bytes."""
    return f"a file of {size:,} bytes; at most {BUDGET.spec_bytes:,} are read"


def outside(target: str) -> UnreadableSpecError:
    """Return the error for a link to `target`."""
    return UnreadableSpecError("spec-outside", f"this link leaves the specs folder: {target}")


def _is_spec(folder: Folder, entry: Entry) -> bool:
    """True for a spec, and for a link to a folder elsewhere, whose specs would be missed."""
    if entry.kind is not FileKind.LINK:
        return entry.name.endswith(SUFFIXES)
    try:
        is_folder = folder.kind(entry.path) is FileKind.FOLDER
    except OutsideError:
        return entry.name.endswith(SUFFIXES) or os.path.isdir(folder.full(entry.path))
    except OSError:
        is_folder = False
    return entry.name.endswith(SUFFIXES) and not is_folder


def _read(folder: Folder, entry: Entry) -> bytes:
    check_name(entry.path)
    try:
        return folder.read(entry.path, limit=BUDGET.spec_bytes)
    except OutsideError as error:
        raise outside(folder.read_link(entry.path)) from error
    except OversizedFileError as error:
        raise UnreadableSpecError("too-complex", too_large(error.size)) from error
    except OSError as error:
        raise UnreadableSpecError("unreadable-spec", f"cannot read this file: {reason(error)}") from error


def select_specs(project: Project, start: str, files: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the paths below the project's folder of the specs in `files`; `known` has those of all.

    Raises `UnableError` if one of them is not a spec of the project.
    """
    paths = [Path(os.path.normpath(Path(start).resolve() / file)) for file in files]
    below = [
        path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else str(path)
        for path in paths
    ]
    if unknown := [path for path in below if path not in known]:
        message = f"{unknown[0]} is no spec of this project"
        raise UnableError("unreadable-spec", message, f"specs are files of YAML below {project.specs}")
    return below
