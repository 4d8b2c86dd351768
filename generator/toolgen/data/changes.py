"""Output as a value: what should be on disk, and how that differs from what is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

Tree = Mapping[str, str]
"""Posix path below the output folder → text."""


class ChangeKind(StrEnum):
    """How a file differs from what the specs say."""

    CHANGED = "CHANGED"  # ours, as last generated; the specs or the toolchain moved on
    MISSING = "MISSING"  # not on disk
    EXTRA = "EXTRA"  # ours, and no longer generated
    EDITED = "EDITED"  # no longer what toolgen wrote


@dataclass(frozen=True, slots=True)
class Change:
    """One file that differs. No `before`: it would be created. No `after`: it would be deleted."""

    kind: ChangeKind
    path: str
    before: str | None
    after: str | None
