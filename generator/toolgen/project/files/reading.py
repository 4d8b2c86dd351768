"""Read single files: bounded to regular files and safe paths, and fast for many small ones."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path, PurePosixPath
from typing import Final

from toolgen.project.errors import UnableError, reason

_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"):  # not every system has them
    _FLAGS |= getattr(os, _name, 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_SIMPLE = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\.[a-z]+)?")


MAX_BYTES: Final = 64 * 1024 * 1024
"""Limit of a file that has no smaller one. The largest generated files of 10,000 tools are below it."""


def read_bytes(path: str, *, links: bool = True, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file, without the overhead of `pathlib` and buffers.

    Raises OSError as `open` does; EINVAL for a pipe or device, which might never end, EFBIG for a file of
    more than `limit` bytes, and ELOOP for a link unless `links` are followed.
    """
    handle = os.open(path, _FLAGS if links else _FLAGS | _NO_LINK)
    try:
        status = os.fstat(handle)
        mode = status.st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        size = status.st_size
        parts: list[bytes] = []
        while size <= limit:
            parts.append(os.read(handle, 65_536))
            if len(parts[-1]) < 65_536:
                break
            size = max(size, 65_536 * len(parts))  # it may grow while it is read
        else:
            raise OSError(errno.EFBIG, f"more than {limit:,} bytes", path)
    finally:
        os.close(handle)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read_text(root: Path, path: str) -> str | None:
    """Return the UTF-8 text of the file `path` below `root`; None if there is no such file."""
    try:
        return read_bytes(str(root / path)).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnableError("unreadable-file", f"cannot read {path}: {reason(error)}") from error
    except UnicodeDecodeError as error:
        raise UnableError("unreadable-file", f"{path} is not UTF-8 text") from error


def is_inside(path: str) -> bool:
    """True if `path` is a relative posix path that stays below its folder."""
    if _SIMPLE.fullmatch(path):  # nearly all of them, and there are thousands
        return True
    pure = PurePosixPath(path)
    plain = path == pure.as_posix() and path.isprintable() and not pure.is_absolute()
    return plain and not {"\\", ":"} & set(path) and path != "." and ".." not in pure.parts
