"""A folder for temporary files that the next run clears if this one is killed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def use_temporary_folder() -> Iterator[None]:
    """Let `tempfile` use a folder of this run, below a folder of this user, until the block ends.

    Every run holds a shared lock on the user's folder, which is released when its last process ends, killed
    or not. A run that gets an exclusive lock is alone: what is in the folder was left behind, and is removed.
    Without locks, or if another user has the folder's name, only the run's own folder is removed.
    """
    before = tempfile.tempdir
    home = Path(tempfile.gettempdir(), f"toolgen-{os.geteuid()}") if hasattr(os, "geteuid") else None
    handle = None if home is None else _lock_shared(home)
    try:
        with tempfile.TemporaryDirectory(prefix="toolgen-", dir=None if handle is None else home) as mine:
            tempfile.tempdir = mine
            yield
    finally:
        tempfile.tempdir = before
        if home is not None and handle is not None:
            _release(home, handle)


def _lock_shared(home: Path) -> int | None:
    """Return a handle of `home` with a shared lock, cleared if no other run uses it; None without locks."""
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
        os.close(handle)  # the run that had the lock before removed the folder: try again


def _release(home: Path, handle: int) -> None:
    """Release the lock; the last run removes the folder."""
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
