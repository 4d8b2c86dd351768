"""Bytes that were expensive to make, kept by content: safe to delete, safe to share."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Iterator, MutableMapping
from hashlib import sha256
from pathlib import Path

from toolgen.project.fast import read_bytes

_MAGIC = b"toolgen cache 1\n"
_numbers = itertools.count()


def cache_folder() -> Path:
    """`TOOLGEN_CACHE_DIR`, or toolgen's folder in the platform's place for caches."""
    named = os.environ.get("TOOLGEN_CACHE_DIR")
    if named:
        return Path(named)
    import platformdirs

    return platformdirs.user_cache_path("toolgen", appauthor=False)


class Cache(MutableMapping[str, bytes]):
    """A folder as a mapping. What is damaged, or belongs to another key, is not there.

    An entry carries a hash of its key and content, which is no defence against somebody who may write to the
    folder: what is in there becomes code. So a folder that is another user's, or that others may write to, is
    not used, as ssh does not use such keys. Nor does a folder that cannot be written to remember anything: a
    cache must never be the reason why something fails.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._yesterday = time.time() - 86_400
        self.trusted = all(_is_ours(each) for each in (folder.parent, folder))

    def __getitem__(self, key: str) -> bytes:
        path = self._path(key)
        found = _open(path) if self.trusted else None
        if found is None or found[0] != key:
            raise KeyError(key)
        with contextlib.suppress(OSError):
            if os.stat(path).st_mtime < self._yesterday:
                os.utime(path)  # used: `prune` goes by that
        return found[1]

    def __setitem__(self, key: str, value: bytes) -> None:
        if not self.trusted:
            return
        path = self._path(key)
        body = key.encode() + b"\n" + value
        with contextlib.suppress(OSError):
            temporary = f"{path}.{os.getpid()}-{next(_numbers)}.new"
            try:
                _write(temporary, _MAGIC + sha256(body).hexdigest().encode() + b"\n" + body)
                os.replace(temporary, path)
            except BaseException:  # also when interrupted: a cache must not fill up with halves
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        with contextlib.suppress(OSError):
            os.unlink(self._path(key))

    def __iter__(self) -> Iterator[str]:
        for path in sorted(Path(self._folder).glob("??/*")):
            if self.trusted and path.suffix != ".new" and (found := _open(str(path))):
                yield found[0]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _path(self, key: str) -> str:
        name = sha256(key.encode()).hexdigest()
        return f"{self._folder}/{name[:2]}/{name[2:]}"


def _is_ours(folder: Path) -> bool:
    """Whether nobody but this user, or the system's, can have put anything into `folder`, if it exists."""
    try:
        found = os.stat(folder)
    except OSError:
        return True
    return not hasattr(os, "geteuid") or (found.st_uid in (os.geteuid(), 0) and not found.st_mode & 0o022)


def _write(path: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        handle = os.open(path, flags, 0o600)
    except FileNotFoundError:
        _make_folders(os.path.dirname(path))
        handle = os.open(path, flags, 0o600)
    with open(handle, "wb", buffering=0) as file:
        file.write(data)


def _make_folders(folder: str) -> None:
    """`folder` and what is above it: nobody else's business."""
    if folder and not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder))
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def _open(path: str) -> tuple[str, bytes] | None:
    """Key and value of an entry that is whole."""
    try:
        data = read_bytes(path)
    except OSError:
        return None
    head, _, body = data.removeprefix(_MAGIC).partition(b"\n")
    if not data.startswith(_MAGIC) or sha256(body).hexdigest().encode() != head:
        return None
    key, _, value = body.partition(b"\n")
    return key.decode("utf-8", "replace"), value
