"""The configuration: found by walking up, and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.disk.fast import read_bytes
from toolgen.disk.fault import UnableError, reason
from toolgen.disk.project import FILE, PYPROJECT, TABLE, Project
from toolgen.disk.settings import make_project
from toolgen.disk.toml import Table, parse


def find_project(start: Path) -> Project:
    """The nearest configuration at or above `start`, no higher than the root of its repository, if any.

    `UnableError` where there is none; `SpecErrors` where it cannot be meant.
    """
    start = start.resolve()
    if not start.is_dir():
        raise UnableError("no-configuration", f"{start} is not a folder")
    for folder in _upwards(start):
        table = _settings(folder)
        if table is not None:
            return make_project(folder, table)
    raise UnableError(
        "no-configuration",
        f"no {FILE}, and no [{TABLE}] in a {PYPROJECT}, in {start} or above it",
        "run `toolgen init` in the project's folder",
    )


def find_root(start: Path) -> Path:
    """The folder whose configuration `find_project` would read, be it valid or not; else `start` itself."""
    return next((folder for folder in _upwards(start.resolve()) if find_configuration(folder)), start)


def find_configuration(folder: Path) -> str | None:
    """The name of the file in `folder` that configures it, be it valid or not."""
    try:
        table = _settings(folder)
        return None if table is None else table.file
    except (SpecErrors, UnableError):  # it is there, and somebody will be told what is wrong with it
        return FILE if (folder / FILE).exists() else PYPROJECT


def repository(start: Path) -> Path | None:
    """The root of the repository that `start` is in."""
    top = list(_upwards(start.resolve()))[-1]
    return top if (top / ".git").exists() else None


def _upwards(start: Path) -> Iterator[Path]:
    for folder in (start, *start.parents):
        yield folder
        if (folder / ".git").exists():
            return


def _settings(folder: Path) -> Table | None:
    own = _text(folder / FILE)
    shared = _text(folder / PYPROJECT)
    if own is not None:
        data = parse(FILE, own)
        if shared is not None and "toolgen" in shared and _table(parse(PYPROJECT, shared)) is not None:
            at = Table(PYPROJECT, shared, TABLE, {}).key("")
            message = f"both {FILE} and [{TABLE}] configure this project"
            raise SpecErrors([Diagnostic(at, "two-configurations", message, "keep one of them")])
        return Table(FILE, own, "", data)
    if shared is None or "toolgen" not in shared:
        return None
    data_shared = _table(parse(PYPROJECT, shared))
    return None if data_shared is None else Table(PYPROJECT, shared, TABLE, data_shared)


def _table(data: dict[str, Any]) -> dict[str, Any] | None:
    tool = data.get("tool")
    found = tool.get("toolgen") if isinstance(tool, dict) else None
    return found if isinstance(found, dict) else None


def _text(path: Path) -> str | None:
    try:
        return read_bytes(str(path)).decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnableError("unreadable-configuration", f"cannot read {path.name}: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise UnableError("unreadable-configuration", f"{path.name} is not UTF-8 text") from error
