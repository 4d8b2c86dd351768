"""Limits of the generator of values: of one value, and of the tries to find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class InstanceLimits:
    """Limits of generated values. A schema that demands more has the value of an exact search, if any."""

    parts: int = 2_000  # objects, arrays and scalars of one value
    depth: int = 40  # nesting of objects and arrays
    characters: int = 5_000  # of one string
    tries: int = 40  # at one place, before a way to satisfy it is given up


LIMITS: Final = InstanceLimits()
