"""Read the sources of blocks, once, with the limit enforced while reading.

A source is read in a worker thread, and an async iterable in the event loop.
"""

from __future__ import annotations

import os
import stat
from collections.abc import AsyncIterable, Iterator
from contextlib import suppress
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Final

from .values import Media

_CHUNK: Final = 256 * 1024  # bytes
_OPEN_FLAGS: Final = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_UNBLOCKED: Final = getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not wait for its writer
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_HAS_DIR_FD: Final = os.open in os.supports_dir_fd


class SourceError(ValueError):
    """A source cannot be a block: the message says why, without the path."""


class OversizedError(SourceError):
    """A source has more bytes than it may have."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"it has more than {limit:,} bytes")


def is_async(media: Media) -> bool:
    """True if the source is read in the event loop; an async file is iterated, too."""
    read = getattr(media.source, "read", None)
    return isinstance(media.source, AsyncIterable) and (read is None or iscoroutinefunction(read))


def read_source(media: Media, limit: int) -> bytes:
    """Return the bytes of a source that is not an async iterable. May block.

    Raises:
        OversizedError: for more than `limit` bytes; no more than that are read.
        SourceError: for anything but a regular file below `root`, and for one that changes meanwhile.
        OSError: as the operating system does.
    """
    source = media.source
    if isinstance(source, bytes | bytearray | memoryview):
        size = source.nbytes if isinstance(source, memoryview) else len(source)
        if size > limit:
            raise OversizedError(limit)
        return bytes(source)
    if isinstance(source, os.PathLike):
        return _read_file(Path(source), media.root, limit)
    if isinstance(source, AsyncIterable):
        raise TypeError("an async iterable is read in the event loop")
    return _joined(iter(lambda: source.read(_CHUNK), b""), limit)


async def read_stream(source: AsyncIterable[bytes], limit: int) -> bytes:
    """Return the bytes of an async iterable, and close it. Raises OversizedError or SourceError."""
    data = bytearray()
    try:
        async for chunk in source:
            _append(data, chunk, limit)
    finally:
        close = getattr(source, "aclose", None)
        if close is not None:
            await close()
    return bytes(data)


def _joined(chunks: Iterator[bytes], limit: int) -> bytes:
    data = bytearray()
    for chunk in chunks:
        if not chunk:
            break
        _append(data, chunk, limit)
    return bytes(data)


def _append(data: bytearray, chunk: object, limit: int) -> None:
    if not isinstance(chunk, bytes | bytearray | memoryview):
        raise SourceError(f"it gives {type(chunk).__name__}, not bytes: open files in binary mode")
    if len(data) + len(chunk) > limit:
        raise OversizedError(limit)
    data += chunk


def _read_file(path: Path, root: str | os.PathLike[str] | None, limit: int) -> bytes:
    descriptor = _open(path) if root is None else _open_inside(path, Path(root))
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise SourceError("it is not a regular file")
        if before.st_size > limit:
            raise OversizedError(limit)
        data = os.read(descriptor, before.st_size + 1)  # at once, without a copy
        while len(data) < before.st_size and (more := os.read(descriptor, before.st_size + 1 - len(data))):
            data += more
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if len(data) != before.st_size or after.st_mtime_ns != before.st_mtime_ns:
        raise SourceError("it changed while it was read")
    return data


def _open(path: Path) -> int:
    return os.open(path, _OPEN_FLAGS | _UNBLOCKED)


def _open_inside(path: Path, root: Path) -> int:
    """Open a file below `root`. No link is followed after its path has been resolved."""
    root = root.resolve(strict=True)
    try:
        inner = (root / path).resolve(strict=True).relative_to(root)
    except ValueError:
        raise SourceError("it is outside of its root") from None
    if not _HAS_DIR_FD:
        return _open(root / inner)
    folders = [os.open(root, _OPEN_FLAGS)]
    try:
        for part in inner.parts[:-1]:
            folders.append(os.open(part, _OPEN_FLAGS | _NO_LINK, dir_fd=folders[-1]))
        return os.open(inner.parts[-1], _OPEN_FLAGS | _UNBLOCKED | _NO_LINK, dir_fd=folders[-1])
    except IndexError:
        raise SourceError("it is not a regular file") from None
    finally:
        for folder in folders:
            with suppress(OSError):
                os.close(folder)
