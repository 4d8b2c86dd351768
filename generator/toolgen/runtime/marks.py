"""What a schema says is not to be shown: values marked `writeOnly`, or of the format `password`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolgen.schema.pointer import resolve
from toolgen.schema.walk import in_place, subschemas

_ONE_FOR_NAMES = ("additionalProperties", "unevaluatedProperties")
_ONE_FOR_ITEMS = ("items", "additionalItems", "unevaluatedItems", "contains")
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Marks:
    """The marks of one schema, looked up by the place of a value. When in doubt, it is marked."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self.any = any(_is_marked(part) for _, part in subschemas(schema))

    def hide(self, path: Iterable[str | int]) -> bool:
        """Whether the value at `path`, or one that it is a part of, is marked by any schema about it."""
        if not self.any:
            return False
        about = self._all_about([self._schema])
        for step in path:
            if any(map(_is_marked, about)):
                return True
            about = self._all_about(inner for part in about for inner in _parts(part, step))
        return any(map(_is_marked, about))

    def _all_about(self, schemas: Iterable[Any]) -> list[Mapping[str, Any]]:
        """`schemas` and all that judge the same value: branches, conditions, what references name."""
        seen: dict[int, Mapping[str, Any]] = {}
        left = list(schemas)
        while left:
            schema = left.pop()
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen[id(schema)] = schema
            left.extend(inner for _, inner in in_place(schema, ()))
            for keyword in _REFERENCES:
                if keyword in schema:
                    found = resolve(self._schema, schema[keyword])
                    left.append(_UNKNOWN if found is None else found[0])
        return list(seen.values())


_UNKNOWN: dict[str, Any] = {"writeOnly": True}  # what a reference names that is not followed here


def _is_marked(schema: Mapping[str, Any]) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"


def _parts(schema: Mapping[str, Any], step: str | int) -> Iterator[Any]:
    """The schemas in `schema` that may judge the property or item `step` of its value."""
    if isinstance(step, str):
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        if isinstance(properties, dict) and step in properties:
            yield properties[step]
        if isinstance(patterns, dict):
            yield from patterns.values()
        yield from (schema[keyword] for keyword in _ONE_FOR_NAMES if keyword in schema)
        return
    for keyword in ("prefixItems", "items"):
        listed = schema.get(keyword)
        if isinstance(listed, list) and step < len(listed):
            yield listed[step]
    yield from (schema[keyword] for keyword in _ONE_FOR_ITEMS if keyword in schema)
