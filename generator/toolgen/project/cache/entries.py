"""Content-addressed cache on disk: safe to delete, safe to share between processes of one user."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from toolgen.base.files import read_named, write_named
from toolgen.project.cache.toolchain import generator_id

_MAGIC = b"toolgen cache 1\n"
_DAY = 86_400  # seconds
_MAX_AGE = 30 * _DAY  # of an entry, which is then made again if it is still of use
_STAMP = "pruned"
_GENERATOR = re.compile(r"[0-9a-f]{16}")
_ENTRY = re.compile(r"[0-9a-f]{64}|\.toolgen-.+")  # also of what a run that was killed has not finished


def cache_folder() -> Path:
    """Return `TOOLGEN_CACHE_DIR`, or toolgen's folder in the platform's folder for caches."""
    named = os.environ.get("TOOLGEN_CACHE_DIR")
    if named:
        return Path(named)
    import platformdirs  # of the extra `cli`

    return platformdirs.user_cache_path("toolgen", appauthor=False)


def user_cache() -> Cache:
    """Return the user's cache; it is empty and stays so unless it is `trusted`: others may write to it."""
    return Cache(cache_folder() / generator_id())


class Cache(MutableMapping[str, bytes]):
    """A folder as a mapping. A damaged entry counts as missing.

    An entry carries a hash of its key and content, which does not protect against somebody who may write to
    the folder, and its content becomes code. So a folder that belongs to another user, or that others may
    write to, is not used, as ssh refuses such keys. A folder that cannot be written to stores nothing: a
    cache must never be the reason for a failure.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self.trusted = all(_is_private(each) for each in (folder.parent, folder))

    def __getitem__(self, key: str) -> bytes:
        path = self._path(key)
        found = _open(path) if self.trusted else None
        if found is None or found[0] != key:
            raise KeyError(key)
        return found[1]

    def __setitem__(self, key: str, value: bytes) -> None:
        if not self.trusted:
            return
        path = self._path(key)
        body = key.encode() + b"\n" + value
        with suppress(OSError):
            content = _MAGIC + sha256(body).hexdigest().encode() + b"\n" + body
            _make_folders(self._folder)
            write_named(path, content, mode=0o600)

    def __delitem__(self, key: str) -> None:
        os.unlink(self._path(key))

    def __iter__(self) -> Iterator[str]:
        for path in sorted(Path(self._folder).glob("[!.]*")):
            if self.trusted and (found := _open(str(path))):
                yield found[0]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _path(self, key: str) -> str:
        return f"{self._folder}/{sha256(key.encode()).hexdigest()}"


def _is_private(folder: Path) -> bool:
    """True unless `folder` exists and somebody beside this user and root may have written to it."""
    try:
        found = os.stat(folder)
    except OSError:
        return True
    # Windows has other permissions
    return not hasattr(os, "geteuid") or (found.st_uid in (os.geteuid(), 0) and not found.st_mode & 0o022)


def _make_folders(folder: str) -> None:
    """Make `folder` and its parents, readable by this user only."""
    if folder and not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder))
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)


def _open(path: str) -> tuple[str, bytes] | None:
    """Return key and value of an entry; None if it is missing or damaged."""
    try:
        data = read_named(path)
    except OSError:
        return None
    head, _, body = data.removeprefix(_MAGIC).partition(b"\n")
    # the hash covers the key, so that an entry under another name is found out
    if not data.startswith(_MAGIC) or sha256(body).hexdigest().encode() != head:
        return None
    key, _, value = body.partition(b"\n")
    return key.decode("utf-8", "replace"), value


def prune(folder: Path) -> None:
    """Remove entries that are 30 days old, of all generators below `folder`; at most once a day.

    So the entries of generators that are no longer installed go, and those of earlier texts of specs. A
    process that loses an entry to this makes it again.
    """
    now = time.time()
    stamp = folder / _STAMP
    with suppress(OSError):
        if stamp.exists() and 0 <= now - stamp.stat().st_mtime < _DAY:
            return
        stamp.touch()  # the process that comes first does the work
        for generator in folder.iterdir():
            if not _GENERATOR.fullmatch(generator.name) or generator.is_symlink():
                continue
            for entry in generator.iterdir():
                if _ENTRY.fullmatch(entry.name) and entry.lstat().st_mtime < now - _MAX_AGE:
                    entry.unlink(missing_ok=True)
            with suppress(OSError):
                generator.rmdir()  # if it is empty
