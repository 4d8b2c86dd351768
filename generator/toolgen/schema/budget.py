"""What a strict schema costs of the grammar that a provider compiles for a whole request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.schema.walk import subschemas


@dataclass(frozen=True, slots=True)
class Cost:
    """In the words of `limits.StrictBudget`."""

    optional: int
    unions: int


def cost_of(schema: Mapping[str, Any]) -> Cost:
    """How many properties of `schema` may be absent, and how many places take several types."""
    optional = unions = 0
    for _, node in subschemas(schema):
        optional += len(node.get("properties", {}).keys() - set(node.get("required", ())))
        unions += "anyOf" in node or isinstance(node.get("type"), list)
    return Cost(optional, unions)
