"""Generated files, and how the files on disk differ from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

Tree = Mapping[str, str]
"""Posix path below the output folder → text."""


class ChangeKind(StrEnum):
    """How a file on disk differs from what would be generated."""

    CHANGED = "CHANGED"  # as last generated or merged; the specs or the toolchain have changed since
    MISSING = "MISSING"  # not on disk
    EXTRA = "EXTRA"  # as last generated, and no longer generated
    EDITED = "EDITED"  # not as toolgen wrote it


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs. No `before`: it would be created. No `after`: it would be deleted."""

    kind: ChangeKind
    path: str
    before: str | None
    after: str | None
