"""Watch files: `generate --watch` generates again after every change, `mock` reads the specs again.

Polls the modification time and size of every input ten times a second, which takes two milliseconds for a
thousand files. A library for file events would have limits on watched files and fail on network file systems.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

from toolgen.language.diagnostic import SpecErrors
from toolgen.project import FILE, PYPROJECT, UnableError, find_project, find_root

_INTERVAL = 0.1  # seconds between two polls

Snapshot = dict[str, tuple[int, int, int]]
"""Path → modification time, size, inode."""


def project_changes(start: str, *, stop: Event | None = None) -> Iterator[None]:
    """Yield now, and whenever an input of the project at or above `start` changes, until `stop` is set."""
    folders: tuple[str, ...] = ()

    def state() -> Snapshot:
        nonlocal folders
        # while the configuration is being edited, the folders of before are watched
        folders = _folders(start) or folders
        return snapshot(find_root(Path(start)), folders)

    return changes(state, stop=stop)


def changes(state: Callable[[], Snapshot], *, stop: Event | None = None) -> Iterator[None]:
    """Yield now, and whenever `state` returns something else than before, until `stop` is set."""
    shown: Snapshot | None = None
    while stop is None or not stop.is_set():
        now = state()
        time.sleep(_INTERVAL)
        if now != shown and now == state():  # else it is still being saved
            shown = now
            yield


def _folders(start: str) -> tuple[str, ...]:
    """Return the folders of specs and of the project's templates; none if the configuration is not valid."""
    try:
        project = find_project(Path(start))
    except (SpecErrors, UnableError):
        return ()
    names = [project.specs, *([project.templates] if project.templates else [])]
    return tuple(str(project.root / name) for name in names)


def snapshot(root: Path, folders: tuple[str, ...]) -> Snapshot:
    """Return the state of the configuration and of every file in `folders`."""
    paths = [root / FILE, root / PYPROJECT, *(path for each in folders for path in Path(each).rglob("*"))]
    found: Snapshot = {}
    for path in paths:
        with suppress(OSError):  # there is none, or it was removed meanwhile
            state = path.stat()
            found[str(path)] = state.st_mtime_ns, state.st_size, state.st_ino
    return found
