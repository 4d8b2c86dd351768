"""Read the sources of blocks, once, with the limit enforced while reading.

A source is read in a worker thread, and an async iterable in the event loop.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterable
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Final

from toolgen.base.files import (
    Folder,
    IrregularFileError,
    OutsideError,
    OversizedFileError,
    read_named,
)

from .values import Media

_CHUNK: Final = 256 * 1024  # bytes


class ContentSourceError(ValueError):
    """A source cannot be a block: the message says why, without the path."""


class OversizedError(ContentSourceError):
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
        ContentSourceError: for anything but a regular file below `root`.
        OSError: as the operating system does.
    """
    source = media.source
    if isinstance(source, bytes | bytearray | memoryview):
        size = source.nbytes if isinstance(source, memoryview) else len(source)
        if size > limit:
            raise OversizedError(limit)
        return bytes(source)
    # `root` keeps a path that a caller has chosen inside a folder
    if isinstance(source, os.PathLike):
        return _read_file(Path(source), media.root, limit)
    if isinstance(source, AsyncIterable):
        raise TypeError("an async iterable is read in the event loop")
    data = bytearray()
    while chunk := source.read(_CHUNK):
        _append(data, chunk, limit)
    return bytes(data)


async def read_stream(source: AsyncIterable[bytes], limit: int) -> bytes:
    """Return the bytes of an async iterable, and close it. Raises OversizedError or ContentSourceError."""
    data = bytearray()
    try:
        async for chunk in source:
            _append(data, chunk, limit)
    finally:
        close = getattr(source, "aclose", None)
        if close is not None:
            await close()
    return bytes(data)


def _append(data: bytearray, chunk: object, limit: int) -> None:
    if not isinstance(chunk, bytes | bytearray | memoryview):
        raise ContentSourceError(f"it gives {type(chunk).__name__}, not bytes: open files in binary mode")
    if len(data) + len(chunk) > limit:
        raise OversizedError(limit)
    data += chunk


def _read_file(path: Path, root: str | os.PathLike[str] | None, limit: int) -> bytes:
    try:
        if root is None:
            return read_named(path, limit=limit)
        with Folder(root) as folder:
            return folder.read(_below(path, root), limit=limit)
    except OversizedFileError:
        raise OversizedError(limit) from None
    except OutsideError:
        raise ContentSourceError("it is outside of its root") from None
    except (IrregularFileError, IsADirectoryError):
        raise ContentSourceError("it is not a regular file") from None


def _below(path: Path, root: str | os.PathLike[str]) -> str:
    """Return a path relative to `root`; one that begins with `..` is refused by the folder."""
    if not path.is_absolute():
        return path.as_posix()
    real = os.path.join(os.path.realpath(path.parent), path.name)
    return os.path.relpath(real, os.path.realpath(root)).replace(os.sep, "/")
