"""Reading many small files: what `pathlib` and buffers add is more than the reading itself."""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = os.O_RDONLY
for _name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"):  # not every system has them
    _FLAGS |= getattr(os, _name, 0)


def read_bytes(path: str) -> bytes:
    """All of a file; OSError as `open` raises it, and for what is not a file: a pipe would wait for ever."""
    handle = os.open(path, _FLAGS)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        parts = [os.read(handle, 65_536)]
        while len(parts[-1]) == 65_536:
            parts.append(os.read(handle, 65_536))
    finally:
        os.close(handle)
    return parts[0] if len(parts) == 1 else b"".join(parts)
