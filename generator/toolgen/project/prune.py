"""What nobody used for a month leaves the cache: looked for once a day, by whoever comes along.

An entry's time is when it was last used, to the day (`Cache` sees to that). So the entries of a generator
that is no longer installed go, and those of specs as they once were. Whoever is at work beside us loses, at
worst, an entry that it then makes again.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

_DAY = 86_400  # seconds
_KEPT = 30 * _DAY  # what is kept unused
_STAMP = "pruned"
_GENERATOR = re.compile(r"[0-9a-f]{16}")
_BUCKET = re.compile(r"[0-9a-f]{2}")


def prune(folder: Path) -> None:
    """Remove what is old from the caches of all generators below `folder`, unless that was done today."""
    now = time.time()
    with suppress(OSError):
        if not _is_due(folder / _STAMP, now):
            return
        for generator in _folders(str(folder), _GENERATOR):
            for bucket in _folders(generator, _BUCKET):
                _prune(bucket, now)
            _remove_empty(generator)


def _is_due(stamp: Path, now: float) -> bool:
    """Whether a day went by; whoever finds that out first does the work."""
    with suppress(FileNotFoundError):
        if 0 <= now - stamp.stat().st_mtime < _DAY:
            return False
    stamp.touch(0o600)
    return True


def _folders(parent: str, name: re.Pattern[str]) -> list[str]:
    """The folders of our making in `parent`: no links, nothing of anybody else's."""
    return [
        entry.path
        for entry in os.scandir(parent)
        if name.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
    ]


def _prune(bucket: str, now: float) -> None:
    for entry in list(os.scandir(bucket)):
        limit = (
            _DAY if entry.name.endswith(".new") else _KEPT
        )  # the half of an entry, of a run that was killed
        with suppress(OSError):
            if now - entry.stat(follow_symlinks=False).st_mtime > limit:
                os.unlink(entry.path)
    _remove_empty(bucket)


def _remove_empty(folder: str) -> None:
    with suppress(OSError):
        os.rmdir(folder)
