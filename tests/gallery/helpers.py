"""Helpers for tests of the gallery."""

from __future__ import annotations

from pathlib import Path


def contents(root: Path) -> dict[str, bytes]:
    """Return path → bytes of every file below `root`."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
