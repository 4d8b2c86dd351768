"""Constraints on the properties of an object, from all parts that apply to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.proof.instances.conjunction import Conjunction, Part
from toolgen.proof.instances.prepared_schema import Derived, PreparedSchema, Requirement

Requirements = tuple[Requirement, ...]

FRESH_NAMES: Final = (
    "extra",
    "a",
    "x y",
    "",
    "größe",
    "__class__",
    "model_config",
    "self",
    "$ref",
    "0",
    "😀",
    "A",
    "b",
    "c",
    "d",
    "e",
)


class ObjectFacts:
    """Names, number and requirements of an object's properties, as all parts of a conjunction have them."""

    def __init__(self, prepared: PreparedSchema, made: Conjunction) -> None:
        schemas = [part.schema for part in made.parts]
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

    def _find_child(self, name: str) -> Iterator[Requirement]:
        for part in self.parts:
            yield from self._own(part.schema, name)
        for index, part in enumerate(self.parts):
            if "unevaluatedProperties" in part.schema and not self._is_evaluated(index, name):
                yield part.schema["unevaluatedProperties"]

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

    def _is_evaluated(self, index: int, name: str) -> bool:
        """True if the part at `index`, or one in place in it, evaluates the property `name`."""
        for at, part in enumerate(self.parts):
            if not part.evaluates or isinstance(part.schema, Derived) or not is_within(self.parts, at, index):
                continue
            if any(True for _ in self._own(part.schema, name)):
                return True
            # An inner `unevaluatedProperties` evaluates every name that is left.
            if at != index and "unevaluatedProperties" in part.schema:
                return True
        return False


def is_within(parts: list[Part], at: int, outer: int) -> bool:
    """True if the part at `at` is the one at `outer`, or in place in it."""
    while at > outer:
        at = parts[at].parent
    return at == outer
