"""A folder whose files are written by paths that do not leave it, each of them atomically."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .folder import HAS_DESCRIPTORS, FileKind, Folder

TEMPORARY_SUFFIX: Final = ".new"
_CREATE: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)
"""With O_EXCL, a link in the place of the file is not followed."""
_IN_USE: Final = (5, 32, 33)  # of Windows: access denied, sharing violation, lock violation
_WAITS: Final = (
    0.05,
    0.1,
    0.2,
    0.4,
)  # seconds: virus scanners, indexers and editors hold a file for a moment


@dataclass(frozen=True, slots=True)
class StagedFile:
    """A complete file that a rename puts in its place."""

    folder: WritableFolder
    temporary: str
    target: str

    def publish(self) -> None:
        """Rename it to its target, replacing what is there: a link itself, not what it leads to."""
        self.folder.rename(self.temporary, self.target)

    def discard(self) -> None:
        """Remove it; nothing happens if it was published."""
        with contextlib.suppress(OSError):
            self.folder.remove(self.temporary)


class WritableFolder(Folder):
    """A `Folder` below which files are written, too. Links at the end of a path are never followed."""

    def make_folders(self, path: str, mode: int = 0o777) -> list[str]:
        """Make the folder `path` and its parents unless they exist; return those that were made, in order."""
        if path in self._held:
            return []
        head, _, _ = path.rpartition("/")
        made = self.make_folders(head, mode) if head else []
        try:
            self._folder(path)
        except FileNotFoundError:
            held, name = self._parent(path)
            with contextlib.suppress(FileExistsError):  # made by another process, just now
                os.mkdir(name, mode, dir_fd=held.descriptor)
                made.append(path)
            self._folder(path)
        return made

    def create(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Write a new file. Raises FileExistsError. The mode does not depend on the umask."""
        held, name = self._parent(path)
        try:
            handle = os.open(name, _CREATE, mode, dir_fd=held.descriptor)
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

    def stage(
        self, target: str, content: bytes, *, temporary: str | None = None, mode: int = 0o644
    ) -> StagedFile:
        """Write `content` to a new file in the target's folder, or to `temporary` on the same file system."""
        if temporary is None:
            head, slash, _ = target.rpartition("/")
            temporary = f"{head}{slash}.toolgen-{os.urandom(6).hex()}{TEMPORARY_SUFFIX}"
        self.create(temporary, content, mode=mode)
        return StagedFile(self, temporary, target)

    def write(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Write one file: a reader sees the old content or the new one, at every moment."""
        staged = self.stage(path, content, mode=mode)
        try:
            staged.publish()
        except BaseException:  # interrupted, too
            staged.discard()
            raise

    def rename(self, source: str, target: str) -> None:
        """Rename a file, replacing the target."""
        self._parent(source)
        to, new = self._parent(target)
        held, old = self._parent(source)  # again: the target's folder may have taken the place of this one
        try:
            _replace(old, new, held.descriptor, to.descriptor)
        except OSError as error:
            # The other name is a temporary one, and says nothing to a user.
            error.filename2 = None
            self._locate(error, target)
            raise

    def copy_name(self, source: str, target: str) -> None:
        """Give what is at `source` a second name, or copy it where the file system has no links."""
        self._parent(source)
        to, new = self._parent(target)
        held, old = self._parent(source)
        try:
            os.link(old, new, src_dir_fd=held.descriptor, dst_dir_fd=to.descriptor, follow_symlinks=False)
        except (OSError, NotImplementedError):
            if self.kind(source, links=False) is FileKind.LINK:
                os.symlink(self.read_link(source), new, dir_fd=to.descriptor)
            else:
                self.create(target, self.read(source, links=False), mode=self._status(source).st_mode & 0o777)

    def remove(self, path: str) -> None:
        """Remove a file, or a link itself."""
        held, name = self._parent(path)
        try:
            os.unlink(name, dir_fd=held.descriptor)
        except OSError as error:
            self._locate(error, path)
            raise

    def remove_folder(self, path: str) -> None:
        """Remove an empty folder."""
        held, name = self._parent(path)
        os.rmdir(name, dir_fd=held.descriptor)
        self._forget()

    def clear(self, path: str, *, kept: str = "") -> None:
        """Remove everything in a folder but the file `kept`, as far as that is possible."""
        import shutil  # expensive to import, and needed only for writing

        for entry in self.entries(path):
            if entry.name == kept and entry.kind is not FileKind.FOLDER:
                continue
            held, name = self._parent(entry.path)
            if entry.kind is FileKind.FOLDER:
                shutil.rmtree(name, ignore_errors=True, dir_fd=held.descriptor)
                self._forget()
            else:
                with contextlib.suppress(OSError):
                    os.unlink(name, dir_fd=held.descriptor)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold an exclusive lock on the folder; without one where the file system has no locks."""
        if not HAS_DESCRIPTORS:
            with _locked_on_windows(os.path.realpath(self.path)):
                yield
            return
        import fcntl

        handle = os.open(".", os.O_RDONLY | os.O_CLOEXEC, dir_fd=self._root.descriptor)
        try:
            with contextlib.suppress(OSError):  # a network file system may have no locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


@contextlib.contextmanager
def _locked_on_windows(folder: str) -> Iterator[None]:
    """Hold an exclusive lock on a file that stands for the folder: Windows locks no folders.

    It is empty, and stays in the folder for temporary files of the user: removing it would need a lock, too.
    """
    import hashlib
    import tempfile
    from importlib import import_module

    msvcrt = import_module("msvcrt")
    name = hashlib.sha256(os.path.normcase(folder).encode("utf-8", "surrogatepass")).hexdigest()
    path = os.path.join(tempfile.gettempdir(), f"toolgen-{name}.lock")
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        while True:  # LK_LOCK would give up after ten seconds
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
                break
            except PermissionError:  # another run holds it
                time.sleep(0.05)
        try:
            yield
        finally:
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    finally:
        os.close(handle)


def _replace(old: str, new: str, source: int | None, target: int | None) -> None:
    """Rename a file; wait a moment if it may be that Windows refuses it because another program reads one."""
    for seconds in (*_WAITS, None):
        try:
            os.replace(old, new, src_dir_fd=source, dst_dir_fd=target)
            return
        except PermissionError as error:
            if seconds is None or getattr(error, "winerror", None) not in _IN_USE:
                raise
        time.sleep(seconds)


def make_named(path: str | os.PathLike[str]) -> list[str]:
    """Make a folder that an operator names, and its parents, as far as necessary; return those made."""
    folder = os.fspath(path)
    if folder in ("", os.sep) or os.path.isdir(folder):
        return []
    made = make_named(os.path.dirname(folder))
    try:
        os.mkdir(folder)
    except FileExistsError:  # made by another process, just now; or it is a file
        if not os.path.isdir(folder):
            remove_empty(made)
            raise
        return made
    except OSError:
        remove_empty(made)
        raise
    return [*made, folder]


def remove_empty(folders: Iterable[str]) -> None:
    """Remove folders that `make_named` made, as far as nothing is in them."""
    for folder in reversed([*folders]):
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def write_named(path: str | os.PathLike[str], content: bytes, *, mode: int = 0o644) -> None:
    """Write a file atomically in a folder that an operator names, links to the folder followed."""
    head, name = os.path.split(path)
    with WritableFolder(head) as folder:
        folder.write(name, content, mode=mode)
