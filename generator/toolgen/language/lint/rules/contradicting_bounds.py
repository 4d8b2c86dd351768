"""contradicting-bounds: a lower bound above the upper one, so that no value is valid.

Example:

    quantity: {type: integer, minimum: 10, maximum: 1}

Use instead:

    quantity: {type: integer, minimum: 1, maximum: 10}
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.bound_schema import LintedSchema
from toolgen.schema.document import JsonPath

LOWER: Final = {
    "minimum": ("maximum", "exclusiveMaximum"),
    "exclusiveMinimum": ("maximum", "exclusiveMaximum"),
    "minLength": ("maxLength",),
    "minItems": ("maxItems",),
    "minProperties": ("maxProperties",),
    "minContains": ("maxContains",),
}
"""Each lower bound with the upper ones that it may contradict."""


def check(schema: LintedSchema, path: JsonPath, node: Mapping[str, Any]) -> Iterator[Diagnostic]:
    """Warn about each pair of bounds that no value is between, and about too few properties."""
    if LOWER.keys().isdisjoint(node):
        return
    for low, uppers in LOWER.items():
        for high in uppers:
            if low not in node or high not in node:
                continue
            is_open = low.startswith("exclusive") or high.startswith("exclusive")
            bounds = f"{low} {node[low]} and {high} {node[high]} leave no"
            if node[low] > node[high] or (is_open and node[low] == node[high]):
                found = f"{bounds} value", "correct one of them; perhaps they are exchanged"
            elif node.get("type") == "integer" and _least(node, low) > _greatest(node, high):
                found = f"{bounds} whole number", "write `type: number`, or correct one of them"
            else:
                continue
            yield Diagnostic(schema.bound.value((*path, low)), "contradicting-bounds", *found)
    least, declared = node.get("minProperties", 0), len(node.get("properties", ()))
    if least > declared and node.get("additionalProperties") is False and not node.get("patternProperties"):
        yield Diagnostic(
            schema.bound.value((*path, "minProperties")),
            "contradicting-bounds",
            f"minProperties {least} and {declared} declared properties leave no value",
            "correct minProperties, or declare more `properties`",
        )


def _least(node: Mapping[str, Any], low: str) -> int:
    bound: float = node[low]
    return math.floor(bound) + 1 if low.startswith("exclusive") else math.ceil(bound)


def _greatest(node: Mapping[str, Any], high: str) -> int:
    bound: float = node[high]
    return math.ceil(bound) - 1 if high.startswith("exclusive") else math.floor(bound)
