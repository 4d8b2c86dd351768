"""Watch files: `generate --watch` generates again after every change, `mock` reads the specs again.

Polls the modification time and size of every input ten times a second, which takes two milliseconds for a
thousand files. A library for file events would have limits on watched files and fail on network file systems.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

from toolgen.language.diagnostic import SpecErrors
from toolgen.project import FILE, PYPROJECT, UnableError, find_project, find_root

_INTERVAL = 0.1  # seconds between two polls
_SETTLE = 0.02  # seconds without a change, after which saving is complete

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
    before: Snapshot | None = None
    while stop is None or not stop.is_set():
        now = state()
        if now == before:
            time.sleep(_INTERVAL)
            continue
        while now != before:  # wait until saving is complete
            before = now
            time.sleep(_SETTLE)
            now = state()
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
    found: Snapshot = {}
    for path in (str(root / FILE), str(root / PYPROJECT)):
        with suppress(OSError):
            found[path] = _file_state(os.stat(path))
    for folder in folders:
        found.update(_inside(folder))
    return found


def _inside(folder: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        # a link could lead round in a circle
        if entry.is_dir(follow_symlinks=False):
            yield from _inside(entry.path)
        else:
            with suppress(OSError):  # removed meanwhile
                yield entry.path, _file_state(entry.stat())


def _file_state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_mtime_ns, found.st_size, found.st_ino
