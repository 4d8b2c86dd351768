"""A folder whose files are read and listed by paths that do not leave it.

A path is resolved once, with its links, and refused where it leaves the folder. What changes between that and
the use of the file is not noticed: who may change a folder meanwhile may also run code in it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from .reading import MAX_BYTES, READ, OutsideError, read_named, read_opened

_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_NOT_A_NAME: Final = frozenset(("", ".", ".."))


class FileKind(StrEnum):
    """The kind of what has a name in a folder."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    OTHER = "other"  # pipe, socket, device


@dataclass(frozen=True, slots=True)
class Entry:
    """The kinds of entries of a folder; links are not followed."""

    path: str  # relative to the `Folder` that was asked
    name: str
    kind: FileKind


class Folder:
    """A folder below which files are read and listed. Nothing is open between two calls.

    Paths are relative, with `/`. Every method raises `OutsideError` for a path that leaves the folder, by
    `..` or by a link, and OSError as the operating system does, with the whole path as `filename`.

    Args:
        path: the folder, which may be a link.

    Raises:
        OSError: it is missing, or is not a folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        if not stat.S_ISDIR(os.stat(self.path or ".").st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), self.path)
        self._top = os.path.realpath(self.path)
        self._folders = {"": self._top}  # path → without links, for there are thousands of files

    def below(self, path: str) -> Self:
        """Return the folder `path` as a folder of its own, which links below it may not leave."""
        self._folder(path)
        return type(self)(self.full(path))

    def full(self, path: str) -> str:
        """Return `path` with the folder before it, for messages."""
        return os.path.join(self.path, path) if path else self.path

    def read(self, path: str, *, limit: int = MAX_BYTES, links: bool = True) -> bytes:
        """Return the bytes of a regular file.

        Args:
            path: of the file.
            limit: its maximum size in bytes.
            links: follow a link at the end of the path; otherwise it raises ELOOP.
        """
        place = self._place(path, links=links)
        try:
            if not _NO_LINK and os.path.islink(place):  # Windows
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            handle = os.open(place, READ | _NO_LINK)
            try:
                return read_opened(handle, path, limit)
            finally:
                os.close(handle)
        except OSError as error:
            self._locate(error, path)
            raise

    def kind(self, path: str, *, links: bool = True) -> FileKind | None:
        """Return the kind of what is at `path`; None if nothing is. With `links`, of what a link leads to."""
        try:
            mode = os.lstat(self._place(path, links=links)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None
        return _kind_of_mode(mode)

    def entries(self, path: str = "") -> list[Entry]:
        """Return what is in a folder, sorted by name."""
        return entries_of(self._folder(path), f"{path}/" if path else "")

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
        return os.readlink(self._place(path))

    def _place(self, path: str, *, links: bool = False) -> str:
        """Return the path to use for `path`, without links; its last part may be one unless `links`."""
        head, _, name = path.rpartition("/")
        if name in _NOT_A_NAME or path[0] == "/" or os.path.splitdrive(name)[0]:
            return self._folder(path)
        place = os.path.join(self._folder(head), name)
        return self._resolved(path) if links and os.path.islink(place) else place

    def _folder(self, path: str) -> str:
        """Return the path of the folder `path` without links."""
        if path not in self._folders:
            self._folders[path] = self._resolved(path)
        return self._folders[path]

    def _resolved(self, path: str) -> str:
        found = os.path.realpath(os.path.join(self._top, path))
        if os.path.isabs(path) or not self._is_inside(found):
            parts = path.split("/")
            starts = ("/".join(parts[:number]) for number in range(1, len(parts) + 1))
            link = next(
                (each for each in starts if not self._is_inside(os.path.realpath(self.full(each)))), path
            )
            raise OutsideError(self.full(link), self.path)
        return found

    def _is_inside(self, real: str) -> bool:
        return real == self._top or real.startswith(os.path.join(self._top, ""))

    def _locate(self, error: OSError, path: str) -> None:
        """Have an error name the path as it was asked for."""
        error.filename = self.full(path)


def entries_of(folder: str, prefix: str, *, links: bool = False) -> list[Entry]:
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

    def read(self, path: str, *, limit: int = MAX_BYTES, links: bool = True) -> bytes:
        """Return the bytes of a regular file."""
        if not links:
            return super().read(path, limit=limit, links=False)
        return read_named(self.full(path), limit=limit)

    def entries(self, path: str = "") -> list[Entry]:
        """Return what is in a folder, sorted by name: of a link, the kind of what it leads to."""
        return entries_of(self.full(path) or ".", f"{path}/" if path else "", links=True)
