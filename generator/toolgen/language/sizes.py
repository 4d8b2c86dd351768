"""How many bytes of definitions a target sends to models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LARGEST: Final = 3  # tools that a warning names


@dataclass(frozen=True, slots=True)
class TargetSize:
    """The definitions of all tools as one target publishes them, as compact JSON in UTF-8."""

    target: str
    bytes: int
    tools: int
    largest: Mapping[str, int]  # wire name → bytes, the largest first
