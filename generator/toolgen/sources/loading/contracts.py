"""Copy the specs that an installed package publishes into a project. Nothing of the package is imported.

A package names the folder of its specs by an entry point of the group `toolgen.contracts`, whose value is the
dotted path of the folder. It is read as text, as are the files: those in the package's `RECORD`, or those in
the source of an editable installation (PEP 660).
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

from toolgen.base.files import FileKind, Folder, OversizedFileError
from toolgen.base.suggestions import quoted
from toolgen.compile.output_changes import digest
from toolgen.compile.pipeline import analyze
from toolgen.project import (
    Project,
    UnableError,
    find_project,
    load_targets,
    locate,
    read_specs,
    reason,
    replace_files,
)
from toolgen.project.files.reading import is_inside
from toolgen.project.inputs.specs import SUFFIXES, too_large
from toolgen.schema.limits import BUDGET
from toolgen.sources.contracts_lock import NAME, ContractsLock, lock_text, read_lock

GROUP: Final = "toolgen.contracts"
"""Entry points that name a folder of specs: `shop = "shop_contracts.specs"`."""
_FOLDER: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_MAX_BYTES: Final = 64 * 1024 * 1024  # of all files of one package
_MAX_LISTED: Final = 5  # paths in one message
_REINSTALL: Final = "install the package again"


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
    kept: tuple[str, ...]  # changed by hand, and not by the package


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
    existing = _existing(project, folder)
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
    changes, kept = _plan(published, lock, existing, into)
    written = tuple(path for path, text in changes.items() if text is not None)
    removed = tuple(path for path, text in changes.items() if text is None)
    below = f"{project.specs}/{folder}".removeprefix("./")
    new_lock = lock_text(published.lock)
    if changes or lock is None or lock_text(lock) != new_lock:
        replace_files(
            project.root, {f"{below}/{path}": text for path, text in {**changes, NAME: new_lock}.items()}
        )
    in_project = (tuple(f"{below}/{path}" for path in paths) for paths in (written, removed, kept))
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


def _existing(project: Project, folder: str) -> dict[str, str]:
    """Return path → hash of the specs in the folder, which may be missing."""
    try:
        found = read_specs(project)
    except UnableError as error:
        if error.code != "no-specs":
            raise
        return {}
    start = f"{folder}/"
    return {
        path.removeprefix(start): digest(content) for path, content in found.items() if path.startswith(start)
    }


def _lock_to_sync(lock: ContractsLock | None, published: PublishedContracts, into: str) -> ContractsLock:
    if lock is None:
        raise UnableError(
            "usage", f"--sync: {into} has no {NAME}", "leave out --sync to import for the first time"
        )
    if _same_name(lock.distribution) != _same_name(published.distribution):
        message = f"{into} has the contracts of {lock.label}, not of {quoted(published.distribution, 80)}"
        raise UnableError("bad-source", message, "give each package a folder of its own")
    return lock


def _same_name(name: str) -> str:
    """Return a name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _plan(
    published: PublishedContracts, lock: ContractsLock | None, existing: Mapping[str, str], into: str
) -> tuple[dict[str, str | None], tuple[str, ...]]:
    """Return path → new text, None for a file to remove; and the files that keep changes made by hand."""
    old, new = (lock.files if lock else {}), published.lock.files
    changes: dict[str, str | None] = {}
    kept, conflicts = [], []
    for path in sorted({*old, *new}):
        found, wanted, known = existing.get(path), new.get(path), old.get(path)
        if found == wanted:
            continue
        if found is None or found == known:  # missing, or as it was imported
            changes[path] = published.files.get(path)
        elif wanted == known:
            kept.append(path)
        else:
            conflicts.append(path)
    if conflicts:
        names = ", ".join(f"{into}/{path}" for path in conflicts[:_MAX_LISTED])
        more = f" and {len(conflicts) - _MAX_LISTED} more" if len(conflicts) > _MAX_LISTED else ""
        message = f"changed by hand, and by {published.lock.label}: {names}{more}"
        hint = "nothing was written; move these files out of the folder, and import again"
        raise UnableError("file-exists", message, hint)
    return changes, tuple(kept)


# The installed package


def read_published(name: str) -> PublishedContracts:
    """Return what the installed distribution `name` publishes. Raises `UnableError`."""
    try:
        found = distribution(name)
    except (PackageNotFoundError, ValueError) as error:
        message = f"no distribution {quoted(name, 80)} is installed beside toolgen"
        raise UnableError("bad-source", message, "install it: pip install NAME") from error
    shown = quoted(name, 80)
    folders = _folders(found, shown)
    texts: dict[str, str] = {}
    seen: dict[str, str] = {}  # the path without case → as it is written
    total = 0
    source = _editable_source(found)
    root = found.locate_file("") if source is None else source
    if not isinstance(root, Path) or not root.is_dir():
        raise UnableError("bad-source", f"{shown} is not installed in a folder", _REINSTALL)
    with Folder(root) as site:
        files = _recorded(found, folders, shown) if source is None else _in_source(found, site, folders)
        for path, below, expected in files:
            if len(texts) == BUDGET.tools:
                raise UnableError("too-complex", f"{shown} publishes more than {BUDGET.tools:,} specs")
            other = seen.setdefault(below.casefold(), path)
            if other != path:
                raise UnableError(
                    "bad-source", f"{shown}: {quoted(other)} and {quoted(path)} become one file"
                )
            texts[below] = text = _read(site, path, expected, shown)
            total += len(text)
            if total > _MAX_BYTES:
                raise UnableError("too-complex", f"the specs of {shown} have more than {_MAX_BYTES:,} bytes")
    if not texts:
        where = ", ".join(folders)
        raise UnableError(
            "bad-source", f"{shown} has no specs in {where}", "the package must contain *.yaml files there"
        )
    return PublishedContracts(str(found.metadata["Name"]), found.version, texts)


def _folders(found: Distribution, shown: str) -> list[str]:
    """Return the folders that the package declares, as paths below where it is installed."""
    try:
        values = sorted({each.value for each in found.entry_points if each.group == GROUP})
    except ValueError as error:
        raise UnableError("bad-source", f"the entry points of {shown} cannot be read: {error}") from error
    if not values:
        message = f"{shown} publishes no contracts: it has no entry point of the group {GROUP}"
        raise UnableError("bad-source", message, "docs/contracts.md says how a package publishes its specs")
    for value in values:
        if not _FOLDER.fullmatch(value):
            message = f"{shown}: the entry point {quoted(value, 80)} is not the dotted path of a folder"
            raise UnableError("bad-source", message)
    return [value.replace(".", "/") for value in values]


def _recorded(found: Distribution, folders: list[str], shown: str) -> Iterator[tuple[str, str, str]]:
    """Yield the specs in `RECORD`: path, path below the folder of specs, and hash, empty if it has none."""
    record = found.read_text("RECORD")
    if record is None:
        raise UnableError("bad-source", f"{shown} has no RECORD of its files", f"{_REINSTALL} with pip or uv")
    for path, expected, *_ in (row for row in csv.reader(record.splitlines()) if len(row) > 1):
        for folder in folders:
            if not path.startswith(f"{folder}/") or not path.endswith(SUFFIXES):
                continue
            below = path[len(folder) + 1 :]
            if not is_inside(below):
                message = f"{shown}: {quoted(path)} in its RECORD leaves the folder of its specs"
                raise UnableError("bad-source", message, "do not use this package")
            if not any(part.startswith(".") for part in PurePosixPath(below).parts):
                yield path, below, expected


def _editable_source(found: Distribution) -> Path | None:
    """Return the source of an editable installation, which its installer records (PEP 610)."""
    try:
        data = json.loads(found.read_text("direct_url.json") or "{}")
    except (ValueError, RecursionError):
        return None
    info, url = (data.get(key) for key in ("dir_info", "url")) if isinstance(data, dict) else (None, None)
    if not isinstance(info, dict) or info.get("editable") is not True or not isinstance(url, str):
        return None
    scheme, _, path, *_ = urlsplit(url)
    path = url2pathname(path)
    return Path(os.path.realpath(path)) if scheme == "file" and "\0" not in path else None


def _in_source(found: Distribution, source: Folder, folders: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the specs in the source of an editable installation as `_recorded` does, without hashes."""
    for folder in folders:
        places = (f"{root}/{folder}".removeprefix("./") for root in _import_roots(found, source))
        place = next((each for each in places if source.kind(each, links=False) is FileKind.FOLDER), None)
        for entry in source.walk(place, skipped=(".",)) if place else ():
            if entry.kind is FileKind.FILE and entry.path.endswith(SUFFIXES):
                yield entry.path, entry.path.removeprefix(f"{place}/"), ""


def _import_roots(found: Distribution, source: Folder) -> Iterator[str]:
    """Yield the folders of a source that packages may be in: those in `.pth` files, then the usual ones."""
    for line in (found.read_text("RECORD") or "").splitlines():
        path = line.partition(",")[0]
        if path.endswith(".pth") and "/" not in path:
            for written in (found.read_text(f"../{path}") or "").splitlines():
                folder = Path(written.replace("\0", ""))  # or a statement, which is no folder in the source
                if folder.is_absolute() and folder.is_relative_to(source.path):
                    inside = folder.relative_to(source.path).as_posix()
                    if is_inside(inside):
                        yield inside
    yield from ("src", ".")


def _read(site: Folder, path: str, expected: str, shown: str) -> str:
    """Return the text of an installed file that is as its package has it."""
    try:
        content = site.read(path, limit=BUDGET.spec_bytes, links=False)
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnableError("bad-source", f"{shown}: {quoted(path)} is not UTF-8 text") from error
    except OversizedFileError as error:
        raise UnableError("too-complex", f"{shown}: {quoted(path)} is {too_large(error.size)}") from error
    except OSError as error:
        message = f"{shown}: {quoted(path)} cannot be read: {reason(error)}"
        raise UnableError("bad-source", message, _REINSTALL) from error
    actual = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    if expected.startswith("sha256=") and expected != f"sha256={actual}":
        message = f"{shown}: {quoted(path)} was changed after it was installed"
        raise UnableError("bad-source", message, _REINSTALL)
    return text
