"""Access to the files of one folder, which no path can leave.

Every component of a path is opened relative to the descriptor of the folder before it, and symbolic links are
refused at each step. No path is resolved twice, so replacing a folder with a link between a check and its use
has no effect. Needs a POSIX system (`dir_fd`, `flock`).

Files are written atomically, under a lock, and only if they have not changed since they were read, so that
concurrent writers do not lose each other's changes.
"""

from __future__ import annotations

import errno
import fcntl
import os
import random
import secrets
import stat
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from .wording import is_unicode

LOCK_SECONDS: Final = 5.0  # seconds that a writer waits for others

_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # do not block on a FIFO
_FOLDER: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_DIRECTORY


class OutsideWorkspaceError(Exception):
    """The path is absolute, climbs with `..`, is hidden, or goes through a link."""


class PathNotFoundError(Exception):
    """Nothing has this path."""


class UnreadableError(Exception):
    """The system does not allow reading it."""


class NotWritableError(Exception):
    """The system does not allow writing it: no permission, no space."""


class ChangedMeanwhileError(Exception):
    """A file has changed since it was read, or was created meanwhile."""


class WorkspaceBusyError(ChangedMeanwhileError):
    """Other writers hold the lock for too long."""


Reason = Literal["hidden", "link", "special_file", "too_deep", "too_large", "not_text", "unreadable"]
"""Why a file or folder is skipped."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one call may handle."""

    file_bytes: int = 1_000_000
    files: int = 500  # that one search may read
    total_bytes: int = 20_000_000  # of all files that one search reads
    depth: int = 16  # of folders
    pattern_seconds: float = 3.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A regular file below the workspace, or something that is skipped, with the reason."""

    path: str
    skipped: Reason | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file's bytes, and its identity: device, inode, size, mtime in ns."""

    path: str
    data: bytes
    identity: tuple[int, int, int, int]
    mode: int


@dataclass(frozen=True, slots=True)
class Workspace:
    """Access to the files below `root`. Paths are relative, with `/` as separator."""

    root: Path
    limits: Limits = Limits()

    def entries(self, path: str) -> Iterator[Entry]:
        """Yield the file at `path`, or all files below that folder, sorted; links and the like as skipped."""
        parts = _parts(path)
        if not parts:
            with self._folder((), path) as folder:
                yield from self._walk(folder, "", 0)
            return
        with self._folder(parts[:-1], path) as parent:
            with _naming(path):
                kind = os.stat(parts[-1], dir_fd=parent, follow_symlinks=False).st_mode
            if stat.S_ISLNK(kind):
                raise OutsideWorkspaceError(f"{path} is a symbolic link.")
            if not stat.S_ISDIR(kind):
                yield _entry("/".join(parts), kind)
                return
        with self._folder(parts, path) as folder:
            yield from self._walk(folder, "/".join(parts), len(parts))

    def kind(self, path: str) -> Literal["file", "folder", "special"]:
        """Return the kind of the entry at `path`. Links are refused, at the end as in the middle."""
        if not (parts := _parts(path)):
            return "folder"
        with self._folder(parts[:-1], path) as parent, _naming(path):
            mode = os.stat(parts[-1], dir_fd=parent, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            raise OutsideWorkspaceError(f"{path} is a symbolic link.")
        if stat.S_ISDIR(mode):
            return "folder"
        return "file" if stat.S_ISREG(mode) else "special"

    def read(self, path: str) -> Snapshot | None:
        """Read the file; None if it is larger than the limit."""
        *parents, name = _parts(path)
        with self._folder(tuple(parents), path) as parent:
            return _read(parent, name, path, self.limits.file_bytes)

    @contextmanager
    def writing(self, seconds: float = LOCK_SECONDS) -> Iterator[Writer]:
        """Lock the workspace against all other writers, of this process and of others.

        What is read inside stays unchanged until the end, if all writers use this method. The lock is on the
        folder itself and ends with the process that holds it. Raises WorkspaceBusyError after `seconds`.
        """
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            _lock(descriptor, time.monotonic() + seconds)
            yield Writer(self)
        finally:
            os.close(descriptor)

    def _walk(self, folder: int, prefix: str, depth: int) -> Iterator[Entry]:
        for name in sorted(os.listdir(folder)):
            path = f"{prefix}/{name}" if prefix else name
            if name.startswith("."):
                yield Entry(path, "hidden")
                continue
            if "\\" in name or not is_unicode(name):  # no path argument can have such a name
                yield Entry(path.encode("utf-8", "replace").decode(), "unreadable")
                continue
            try:
                kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
                if not stat.S_ISDIR(kind):
                    yield _entry(path, kind)
                    continue
                if depth >= self.limits.depth:
                    yield Entry(path, "too_deep")
                    continue
                below = os.open(name, _FOLDER, dir_fd=folder)
            except OSError:
                yield Entry(path, "unreadable")
                continue
            try:
                yield from self._walk(below, path, depth + 1)
            finally:
                os.close(below)

    @contextmanager
    def _folder(self, parts: tuple[str, ...], shown: str) -> Iterator[int]:
        """Open the folder at `parts` step by step from the root; yield its descriptor."""
        here = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in parts:
                with _naming(shown):
                    below = os.open(part, _FOLDER, dir_fd=here)
                os.close(here)
                here = below
            yield here
        finally:
            os.close(here)


@dataclass(frozen=True, slots=True)
class Writer:
    """Changes files of a locked workspace; see `Workspace.writing`."""

    _workspace: Workspace

    def create(self, path: str, data: bytes) -> None:
        """Write a new file, and create its folders.

        The file is written to a temporary name and then linked, which fails if the name exists meanwhile.
        Raises NotWritableError or ChangedMeanwhileError.
        """
        *above, name = _parts(path)
        self._make_folders(above, path)
        with self._workspace._folder(tuple(above), path) as parent:
            scratch = _stage(_Staged(parent, name), path, data, 0o644)
            try:
                os.link(scratch.scratch, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
            except FileExistsError as fault:
                raise ChangedMeanwhileError(f"{path} has come to be there.") from fault
            except OSError as fault:
                raise _not_writable(path, fault) from fault
            finally:
                scratch.discard()

    def _make_folders(self, parts: list[str], shown: str) -> None:
        for number, part in enumerate(parts):
            with self._workspace._folder(tuple(parts[:number]), shown) as here:
                try:
                    os.mkdir(part, 0o755, dir_fd=here)
                except FileExistsError:
                    continue
                except OSError as fault:
                    raise _not_writable(shown, fault) from fault

    def replace(self, changes: Mapping[str, tuple[Snapshot, bytes]]) -> None:
        """Write all files of `changes`, path → (snapshot, new bytes), or none.

        All new files are written to temporary names, then all old ones are compared with their snapshots, and
        then the new ones are renamed into folders that stayed open: a full disk, or a file that changed
        meanwhile, leaves everything unchanged. Raises NotWritableError or ChangedMeanwhileError.
        """
        with ExitStack() as folders:
            parents: dict[tuple[str, ...], int] = {}
            staged: deque[_Staged] = deque()
            try:
                for path, (snapshot, data) in changes.items():
                    *above, name = _parts(path)
                    if (key := tuple(above)) not in parents:
                        parents[key] = folders.enter_context(self._workspace._folder(key, path))
                    staged.append(_stage(_Staged(parents[key], name), path, data, snapshot.mode))
                for snapshot, _ in changes.values():
                    self._check_unchanged(snapshot)
                while staged:
                    staged[0].put_in_place()
                    staged.popleft()
            finally:
                for scratch in staged:
                    scratch.discard()

    def _check_unchanged(self, snapshot: Snapshot) -> None:
        now = self._workspace.read(snapshot.path)
        if now is None or now.identity != snapshot.identity or now.data != snapshot.data:
            raise ChangedMeanwhileError(f"{snapshot.path} was changed by somebody else.")


def _lock(descriptor: int, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise WorkspaceBusyError("Other calls are changing files of the workspace.") from None
        time.sleep(random.uniform(0.001, 0.01))  # a random delay, so that writers do not collide again


def normal(path: str) -> str:
    """Normalize a path: no `./` and the like. Refused as by all methods."""
    return "/".join(_parts(path)) or "."


def _parts(path: str) -> tuple[str, ...]:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or "\0" in path or not is_unicode(path):
        raise OutsideWorkspaceError(
            f"{path!r} leaves the workspace; use a relative path without '..' or backslashes."
        )
    if any(part.startswith(".") for part in pure.parts):
        raise OutsideWorkspaceError(f"{path!r} is hidden; names that begin with a dot are off limits.")
    return pure.parts


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Translate the system's errors about a path; other errors propagate."""
    try:
        yield
    except OSError as fault:
        if fault.errno in (errno.ENOENT, errno.ENAMETOOLONG):
            raise PathNotFoundError(f"Nothing has the path {path}.") from fault
        if fault.errno in (errno.ELOOP, errno.ENOTDIR):
            raise OutsideWorkspaceError(
                f"{path} goes through a link, or through a file as if it were a folder."
            ) from fault
        if fault.errno in (errno.EACCES, errno.EPERM):
            raise UnreadableError(f"{path} cannot be read.") from fault
        raise


@dataclass(frozen=True, slots=True)
class _Staged:
    """A new file under a temporary name, in an open folder."""

    parent: int
    name: str
    scratch: str = field(default_factory=lambda: f".{secrets.token_hex(12)}.tmp")

    def put_in_place(self) -> None:
        os.replace(self.scratch, self.name, src_dir_fd=self.parent, dst_dir_fd=self.parent)

    def discard(self) -> None:
        with suppress(OSError):
            os.unlink(self.scratch, dir_fd=self.parent)


def _stage(staged: _Staged, path: str, data: bytes, mode: int) -> _Staged:
    """Write the new file to a temporary name, with the old one's permissions."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with open(os.open(staged.scratch, flags, 0o600, dir_fd=staged.parent), "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(mode))
            os.fsync(file.fileno())
    except OSError as fault:
        staged.discard()
        raise _not_writable(path, fault) from fault
    return staged


def _not_writable(path: str, fault: OSError) -> NotWritableError:
    return NotWritableError(f"{path} cannot be written: {os.strerror(fault.errno or 0)}.")


def _entry(path: str, kind: int) -> Entry:
    if stat.S_ISLNK(kind):
        return Entry(path, "link")
    return Entry(path) if stat.S_ISREG(kind) else Entry(path, "special_file")


def _read(parent: int, name: str, path: str, max_bytes: int) -> Snapshot | None:
    with _naming(path):
        descriptor = os.open(name, _FILE, dir_fd=parent)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OutsideWorkspaceError(f"{path} is not a regular file.")
        data = file.read(max_bytes + 1)
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return Snapshot(path, data, identity, status.st_mode) if len(data) <= max_bytes else None
