"""`generate --watch`: one process that stays, and generates again when something was saved.

Ten times a second it asks for the time and size of every file that matters, which takes two milliseconds for
a thousand of them: no library, no limit on watched files, and it works on every file system.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from toolgen.cli.out import say
from toolgen.data.diagnostic import SpecErrors
from toolgen.project import FILE, PYPROJECT, UnableError, find_project, find_root

_PAUSE = 0.1  # seconds between two looks
_CALM = 0.02  # seconds without a change, after which a file is saved as a whole

Seen = dict[str, tuple[int, int, int]]
"""Path → when it was changed, its size, which file it is."""


def watch(start: str, generate: Callable[[], object], show: Callable[[Exception], object]) -> None:
    """Call `generate` now and after every change, until interrupted. What it refuses is shown: on we go."""
    folders: tuple[str, ...] = ()
    seen: Seen | None = None
    while True:
        root, folders = find_root(Path(start)), _folders(start) or folders
        now = _look(root, folders)
        if now == seen:
            time.sleep(_PAUSE)
            continue
        while now != seen:  # somebody may be in the middle of saving
            seen = now
            time.sleep(_CALM)
            now = _look(root, folders)
        try:
            generate()
        except (SpecErrors, UnableError) as error:
            show(error)
        say("watching; ^C ends it")


def _folders(start: str) -> tuple[str, ...]:
    """What the specs and the project's own templates lie in; nothing where the configuration is broken."""
    try:
        project = find_project(Path(start))
    except (SpecErrors, UnableError):
        return ()
    names = [project.specs, *([project.templates] if project.templates else [])]
    return tuple(str(project.root / name) for name in names)


def _look(root: Path, folders: tuple[str, ...]) -> Seen:
    """All that there is to see: the configuration, and every file in `folders`."""
    seen: Seen = {}
    for path in (str(root / FILE), str(root / PYPROJECT)):
        with suppress(OSError):
            seen[path] = _state(os.stat(path))
    for folder in folders:
        seen.update(_inside(folder))
    return seen


def _inside(folder: str) -> Iterator[tuple[str, tuple[int, int, int]]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _inside(entry.path)
        else:
            with suppress(OSError):  # gone between two looks: as good as not there
                yield entry.path, _state(entry.stat())


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_mtime_ns, found.st_size, found.st_ino
