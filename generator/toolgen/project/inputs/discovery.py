"""Find a project: the nearest configuration at or above a folder, if it is safe to use."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError
from toolgen.project.files.reading import read_text
from toolgen.project.inputs.configuration import (
    FILE,
    PYPROJECT,
    TABLE,
    Project,
    Table,
    find_table,
    make_project,
)

SAFE_DIRECTORY = "TOOLGEN_SAFE_DIRECTORY"
"""Environment variable: folders above the start folder whose configuration is used in any case; `*`: all."""


def find_project(start: Path) -> Project:
    """Return the project configured at or above `start`, no higher than the root of its repository, if any.

    Raises `UnableError` if there is none, or if one above `start` may be another user's; `SpecErrors` if it
    is not valid.
    """
    start = Path(os.path.realpath(start))
    if not start.is_dir():
        raise UnableError("no-configuration", f"{start} is not a folder")
    for folder in _upwards(start):
        if folder != start:
            _refuse_unsafe(folder)
        table = _find_table(folder)
        if table is not None:
            return make_project(folder, table, _read_text(folder, PYPROJECT))
    raise UnableError(
        "no-configuration",
        f"no {FILE}, and no [{TABLE}] in a {PYPROJECT}, in {start} or above it",
        "run `toolgen new NAME`, `toolgen import` or `toolgen init` in the folder of the project",
    )


def find_projects(start: Path) -> list[Path]:
    """Return the folders with a configuration, valid or not, in the repository of `start`, sorted.

    Raises `UnableError` if there is none.
    """
    from toolgen.project.files.git import open_repository  # most commands need no git

    found = open_repository(start)
    files = map(PurePosixPath, found.files() if found else ())
    named = {file.parent for file in files if file.name in (FILE, PYPROJECT)}
    folders = [found.top / each for each in sorted(named)] if found else []
    projects = [each for each in folders if find_configuration(each)]
    if not projects:
        message = f"no {FILE}, and no [{TABLE}] in a {PYPROJECT}, in a git repository at {start}"
        raise UnableError("no-configuration", message, "start in a repository with projects")
    return projects


def find_root(start: Path) -> Path:
    """Return the folder whose configuration `find_project` would read, valid or not; else `start` itself."""
    return next(
        (folder for folder in _upwards(Path(os.path.realpath(start))) if find_configuration(folder)), start
    )


def find_configuration(folder: Path) -> str | None:
    """Return the name of the file in `folder` that configures it, valid or not."""
    try:
        table = _find_table(folder)
        return None if table is None else table.file
    except (SpecErrors, UnableError):  # it exists; `find_project` reports what is wrong with it
        return FILE if (folder / FILE).exists() else PYPROJECT


def repository(start: Path) -> Path | None:
    """Return the root of the repository that `start` is in; None if it is in none."""
    top = list(_upwards(Path(os.path.realpath(start))))[-1]
    return top if (top / ".git").exists() else None


def _upwards(start: Path) -> Iterator[Path]:
    for folder in (start, *start.parents):
        yield folder
        if (folder / ".git").exists():
            return


def _refuse_unsafe(folder: Path) -> None:
    """Raise `UnableError` for a configuration above the start folder that another user may have written.

    As git does with repositories (CVE-2022-24765): a user who may write to a folder above would decide what
    runs here. Windows has other permissions and is not checked.
    """
    if not hasattr(os, "geteuid"):
        return
    for name in (FILE, PYPROJECT):
        file = folder / name
        why = _unsafe(file) or _unsafe(folder)
        if not why or not os.path.lexists(file) or _is_trusted(folder):
            continue
        if name == PYPROJECT and file.is_file() and "toolgen" not in (_read_text(folder, name) or "toolgen"):
            continue
        raise UnableError(
            "unsafe-configuration",
            f"{file} is not used: {why}",
            f"if you trust it, start in that folder (`-C {shlex.quote(str(folder))}`), "
            f"or set {SAFE_DIRECTORY}={shlex.quote(str(folder))}",
        )


def _unsafe(path: Path) -> str:
    """Return why another user may have written to `path`; empty if none can have."""
    try:
        found = path.stat()
    except OSError:
        return ""
    owners = {os.geteuid(), 0}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        owners.add(int(os.environ["SUDO_UID"]))
    if found.st_uid not in owners:
        return f"{path} belongs to another user"
    if found.st_mode & stat.S_IWOTH:
        return f"everybody may write to {path}"
    return ""


def _is_trusted(folder: Path) -> bool:
    named = os.environ.get(SAFE_DIRECTORY, "").split(os.pathsep)
    return "*" in named or any(each and Path(os.path.realpath(each)) == folder for each in named)


def _find_table(folder: Path) -> Table | None:
    return find_table(_read_text(folder, FILE), _read_text(folder, PYPROJECT))


def _read_text(folder: Path, name: str) -> str | None:
    text = read_text(folder, name, code="unreadable-configuration")
    return text and text.removeprefix(
        "\ufeff"
    )  # some editors write a byte order mark, which TOML does not know
