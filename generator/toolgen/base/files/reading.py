"""Read regular files of limited size, and files that an operator names."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO, Final

from toolgen.base import MIB

MAX_BYTES: Final = 64 * MIB
"""Limit of a file that has no smaller one. The largest generated files of 10,000 tools are below it."""
READ: Final = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO must not wait for its writer
)


class IrregularFileError(OSError):
    """A pipe, a socket or a device, which may never end."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EINVAL, "not a regular file", path)


class OversizedFileError(OSError):
    """A file of more bytes than are read."""

    def __init__(self, size: int, limit: int, path: str) -> None:
        self.size = size  # as far as it is known
        super().__init__(errno.EFBIG, f"more than {limit:,} bytes", path)


class OutsideError(OSError):
    """A link, or `..` in a path, leaves the folder that may not be left; `filename` is that link or path."""

    def __init__(self, path: str, folder: str) -> None:
        self.folder = folder
        super().__init__(errno.EXDEV, "a link that leaves its folder", path)


def read_named(path: str | os.PathLike[str], *, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file that an operator names, links followed. Raises OSError as `read_opened`."""
    handle = os.open(path, READ)
    try:
        return read_opened(handle, os.fspath(path), limit)
    finally:
        os.close(handle)


def open_named(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file that an operator names, links followed, to read it in parts. Raises OSError."""
    handle = os.open(path, READ)
    try:
        _regular(handle, os.fspath(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_opened(handle: int, path: str, limit: int) -> bytes:
    """Return the bytes of an open file; `path` is for messages.

    Raises IsADirectoryError, IrregularFileError, OversizedFileError, of which at most one byte too many is
    read.
    """
    size = _regular(handle, path).st_size
    if size > limit:
        raise OversizedFileError(size, limit, path)
    data = os.read(handle, size + 1)  # at once, without a copy
    if len(data) == size and data:
        return data
    return _rest(handle, data, path, limit)  # it grows, or its size is not known, as below /proc


def _regular(handle: int, path: str) -> os.stat_result:
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode):
        return status
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise IrregularFileError(path)


def _rest(handle: int, begin: bytes, path: str, limit: int) -> bytes:
    data = bytearray(begin)
    while len(data) <= limit and (more := os.read(handle, MIB)):
        data += more
    if len(data) > limit:
        raise OversizedFileError(len(data), limit, path)
    return bytes(data)
