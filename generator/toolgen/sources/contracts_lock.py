"""`contracts.lock`: which specs of a folder were copied out of an installed package, and their hashes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolgen.base.files import FileKind, Folder
from toolgen.base.suggestions import quoted
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.source import Span
from toolgen.project import UnableError
from toolgen.project.files.reading import is_inside, read_text
from toolgen.project.inputs.configuration import Project
from toolgen.project.inputs.specs import SUFFIXES, ReadProject

NAME: Final = "contracts.lock"
VERSION: Final = 1
_KEY: Final = "contracts_lock"
_AGAIN: Final = "restore it from version control, or remove the folder and import it again"


@dataclass(frozen=True, slots=True)
class ContractsLock:
    """What a folder of specs holds that somebody else publishes."""

    distribution: str  # as its metadata has the name
    version: str
    files: Mapping[str, str]  # path below the folder → sha256 of the text with LF, in hex

    @property
    def label(self) -> str:
        """Return name and version, as messages show them."""
        return quoted(f"{self.distribution} {self.version}")


def lock_text(lock: ContractsLock) -> str:
    """Return the content of a lock."""
    data = {"distribution": lock.distribution, "version": lock.version}
    return json.dumps({_KEY: VERSION, **data, "files": dict(sorted(lock.files.items()))}, indent=2) + "\n"


def read_lock(project: Project, folder: str) -> ContractsLock | None:
    """Return the lock in `folder`, a path below the specs folder; None if there is none.

    Raises `UnableError` for any other content: a path in it decides what `import contracts --sync` removes.
    """
    path = f"{project.specs}/{folder}/{NAME}".removeprefix("./")
    text = read_text(project.root, path)
    if text is None:
        return None
    from pydantic import TypeAdapter  # not for `check` of projects without locks

    try:
        data = json.loads(text)
        lock = TypeAdapter(ContractsLock).validate_python(data)
        is_known = data[_KEY] == VERSION and all(
            is_inside(path) and path.endswith(SUFFIXES) for path in lock.files
        )
    except (ValueError, KeyError, TypeError, RecursionError):  # a ValidationError is a ValueError
        is_known = False
    if not is_known:
        message = f"{path} is not a lock that this version of `toolgen import contracts` wrote"
        raise UnableError("bad-source", message, _AGAIN)
    return lock


def find_vendored_changes(read: ReadProject) -> tuple[Diagnostic, ...]:
    """Return an error for each file that differs from the lock of its folder. Raises `UnableError`."""
    return tuple(
        fault
        for folder in _locked_folders(read.project)
        if (lock := read_lock(read.project, folder)) is not None
        for fault in _changes(read, folder, lock)
    )


def _locked_folders(project: Project) -> list[str]:
    specs = Folder(project.root).below(project.specs)
    found = [each.path for each in specs.walk(skipped=(".",)) if each.name == NAME]
    return sorted(path[: -len(NAME) - 1] for path in found if specs.kind(path) is FileKind.FILE)


def _changes(read: ReadProject, folder: str, lock: ContractsLock) -> Iterator[Diagnostic]:
    shown, start = f"{read.project.specs}/".removeprefix("./"), f"{folder}/" if folder else ""
    there = {path: each for path, each in read.digests.items() if path.startswith(start)}
    expected = {f"{start}{path}": each for path, each in lock.files.items()}
    again = shlex.join(
        ("toolgen", "import", "contracts", lock.distribution, "--into", shown + folder, "--sync")
    )
    for path in sorted({*there, *expected}):
        if there.get(path) == expected.get(path):
            continue
        hint = f"to restore it, remove it and run `{again}`"
        if path not in expected:
            message, hint = f"this file is not from {lock.label}", "move it out of the folder"
        elif path not in there:
            message = f"this file is missing; it was copied from {lock.label}"
        else:
            message = f"this file was changed after it was copied from {lock.label}"
        yield Diagnostic(Span(f"{shown}{path}", 1, 1), "vendored-changed", message, hint)
