"""A folder whose files are written by paths that do not leave it, each of them atomically."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from .folder import FileKind, Folder

_CREATE: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)
"""With O_EXCL, a link in the place of the file is not followed."""
_FILE_MODE: Final = 0o644  # readable by all, and written by its owner
# seconds: virus scanners, indexers and editors hold a file for a moment
_WAITS: Final = (0.05, 0.1, 0.2, 0.4)


class WritableFolder(Folder):
    """A `Folder` below which files are written, too. Links at the end of a path are never followed."""

    def make_folders(self, path: str) -> list[str]:
        """Make the folder `path` and its parents unless they exist; return those that were made, in order."""
        if os.path.isdir(self._folder(path)):
            return []
        made = self.make_folders(path.rpartition("/")[0])
        with contextlib.suppress(FileExistsError):  # made by another process, just now
            os.mkdir(self._place(path))
            made.append(path)
        if not os.path.isdir(self._folder(path)):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.full(path))
        return made

    def create(self, path: str, content: bytes, *, mode: int = _FILE_MODE) -> None:
        """Write a new file. Raises FileExistsError. The mode does not depend on the umask."""
        try:
            handle = os.open(self._place(path), _CREATE, mode)
        except OSError as error:
            self._locate(error, path)
            raise
        try:
            with open(handle, "wb", buffering=0) as file:
                view = memoryview(content)
                while view:
                    view = view[file.write(view) :]
                # The umask was subtracted when the file was opened.
                if hasattr(os, "fchmod"):
                    os.fchmod(handle, mode)
        except BaseException as error:  # interrupted, too
            with contextlib.suppress(OSError):
                self.remove(path)
            if isinstance(error, OSError):
                self._locate(error, path)
            raise

    def write(self, path: str, content: bytes, *, mode: int = _FILE_MODE) -> None:
        """Write one file: a reader sees the old content or the new one, at every moment."""
        head, slash, _ = path.rpartition("/")
        temporary = f"{head}{slash}.toolgen-{os.urandom(6).hex()}.new"
        self.create(temporary, content, mode=mode)
        try:
            self.rename(temporary, path)
        except BaseException:  # interrupted, too
            with contextlib.suppress(OSError):
                self.remove(temporary)
            raise

    def rename(self, source: str, target: str) -> None:
        """Rename a file, replacing the target."""
        try:
            _replace(self._place(source), self._place(target))
        except OSError as error:
            # The other name is a temporary one, and says nothing to a user.
            error.filename2 = None
            self._locate(error, target)
            raise

    def copy_name(self, source: str, target: str) -> None:
        """Give what is at `source` a second name, or copy it where the file system has no links."""
        old, new = self._place(source), self._place(target)
        try:
            os.link(old, new, follow_symlinks=False)
        except (OSError, NotImplementedError):
            if self.kind(source, links=False) is FileKind.LINK:
                os.symlink(self.read_link(source), new)
            else:
                self.create(target, self.read(source, links=False), mode=os.lstat(old).st_mode & 0o777)

    def remove(self, path: str) -> None:
        """Remove a file, or a link itself."""
        try:
            os.unlink(self._place(path))
        except OSError as error:
            self._locate(error, path)
            raise

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._place(path))

    def remove_tree(self, path: str) -> None:
        """Remove a folder with everything in it, as far as that is possible. No link is followed."""
        import shutil  # expensive to import, and needed only for writing

        shutil.rmtree(self._place(path), ignore_errors=True)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold an exclusive lock on the folder; without one on Windows, and where a file system has none."""
        if os.name == "nt":
            yield
            return
        import fcntl  # only Unix has it

        handle = os.open(self._top, os.O_RDONLY | os.O_CLOEXEC)
        try:
            with contextlib.suppress(OSError):  # a network file system may have no locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _replace(old: str, new: str) -> None:
    """Rename a file; wait a moment if it may be that Windows refuses it because another program reads one."""
    for seconds in (*_WAITS, None):
        try:
            os.replace(old, new)
            return
        except PermissionError as error:
            # only Windows sets it, for which a file in use is a PermissionError, too
            if seconds is None or getattr(error, "winerror", None) is None:
                raise
        time.sleep(seconds)


def make_named(path: str | os.PathLike[str]) -> list[Path]:
    """Make a folder that an operator names, and its parents, as far as necessary; return those made."""
    folder = Path(path)
    made = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        remove_empty(made)
        raise
    return made


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove folders that `make_named` made, as far as nothing is in them."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def write_named(path: str | os.PathLike[str], content: bytes, *, mode: int = _FILE_MODE) -> None:
    """Write a file atomically in a folder that an operator names, links to the folder followed."""
    head, name = os.path.split(path)
    WritableFolder(head).write(name, content, mode=mode)
