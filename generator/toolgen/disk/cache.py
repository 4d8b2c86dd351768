"""Bytes that were expensive to make, kept by content: safe to delete, safe to share."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, MutableMapping
from hashlib import sha256
from pathlib import Path

_MAGIC = b"toolgen cache 1\n"


def cache_folder() -> Path:
    """`TOOLGEN_CACHE_DIR`, or toolgen's folder in the platform's place for caches."""
    if named := os.environ.get("TOOLGEN_CACHE_DIR"):
        return Path(named)
    import platformdirs  # the base installation has no generator, and says so before this is asked

    return platformdirs.user_cache_path("toolgen", appauthor=False)


class Cache(MutableMapping[str, bytes]):
    """A folder as a mapping. What is damaged, or belongs to another key, is not there.

    An entry is trusted for the hash of its own key and content and for nothing else. A folder that cannot
    be written to forgets: a cache must never be the reason why something fails.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __getitem__(self, key: str) -> bytes:
        found = _open(self._path(key))
        if found is None or found[0] != key:
            raise KeyError(key)
        return found[1]

    def __setitem__(self, key: str, value: bytes) -> None:
        path = self._path(key)
        body = key.encode() + b"\n" + value
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MAGIC + sha256(body).hexdigest().encode() + b"\n" + body)
                os.replace(temporary, path)
            except BaseException:  # also when interrupted: a cache must not fill up with halves
                os.unlink(temporary)
                raise

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def __iter__(self) -> Iterator[str]:
        for path in sorted(self._folder.glob("??/*")):
            if not path.name.startswith(".") and (found := _open(path)):
                yield found[0]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _path(self, key: str) -> Path:
        name = sha256(key.encode()).hexdigest()
        return self._folder / name[:2] / name[2:]


def _open(path: Path) -> tuple[str, bytes] | None:
    """Key and value of an entry that is whole."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    head, _, body = data.removeprefix(_MAGIC).partition(b"\n")
    if not data.startswith(_MAGIC) or sha256(body).hexdigest().encode() != head:
        return None
    key, _, value = body.partition(b"\n")
    return key.decode("utf-8", "replace"), value
