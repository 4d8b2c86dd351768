"""A folder whose files are read and listed by paths that do not leave it.

Each part of a path is opened relative to the one before it, without following links (`openat` with
O_NOFOLLOW). A link is read and its parts are opened in the same way, so that what was checked is what is
opened, even if the folder changes meanwhile. Systems without descriptors of folders (Windows) resolve the
path first, and then open it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Final, Self

from .reading import MAX_BYTES, READ, OutsideError, read_named, read_opened

HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY  # O_PATH: the right to list is not needed
_NOT_A_NAME: Final = frozenset(("", ".", ".."))
_MAX_LINKS: Final = 40  # as Linux
_MAX_HELD: Final = 64  # open folders, of which a process may often have 256


class FileKind(StrEnum):
    """The kind of what has a name in a folder."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"  # pipe, socket, device


@dataclass(frozen=True, slots=True)
class Entry:
    """What has a name in a folder; links are not followed."""

    path: str  # relative to the `Folder` that was asked
    name: str
    kind: FileKind


@dataclass(frozen=True, slots=True)
class _Held:
    """An open folder."""

    descriptor: int | None  # None: the system has none
    real: str  # its path below the `Folder`, without links


class Folder:
    """A folder below which files are read and listed. Close it, or use it in a `with`; not thread-safe.

    Paths are relative, with `/`. Every method raises `OutsideError` for a path that leaves the folder, by
    `..` or by a link, and OSError as the operating system does, with the whole path as `filename`.

    Args:
        path: the folder, which may be a link.

    Raises:
        OSError: it is missing, or is not a folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if HAS_DESCRIPTORS:
            # Without O_NOFOLLOW: an operator names this folder, and it may be a link.
            self._root = _Held(os.open(self.path or ".", _FOLDER), "")
        elif os.path.isdir(self.path or "."):
            self._root = _Held(None, "")
        else:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.path)
        self._held = {"": self._root}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all descriptors."""
        self._forget()
        if self._root.descriptor is not None:
            os.close(self._root.descriptor)
        self._held.clear()

    def below(self, path: str) -> Self:
        """Return the folder `path` as a folder of its own, which links below it may not leave."""
        held = self._folder(path)
        made = type(self).__new__(type(self))
        made.path = self.full(path)
        made._root = _Held(None if held.descriptor is None else os.dup(held.descriptor), "")
        made._held = {"": made._root}
        return made

    def full(self, path: str) -> str:
        """Return `path` with the folder before it, for messages."""
        return os.path.join(self.path, path) if path else self.path

    def read(
        self, path: str, *, limit: int = MAX_BYTES, links: bool = True, unchanging: bool = False
    ) -> bytes:
        """Return the bytes of a regular file.

        Args:
            path: of the file.
            limit: its maximum size in bytes.
            links: follow a link at the end of the path; otherwise it raises ELOOP.
            unchanging: raise ChangedFileError if the file is written to meanwhile.
        """
        handle = self._open(path, READ, links=links)
        try:
            return read_opened(handle, path, limit, unchanging=unchanging)
        except OSError as error:
            self._locate(error, path)
            raise
        finally:
            os.close(handle)

    def kind(self, path: str, *, links: bool = True) -> FileKind | None:
        """Return the kind of what is at `path`; None if nothing is. With `links`, of what a link leads to."""
        try:
            mode = self._status(self._real(path) if links else path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _kind_of_mode(mode)

    def entries(self, path: str = "") -> list[Entry]:
        """Return what is in a folder, sorted by name."""
        prefix = f"{path}/" if path else ""
        held = self._folder(path)
        if not HAS_DESCRIPTORS:
            return entries_of(os.path.join(self.path, held.real), prefix)
        handle = os.open(".", READ | _DIRECTORY, dir_fd=held.descriptor)
        try:
            return entries_of(handle, prefix)
        finally:
            os.close(handle)

    def walk(self, path: str = "", *, skipped: tuple[str, ...] = ()) -> Iterator[Entry]:
        """Yield everything in a folder and in the folders below it, but for those themselves.

        Folders that are links are yielded, and not entered. `skipped` are beginnings of names.
        """
        for entry in self.entries(path):
            if entry.name.startswith(skipped):
                continue
            if entry.kind is FileKind.FOLDER:
                yield from self.walk(entry.path, skipped=skipped)
            else:
                yield entry

    def read_link(self, path: str) -> str:
        """Return the target of a link as it is written."""
        held, name = self._parent(path)
        return os.readlink(name, dir_fd=held.descriptor)

    def _open(self, path: str, flags: int, *, links: bool) -> int:
        held, name = self._parent(path)
        try:
            if not HAS_DESCRIPTORS and os.path.islink(name):
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            return os.open(name, flags | _NO_LINK, dir_fd=held.descriptor)
        except OSError as error:
            # O_NOFOLLOW refuses a link with ELOOP, EMLINK or EFTYPE, depending on the system.
            real = self._real(path) if links else path
            if real == path:
                self._locate(error, path)
                raise
        return self._open(real, flags, links=False)

    def _status(self, path: str) -> os.stat_result:
        held, name = self._parent(path)
        return os.stat(name, dir_fd=held.descriptor, follow_symlinks=False)

    def _real(self, path: str) -> str:
        """Return the path below this folder where the link at `path` leads; `path` if it is no link."""
        asked = path
        for _ in range(_MAX_LINKS):
            try:
                held, name = self._parent(path)
                target = os.readlink(name, dir_fd=held.descriptor)
            except OutsideError:
                raise OutsideError(self.full(asked), self.path) from None
            except OSError:
                return path
            path = self._joined(held.real, path.rpartition("/")[2], target)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), self.full(path))

    def _parent(self, path: str) -> tuple[_Held, str]:
        """Return the open folder of `path`, and the name in it to use with the folder's descriptor."""
        head, _, name = path.rpartition("/")
        if HAS_DESCRIPTORS and head in self._held and name not in _NOT_A_NAME and path[0] != "/":
            return self._held[head], name  # nearly always, and there are thousands of files
        if name in _NOT_A_NAME or path[0] == "/":
            head, name = path, "."
        held = self._folder(head)
        return held, name if HAS_DESCRIPTORS else os.path.join(self.path, held.real, name)

    def _folder(self, path: str) -> _Held:
        """Return the folder at `path`, opened part by part."""
        if path in self._held:
            return self._held[path]
        if len(self._held) > _MAX_HELD:
            self._forget()
        todo, held, links, link = path.split("/")[::-1], self._root, 0, path
        if os.path.isabs(path):
            raise OutsideError(path, self.path)
        while todo:
            part = todo.pop()
            if part in ("", "."):
                continue
            if part == "..":
                if not held.real:
                    raise OutsideError(self.full(link), self.path)
                # The parent of the real folder, not of the link that led to it: as the system does.
                held = self._folder(held.real.rpartition("/")[0])
                continue
            found = self._enter(held, part, path)
            if isinstance(found, _Held):
                held = found
                continue
            links += 1
            if links > _MAX_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), self.full(path))
            link = f"{held.real}/{part}" if held.real else part
            todo += self._joined(held.real, part, found).split("/")[::-1]
            held = self._root
        self._held[path] = held
        return held

    def _enter(self, held: _Held, part: str, path: str) -> _Held | str:
        """Return the folder `part` in `held`, or the target if it is a link."""
        real = f"{held.real}/{part}" if held.real else part
        if real in self._held:
            return self._held[real]
        name = part if HAS_DESCRIPTORS else os.path.join(self.path, real)
        try:
            if HAS_DESCRIPTORS:
                found = _Held(os.open(part, _FOLDER | _NO_LINK, dir_fd=held.descriptor), real)
            elif os.path.islink(name):
                return os.readlink(name)
            elif stat.S_ISDIR(os.stat(name).st_mode):
                found = _Held(None, real)
            else:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        except OSError as error:
            try:
                return os.readlink(name, dir_fd=held.descriptor)
            except OSError:
                self._locate(error, path)
                raise error from None
        self._held[real] = found
        return found

    def _joined(self, real: str, name: str, target: str) -> str:
        """Return the target of the link `name` in the folder `real` as a path below this folder."""
        if not os.path.isabs(target):
            return os.path.join(real, target).replace(os.sep, "/")
        top = os.path.realpath(self.path)
        # Only to find it below the folder: what this returns is opened part by part like any path.
        found = os.path.realpath(target)
        if found == top:
            return "."
        if not found.startswith(os.path.join(top, "")):
            raise OutsideError(self.full(os.path.join(real, name)), self.path)
        return os.path.relpath(found, top).replace(os.sep, "/")

    def _locate(self, error: OSError, path: str) -> None:
        """Have an error name the whole path, where the system was given a part of it."""
        error.filename = self.full(path)

    def _forget(self) -> None:
        """Close all folders but this one itself."""
        for descriptor in {each.descriptor for each in self._held.values()} - {self._root.descriptor}:
            if descriptor is not None:
                os.close(descriptor)
        self._held = {"": self._root}


def entries_of(folder: int | str, prefix: str, *, links: bool = False) -> list[Entry]:
    """Return what is in a folder, sorted by name; with `links`, of what links lead to."""
    with os.scandir(folder) as found:
        entries = [Entry(prefix + each.name, each.name, _kind_of_entry(each, links)) for each in found]
    return sorted(entries, key=lambda entry: entry.name)


def _kind_of_entry(entry: os.DirEntry[str], links: bool) -> FileKind:
    if entry.is_file(follow_symlinks=links):
        return FileKind.FILE
    if entry.is_dir(follow_symlinks=links):
        return FileKind.FOLDER
    return FileKind.LINK if entry.is_symlink() else FileKind.OTHER


def _kind_of_mode(mode: int) -> FileKind:
    if stat.S_ISREG(mode):
        return FileKind.FILE
    if stat.S_ISDIR(mode):
        return FileKind.FOLDER
    return FileKind.LINK if stat.S_ISLNK(mode) else FileKind.OTHER


class DeclaredFolder(Folder):
    """A folder whose links are followed: an installation may consist of them.

    Only regular files of limited size are read, as everywhere.
    """

    def read(
        self, path: str, *, limit: int = MAX_BYTES, links: bool = True, unchanging: bool = False
    ) -> bytes:
        """Return the bytes of a regular file."""
        if not links:
            return super().read(path, limit=limit, links=False, unchanging=unchanging)
        return read_named(self.full(path), limit=limit, unchanging=unchanging)

    def entries(self, path: str = "") -> list[Entry]:
        """Return what is in a folder, sorted by name: of a link, the kind of what it leads to."""
        return entries_of(self.full(path) or ".", f"{path}/" if path else "", links=True)
