"""A place for temporary files, which the next run clears where this one is killed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def scratch() -> Iterator[None]:
    """While it lasts, `tempfile` has its place in a folder of this run, below one of this user.

    Every run holds a shared lock on the user's folder, which ends with its last process, however that ends.
    Who can have the lock alone knows that whatever lies there was left behind, and removes it. Where there
    are no locks, or the folder's name is taken by somebody else, nothing is cleared but what is our own.
    """
    before = tempfile.tempdir
    home = Path(tempfile.gettempdir(), f"toolgen-{os.geteuid()}") if hasattr(os, "geteuid") else None
    handle = None if home is None else _shared(home)
    try:
        with tempfile.TemporaryDirectory(prefix="toolgen-", dir=None if handle is None else home) as mine:
            tempfile.tempdir = mine
            yield
    finally:
        tempfile.tempdir = before
        if home is not None and handle is not None:
            _leave(home, handle)


def _shared(home: Path) -> int | None:
    """`home` with a shared lock on it, and empty if nobody else has one; None where that is not to be had."""
    import fcntl

    while True:
        try:
            with suppress(FileExistsError):
                home.mkdir(0o700)
            handle = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return None
        found = os.fstat(handle)
        try:
            if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) != 0o700:
                raise PermissionError
            if _lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB):
                _clear(home)
            fcntl.flock(handle, fcntl.LOCK_SH)
            if os.path.samestat(found, os.lstat(home)):
                return handle
        except FileNotFoundError:
            pass
        except OSError:  # not ours; or a network's file system without locks
            os.close(handle)
            return None
        os.close(handle)  # whoever had the lock before removed the folder: once more


def _leave(home: Path, handle: int) -> None:
    """Let go; the last one removes the folder."""
    import fcntl

    with suppress(OSError):
        if _lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB):
            home.rmdir()
    os.close(handle)


def _lock(handle: int, how: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, how)
    except BlockingIOError:
        return False
    return True


def _clear(home: Path) -> None:
    for entry in list(os.scandir(home)):
        shutil.rmtree(entry.path, ignore_errors=True)
