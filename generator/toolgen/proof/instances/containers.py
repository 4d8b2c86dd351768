"""Constraints on the properties of an object and on the items of an array, from all parts that apply."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.proof.instances.conjunction import Conjunction
from toolgen.proof.instances.prepared_schema import PreparedSchema, Requirement

Requirements = tuple[Requirement, ...]

FRESH_NAMES: Final = ("extra", "x y", "", "größe", "__class__", "model_config", "self", "$ref", "0", "😀")


class ObjectFacts:
    """Names, number and requirements of an object's properties, as all parts of a conjunction have them."""

    def __init__(self, prepared: PreparedSchema, made: Conjunction) -> None:
        schemas = made.parts
        self._prepared = prepared
        self.parts = made.parts
        self._children: dict[str, Requirements] = {}
        declared: dict[str, None] = {}
        required: dict[str, None] = {}
        self.needs: dict[str, list[str]] = {}  # name → names that must be there with it
        for schema in schemas:
            declared |= dict.fromkeys(schema.get("properties", ()))
            required |= dict.fromkeys(schema.get("required", ()))
            for keyword in ("dependentRequired", "dependencies"):
                for name, needed in schema.get(keyword, {}).items():
                    if isinstance(needed, list):
                        self.needs.setdefault(name, []).extend(needed)
        self.declared = list(declared | required)  # names that are written somewhere
        self.required = list(required)
        self.least = max((math.ceil(schema.get("minProperties", 0)) for schema in schemas), default=0)
        self.most: float = min(
            (schema.get("maxProperties", math.inf) for schema in schemas), default=math.inf
        )
        self.name_requirements: Requirements = tuple(
            schema["propertyNames"] for schema in schemas if "propertyNames" in schema
        )
        self.patterns = [pattern for schema in schemas for pattern in schema.get("patternProperties", ())]
        self.empty_patterns: set[str] = set()  # those for whose properties no value was found

    def child(self, name: str) -> Requirements:
        """Return the requirements of the property `name`."""
        if name not in self._children:
            self._children[name] = tuple(self._find_child(name))
        return self._children[name]

    def allows(self, name: str) -> bool:
        """True if a property of this name is not forbidden."""
        return False not in self.child(name) and self._prepared.satisfies(self.name_requirements, name)

    def note_failure(self, name: str) -> None:
        """Remember that no value was found for a property of this name, which a pattern may be about."""
        self.empty_patterns.update(each for each in self.patterns if self._prepared.matches(each, name))

    def with_needed(self, names: list[str]) -> list[str]:
        """Return `names` and all names that must be there with them."""
        found = dict.fromkeys(names)
        waiting = list(names)
        while waiting:
            for needed in self.needs.get(waiting.pop(), ()):
                if needed not in found:
                    found[needed] = None
                    waiting.append(needed)
        return list(found)

    def _find_child(self, name: str) -> list[Requirement]:
        found = [each for schema in self.parts for each in self._own(schema, name)]
        # Parts beside the keyword evaluate nothing for it: such values are refused when they are checked.
        return found or [
            part["unevaluatedProperties"] for part in self.parts if "unevaluatedProperties" in part
        ]

    def _own(self, schema: Mapping[str, Any], name: str) -> Iterator[Requirement]:
        is_named = False
        if name in schema.get("properties", ()):
            is_named = True
            yield schema["properties"][name]
        for pattern, inner in schema.get("patternProperties", {}).items():
            if self._prepared.matches(pattern, name):
                is_named = True
                yield inner
        # It applies to the names that neither of the other two keywords of this schema speaks of.
        if not is_named and "additionalProperties" in schema:
            yield schema["additionalProperties"]


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
