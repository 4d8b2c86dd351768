"""Object schemas: properties and constraints gathered from a schema, its `$ref` and its `allOf`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.compile.models.local_references import LocalReferences
from toolgen.schema.document import as_list, as_mapping


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
