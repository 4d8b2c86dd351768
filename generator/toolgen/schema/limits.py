"""Limits on input from outside.

Limits are counts, not times, so that the same input gets the same verdict on every machine. They are listed
in docs/limits.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolgen.base import MIB


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one input. The defaults are far above what published tools have."""

    spec_bytes: int = 4 * MIB  # of one file below the specs folder
    import_bytes: int = 64 * MIB  # of one source of an import, after decoding
    tools: int = 10_000  # of one source of an import
    nodes: int = 50_000  # subschemas of one schema
    properties: int = 5_000  # of one object; also the names in one `required`
    values: int = 10_000  # of one `enum`
    branches: int = 500  # of one `anyOf`, `oneOf`, `allOf`
    name: int = 1_000  # characters of a property's name
    pattern: int = 10_000  # characters of a pattern
    pattern_bytes: int = 150_000_000  # that the patterns of one schema come to when they are compiled
    references: int = 40  # one after another, without a step into the value
    levels: int = 100  # of a value, where every level needs a schema of its own
    combinations: int = 10_000  # subschemas that apply to one value, counted once for each way to them


BUDGET: Final = Budget()
