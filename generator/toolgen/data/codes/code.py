"""What is known of a diagnostic code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Code:
    """What `toolgen explain` says of a code."""

    severity: Literal["error", "warning"]
    title: str  # one line
    why: str  # why it is refused, or worth a word
    fix: str  # what to do about it


def error(title: str, why: str, fix: str) -> Code:
    """A code that refuses; no setting silences it."""
    return Code("error", title, why, fix)


def warning(title: str, why: str, fix: str) -> Code:
    """A code that advises."""
    return Code("warning", title, why, fix)
