"""References of a schema, and object schemas: what a schema, its `$ref` and its `allOf` say of objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from toolgen.schema.document import SchemaDocument, as_list, as_mapping

_TYPING = ("$ref", "allOf", "anyOf", "oneOf", "type", "enum", "const", "items", "prefixItems")
_OBJECTS = ("properties", "required", "additionalProperties", "patternProperties")
_SHAPING = frozenset((*_TYPING, *_OBJECTS))
"""Keywords that decide the type of a value."""


class LocalReferences:
    """The references of a document, as its models read them: JSON Pointers from its root."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document.plain
        self.root = self._document.schema

    def follow(self, ref: object) -> tuple[str, Mapping[str, Any] | None]:
        """Return the reference and its schema; None if it is not an object, or a call decides which it is."""
        target = self._document.target(ref).value
        return str(ref), target if isinstance(target, Mapping) else None

    def name(self, pointer: str) -> str:
        """Return the name of the definition at `pointer`; empty if `pointer` leads to something else."""
        # Unlike `parse_pointer`, this keeps `~1` and `~0`: class names are made of that text (`A~1B`: `A1B`).
        parts = unquote(pointer).split("/")
        return parts[2] if len(parts) == 3 and parts[1] in ("$defs", "definitions") else ""

    def only_reference(self, schema: Mapping[str, Any]) -> str | None:
        """Return the `$ref` of `schema` if nothing beside it decides the type."""
        if "$ref" not in schema and "allOf" not in schema:
            return None
        if "$ref" in schema and not self._document.siblings_apply:
            return str(schema["$ref"])
        shaping = _SHAPING.intersection(schema)
        if shaping == {"$ref"}:
            return str(schema["$ref"])
        match schema.get("allOf"):
            case [dict(only)] if shaping == {"allOf"}:
                return self.only_reference(only)
        return None

    def conjuncts(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the schemas that a value must all match: of `$ref`, of `allOf`, and the rest of `schema`."""
        if "$ref" in schema:
            yield {"$ref": schema["$ref"]}
            if not self._document.siblings_apply:
                return
        inner = schema.get("allOf")
        if isinstance(inner, list):
            yield from (part for part in inner if isinstance(part, Mapping))
        yield {key: value for key, value in schema.items() if key not in ("$ref", "allOf")}


@dataclass(frozen=True, slots=True)
class ObjectSchema:
    """A schema of objects: `properties` as the author wrote them, or the schema of all `values`."""

    properties: Mapping[str, object]
    required: frozenset[str]
    closed: bool  # no other properties
    nullable: bool
    values: object | None  # None: any value
    description: str


def object_schema(schema: Mapping[str, Any], refs: LocalReferences) -> ObjectSchema | None:
    """Return what `schema` says of objects; None if other values fit, or another type is narrower."""
    sources = list(_sources(schema, refs, set()))
    kinds = [_kinds(source) for source in sources if "type" in source]
    if not kinds or any("object" not in found or not found <= {"object", "null"} for found in kinds):
        return None
    if any("enum" in source or "const" in source for source in sources):
        return None
    properties: dict[str, object] = {}
    for source in sources:
        for name, value in as_mapping(source.get("properties")).items():
            known = properties.get(name, value)
            # two parts describe the property: both must hold
            properties[name] = value if known == value else {"allOf": [known, value]}
    # the branches decide what the object holds
    if not properties and any("anyOf" in source or "oneOf" in source for source in sources):
        return None
    declared = properties.keys()
    return ObjectSchema(
        properties=properties,
        required=frozenset(name for source in sources for name in _names(source.get("required"))),
        closed=any(
            _closed(source) and declared <= as_mapping(source.get("properties")).keys() for source in sources
        ),
        nullable=all("null" in found for found in kinds),
        values=None if properties else next(_values(sources), None),
        description=next((d for s in sources if isinstance(d := s.get("description"), str)), ""),
    )


def _sources(schema: Mapping[str, Any], refs: LocalReferences, seen: set[str]) -> Iterator[Mapping[str, Any]]:
    """Yield `schema` without its references, then the schemas it refers to; `seen` has the latter."""
    *others, own = refs.conjuncts(schema)
    if "$ref" not in own:
        yield own
    else:
        others.append(own)
    for part in others:
        if set(part) != {"$ref"}:
            yield from _sources(part, refs, seen)
            continue
        pointer, target = refs.follow(part["$ref"])
        if target is not None and pointer not in seen:
            seen.add(pointer)
            yield from _sources(target, refs, seen)


def _values(sources: list[Mapping[str, Any]]) -> Iterator[object]:
    for source in sources:
        patterns, rest = as_mapping(source.get("patternProperties")), source.get("additionalProperties")
        # other patterns beside the rest: its values have no single type
        if not patterns and isinstance(rest, Mapping):
            yield rest
        elif len(patterns) == 1 and rest is False:
            yield next(iter(patterns.values()))


def _closed(source: Mapping[str, Any]) -> bool:
    return source.get("additionalProperties") is False and not source.get("patternProperties")


def _kinds(source: Mapping[str, Any]) -> set[str]:
    kinds = source["type"]
    return set(kinds) if isinstance(kinds, list) else {str(kinds)}


def _names(required: object) -> list[str]:
    return [name for name in as_list(required) if isinstance(name, str)]
