"""Constraints on the properties of an object, from all parts that apply to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.instances.conjunction import Conjunction, Part
from toolgen.schema.instances.prepared_schema import Derived, PreparedSchema, Requirement

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


@dataclass(slots=True)
class ObjectFacts:
    """Names, number and requirements of an object's properties."""

    prepared: PreparedSchema
    parts: list[Part]
    declared: list[str]  # names that are written somewhere, those of `required` included
    required: list[str]
    least: int
    most: float
    needs: Mapping[str, list[str]]  # name → names that must be there with it
    name_requirements: Requirements
    patterns: list[str]
    _children: dict[str, Requirements]
    empty_patterns: set[str]  # those for whose properties no value was found

    @classmethod
    def of(cls, prepared: PreparedSchema, made: Conjunction) -> ObjectFacts:
        """Collect the facts of all parts."""
        schemas = [part.schema for part in made.parts]
        declared: dict[str, None] = {}
        required: dict[str, None] = {}
        needs: dict[str, list[str]] = {}
        for schema in schemas:
            declared |= dict.fromkeys(schema.get("properties", ()))
            required |= dict.fromkeys(schema.get("required", ()))
            for keyword in ("dependentRequired", "dependencies"):
                for name, needed in schema.get(keyword, {}).items():
                    if isinstance(needed, list):
                        needs.setdefault(name, []).extend(needed)
        return cls(
            prepared,
            made.parts,
            declared=list(declared | required),
            required=list(required),
            least=max((math.ceil(schema.get("minProperties", 0)) for schema in schemas), default=0),
            most=min((schema.get("maxProperties", math.inf) for schema in schemas), default=math.inf),
            needs=needs,
            name_requirements=tuple(
                schema["propertyNames"] for schema in schemas if "propertyNames" in schema
            ),
            patterns=[pattern for schema in schemas for pattern in schema.get("patternProperties", ())],
            _children={},
            empty_patterns=set(),
        )

    def child(self, name: str) -> Requirements:
        """Return the requirements of the property `name`."""
        known = self._children.get(name)
        if known is None:
            known = self._children[name] = tuple(self._find_child(name))
        return known

    def allows(self, name: str) -> bool:
        """True if a property of this name is not forbidden."""
        return False not in self.child(name) and self.prepared.satisfies(self.name_requirements, name)

    def note_failure(self, name: str) -> None:
        """Remember that no value was found for a property of this name, which a pattern may be about."""
        self.empty_patterns.update(each for each in self.patterns if self.prepared.matches(each, name))

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
            if self.prepared.matches(pattern, name):
                is_named = True
                yield inner
        if not is_named and "additionalProperties" in schema:
            yield schema["additionalProperties"]

    def _is_evaluated(self, index: int, name: str) -> bool:
        """True if the part at `index`, or one in place in it, evaluates the property `name`."""
        for at, part in enumerate(self.parts):
            if not part.evaluates or isinstance(part.schema, Derived) or not is_within(self.parts, at, index):
                continue
            if any(True for _ in self._own(part.schema, name)):
                return True
            if at != index and "unevaluatedProperties" in part.schema:
                return True
        return False


def is_within(parts: list[Part], at: int, outer: int) -> bool:
    """True if the part at `at` is the one at `outer`, or in place in it."""
    while at > outer:
        at = parts[at].parent
    return at == outer
