"""Helpers for tests of the gallery."""

from __future__ import annotations

from pathlib import Path

from examples.store.replace import Replacement
from examples.store.text_find import Query


def contents(root: Path) -> dict[str, bytes]:
    """Return path → bytes of every file below `root`."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def query(
    text: str, mode: str = "literal", ignore_case: bool = True, path: str = ".", include: str = "*"
) -> Query:
    """Return a search with the tool's defaults."""
    return Query(text, mode, ignore_case, path, include)


def replacement(
    search: str,
    new: str,
    mode: str = "literal",
    ignore_case: bool = False,
    path: str = ".",
    include: str = "*",
) -> Replacement:
    """Return a replacement with the tool's defaults."""
    return Replacement(search, new, mode, ignore_case, path, include)
