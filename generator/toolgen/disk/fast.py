"""Reading many small files: what `pathlib` and buffers add is more than the reading itself."""

from __future__ import annotations

import errno
import os
import stat

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe would be waited for, before anybody could see that it is one
)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def read_bytes(path: str, *, links: bool = True) -> bytes:
    """All of a regular file; OSError as `open` raises it, ELOOP for a link where `links` are not followed."""
    handle = os.open(path, _FLAGS if links else _FLAGS | _NO_LINK)
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a device has no end
            raise OSError(errno.EINVAL, "not a file", path)
        parts = [os.read(handle, 65_536)]
        while len(parts[-1]) == 65_536:
            parts.append(os.read(handle, 65_536))
    finally:
        os.close(handle)
    return parts[0] if len(parts) == 1 else b"".join(parts)
