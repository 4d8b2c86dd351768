"""Reading many small files: what `pathlib` and buffers add is more than the reading itself."""

from __future__ import annotations

import os


def read_bytes(path: str) -> bytes:
    """All of a file; OSError as `open` raises it."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        parts = [os.read(handle, 65_536)]
        while len(parts[-1]) == 65_536:
            parts.append(os.read(handle, 65_536))
    finally:
        os.close(handle)
    return parts[0] if len(parts) == 1 else b"".join(parts)
