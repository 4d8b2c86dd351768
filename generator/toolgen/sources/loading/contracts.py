"""Copy the specs that an installed package publishes into a project. Nothing of the package is imported.

A package names the folder of its specs by an entry point of the group `toolgen.contracts`, whose value is the
dotted path of the folder. It is read as text, as are the files in the package's `RECORD`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from toolgen.base.suggestions import quoted
from toolgen.compile.output_changes import digest
from toolgen.compile.pipeline import analyze
from toolgen.project import (
    Project,
    UnableError,
    find_project,
    load_targets,
    locate,
    read_text,
    replace_files,
)
from toolgen.project.files.reading import is_inside
from toolgen.project.inputs.specs import SUFFIXES, existing_specs
from toolgen.schema.budget import BUDGET
from toolgen.sources.contracts_lock import NAME, ContractsLock, lock_text, read_lock

GROUP: Final = "toolgen.contracts"
"""Entry points that name a folder of specs: `shop = "shop_contracts.specs"`."""
_FOLDER: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)


@dataclass(frozen=True, slots=True)
class PublishedContracts:
    """The specs and shared schemas of an installed package."""

    distribution: str
    version: str
    files: Mapping[str, str]  # path below the folder of specs → text

    @property
    def lock(self) -> ContractsLock:
        """Return the lock of a folder that has just these files."""
        files = {path: digest(text) for path, text in self.files.items()}
        return ContractsLock(self.distribution, self.version, files)


@dataclass(frozen=True, slots=True)
class ContractsImport:
    """What an import has done. Paths are relative to the project."""

    published: PublishedContracts
    written: tuple[str, ...]
    removed: tuple[str, ...]


def import_contracts(name: str, start: str, into: str, *, sync: bool) -> ContractsImport:
    """Copy the specs of the installed distribution `name` to the folder `into`, all or none.

    Args:
        name: of the distribution, as pip knows it.
        start: the user's folder.
        into: a folder below the project's specs folder, relative to `start`.
        sync: bring an earlier import up to date.

    Raises:
        UnableError: the distribution publishes nothing usable, or a file would be lost.
        SpecErrors: `generate` would refuse its specs.
    """
    project = find_project(Path(start))
    folder = _folder_of(project, start, into)
    start_of = f"{folder}/"
    existing = {
        path.removeprefix(start_of): digest(content)
        for path, content in existing_specs(project).items()
        if path.startswith(start_of)
    }
    lock = read_lock(project, folder)
    published = read_published(name)
    if sync:
        lock = _lock_to_sync(lock, published, into)
    elif lock is not None or existing:
        what = f"has a {NAME} already" if lock else "has specs already"
        raise UnableError("file-exists", f"{into} {what}", "--sync updates it; or give another folder")
    shown = f"{project.specs}/{folder}/".removeprefix("./")
    analyze(
        {path: text.encode() for path, text in published.files.items()},
        load_targets(project),
        shown,
        needs_tools=False,
    )  # by themselves: a reference that leaves the folder is refused
    changes = _plan(published, lock, existing, into)
    written = tuple(path for path, text in changes.items() if text is not None)
    removed = tuple(path for path, text in changes.items() if text is None)
    below = f"{project.specs}/{folder}".removeprefix("./")
    new_lock = lock_text(published.lock)
    if changes or lock is None or lock_text(lock) != new_lock:
        replace_files(
            project.root, {f"{below}/{path}": text for path, text in {**changes, NAME: new_lock}.items()}
        )
    in_project = (tuple(f"{below}/{path}" for path in paths) for paths in (written, removed))
    return ContractsImport(published, *in_project)


def _folder_of(project: Project, start: str, into: str) -> str:
    """Return the folder `into` as a path below the specs folder."""
    place = locate(project.root, Path(start), into)
    specs = "" if project.specs == "." else f"{project.specs}/"
    folder = place.path.removeprefix(specs)
    is_below = place.root == project.root and place.path.startswith(specs) and folder
    if not is_below or not is_inside(folder) or any(part.startswith(".") for part in folder.split("/")):
        message = f"--into {into} is not a folder of its own below {project.specs}"
        raise UnableError("usage", message, f"for example --into {specs}vendor/shop")
    return folder


def _lock_to_sync(lock: ContractsLock | None, published: PublishedContracts, into: str) -> ContractsLock:
    if lock is None:
        raise UnableError(
            "usage", f"--sync: {into} has no {NAME}", "leave out --sync to import for the first time"
        )
    if lock.distribution != published.distribution:
        message = f"{into} has the contracts of {lock.label}, not of {quoted(published.distribution)}"
        raise UnableError("bad-source", message, "give each package a folder of its own")
    return lock


def _plan(
    published: PublishedContracts, lock: ContractsLock | None, existing: Mapping[str, str], into: str
) -> dict[str, str | None]:
    """Return path → new text, None for a file to remove. Raises `UnableError` for changes made by hand."""
    old, new = (lock.files if lock else {}), published.lock.files
    found = {path: existing.get(path) for path in sorted({*old, *new})}
    changed = [path for path, each in found.items() if each not in (None, old.get(path), new.get(path))]
    if changed:
        names = ", ".join(f"{into}/{path}" for path in changed)
        hint = "nothing was written; move these files out of the folder, and import again"
        raise UnableError("file-exists", f"changed by hand: {names}", hint)
    return {path: published.files.get(path) for path, each in found.items() if each != new.get(path)}


# The installed package


def read_published(name: str) -> PublishedContracts:
    """Return what the installed distribution `name` publishes. Raises `UnableError`."""
    shown = quoted(name)
    try:
        found = distribution(name)
        recorded = list(map(str, found.files or ()))
    except (PackageNotFoundError, ValueError, TypeError) as error:  # TypeError: of a RECORD without commas
        message = f"no distribution {shown} is installed beside toolgen, or its RECORD cannot be read"
        raise UnableError("bad-source", message, "install it: pip install NAME") from error
    folders = _folders(found, shown)
    root = Path(str(found.locate_file("")))
    texts: dict[str, str] = {}
    for path, below in _specs_in(recorded, folders, shown):
        text = None if below in texts else read_text(root, path, limit=BUDGET.spec_bytes)
        if text is None:
            message = f"{shown}: {quoted(path)} is missing, or two files become one"
            raise UnableError("bad-source", message, "install the package again")
        texts[below] = text
    if not texts:
        hint = "the package must contain *.yaml files there; one that is installed with --editable has none"
        raise UnableError("bad-source", f"{shown} has no specs in {', '.join(folders)}", hint)
    return PublishedContracts(str(found.metadata["Name"]), found.version, texts)


def _folders(found: Distribution, shown: str) -> list[str]:
    """Return the folders that the package declares, as paths below where it is installed."""
    values = sorted({each.value for each in found.entry_points if each.group == GROUP})
    if not values:
        message = f"{shown} publishes no contracts: it has no entry point of the group {GROUP}"
        raise UnableError("bad-source", message, "docs/contracts.md says how a package publishes its specs")
    for value in values:
        if not _FOLDER.fullmatch(value):
            message = f"{shown}: the entry point {quoted(value)} is not the dotted path of a folder"
            raise UnableError("bad-source", message)
    return [value.replace(".", "/") for value in values]


def _specs_in(recorded: list[str], folders: list[str], shown: str) -> Iterator[tuple[str, str]]:
    """Yield the specs in `RECORD`: their paths, and the same below the folder of specs."""
    for path in recorded:
        for folder in folders:
            if not path.startswith(f"{folder}/") or not path.endswith(SUFFIXES):
                continue
            below = path[len(folder) + 1 :]
            if not is_inside(below):
                message = f"{shown}: {quoted(path)} in its RECORD leaves the folder of its specs"
                raise UnableError("bad-source", message, "do not use this package")
            if not any(part.startswith(".") for part in below.split("/")):
                yield path, below
