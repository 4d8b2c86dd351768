"""Constraints on the items of an array, from all parts that apply to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.proof.instances.conjunction import Conjunction
from toolgen.proof.instances.objects import Requirements
from toolgen.proof.instances.prepared_schema import PreparedSchema, Requirement


@dataclass(frozen=True, slots=True)
class WantedItems:
    """Some items that an array must contain."""

    schema: Requirement
    least: int
    most: float


class ArrayFacts:
    """Number and requirements of an array's items, as all parts of a conjunction have them."""

    def __init__(self, prepared: PreparedSchema, made: Conjunction) -> None:
        self._parts = schemas = made.parts
        self._is_draft_7 = prepared.is_draft_7
        self._children: dict[int, Requirements] = {}
        self.least = max((math.ceil(schema.get("minItems", 0)) for schema in schemas), default=0)
        self.is_unique = any(schema.get("uniqueItems") is True for schema in schemas)
        self.contained = [
            WantedItems(
                schema["contains"],
                # Draft 7 has neither minContains nor maxContains.
                math.ceil(1 if prepared.is_draft_7 else schema.get("minContains", 1)),
                math.inf if prepared.is_draft_7 else schema.get("maxContains", math.inf),
            )
            for schema in schemas
            if "contains" in schema
        ]
        # From here on, all items have the same requirements.
        self.first = max((len(self._first(schema)) for schema in schemas), default=0)
        most: float = min((schema.get("maxItems", math.inf) for schema in schemas), default=math.inf)
        self.most = min(most, self._first_forbidden())

    def child(self, index: int) -> Requirements:
        """Return the requirements of the item at `index`, those of `contains` left out."""
        # All further items have the same requirements.
        index = min(index, self.first)
        if index not in self._children:
            self._children[index] = tuple(self._find_child(index))
        return self._children[index]

    def _first_forbidden(self) -> float:
        forbidden = (index for index in range(self.first + 1) if False in self.child(index))
        return next(forbidden, math.inf)

    def _first(self, schema: Mapping[str, Any]) -> list[Any]:
        found = schema.get("items" if self._is_draft_7 else "prefixItems")
        return found if isinstance(found, list) else []

    def _own(self, schema: Mapping[str, Any], index: int) -> Iterator[Requirement]:
        first = self._first(schema)
        if index < len(first):
            yield first[index]
        elif isinstance(items := schema.get("items"), list):
            if "additionalItems" in schema and self._is_draft_7:
                yield schema["additionalItems"]
        elif items is not None:
            yield items

    def _find_child(self, index: int) -> list[Requirement]:
        found = [each for schema in self._parts for each in self._own(schema, index)]
        if found or self._is_draft_7:
            return found
        # `contains` evaluates the items that it accepts.
        contained = [schema["contains"] for schema in self._parts if "contains" in schema]
        for schema in self._parts:
            if "unevaluatedItems" in schema and not contained:
                found.append(schema["unevaluatedItems"])
            elif schema.get("unevaluatedItems") is False:
                found.append(contained[0])
        return found
