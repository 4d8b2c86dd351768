"""JSON Schema dialects, pure and standard library only: the author's schema to a provider's, and arguments back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of the author's schema that a dialect cannot say."""

    path: tuple[str | int, ...]  # from the root of the author's schema
    keyword: str
    reason: str  # one sentence
