"""What a schema says about one place of a value: whether it is to be shown, whether it may be left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolgen.schema.document import in_place_subschemas, resolve_reference, subschemas
from toolgen.schema.keywords import ALL_REFERENCES

from .compiled_schema import compiled

_ONE_FOR_NAMES = ("additionalProperties", "unevaluatedProperties")
_ONE_FOR_ITEMS = ("items", "additionalItems", "unevaluatedItems", "contains")


class About:
    """One schema, asked by the place of a value; every part of it is heard that may judge the value there."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = schema
        self.hides = any(_is_marked(part) for _, part in subschemas(schema))  # anything at all

    def hide(self, path: Iterable[str | int]) -> bool:
        """Whether the value at `path`, or one that it is a part of, is not to be shown. Yes, when in doubt.

        Such values are marked `writeOnly`, or have the format `password`.
        """
        return self.hides and any(any(map(_is_marked, parts)) for parts in self._along(path))

    def may_be_left_out(self, path: tuple[str | int, ...]) -> bool:
        """Whether the property at `path` is one that no part of the schema requires."""
        if not path or not isinstance(path[-1], str):
            return False
        *_, parts = self._along(path[:-1])
        return not any(path[-1] in _required(part) for part in parts)

    def _along(self, path: Iterable[str | int]) -> Iterator[list[Mapping[str, Any]]]:
        """What is said about the whole, then about each part on the way to `path`."""
        about = self._all_about([self._schema])
        yield about
        for step in path:
            about = self._all_about(inner for part in about for inner in _parts(part, step))
            yield about

    def _all_about(self, schemas: Iterable[Any]) -> list[Mapping[str, Any]]:
        """`schemas` and all that judge the same value: branches, conditions, what references name."""
        seen: dict[int, Mapping[str, Any]] = {}
        left = list(schemas)
        while left:
            schema = left.pop()
            if not isinstance(schema, dict) or id(schema) in seen:
                continue
            seen[id(schema)] = schema
            left.extend(inner for _, inner in in_place_subschemas(schema, ()))
            for keyword in ALL_REFERENCES:
                if keyword in schema:
                    found = resolve_reference(self._schema, schema[keyword])
                    left.append(_UNKNOWN if found is None else found[0])
        return list(seen.values())


_UNKNOWN: dict[str, Any] = {"writeOnly": True}  # what a reference names that is not followed here


def _matches(pattern: str, name: str) -> bool:
    """Whether a property is one of a pattern's. Yes, when in doubt."""
    try:
        return compiled({"pattern": pattern}).is_valid(name)
    except ValueError:
        return True


def _is_marked(schema: Mapping[str, Any]) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"


def _required(schema: Mapping[str, Any]) -> list[Any]:
    """The names that a schema requires, perhaps only beside others."""
    names = schema.get("required")
    dependent = schema.get("dependentRequired", schema.get("dependencies"))
    lists = list(dependent.values()) if isinstance(dependent, dict) else []
    return [name for each in (names, *lists) if isinstance(each, list) for name in each]


def _parts(schema: Mapping[str, Any], step: str | int) -> Iterator[Any]:
    """The schemas in `schema` that may judge the property or item `step` of its value."""
    if isinstance(step, str):
        properties, patterns = schema.get("properties"), schema.get("patternProperties")
        if isinstance(properties, dict) and step in properties:
            yield properties[step]
        if isinstance(patterns, dict):
            yield from (inner for pattern, inner in patterns.items() if _matches(pattern, step))
        yield from (schema[keyword] for keyword in _ONE_FOR_NAMES if keyword in schema)
        return
    for keyword in ("prefixItems", "items"):
        listed = schema.get(keyword)
        if isinstance(listed, list) and step < len(listed):
            yield listed[step]
    yield from (schema[keyword] for keyword in _ONE_FOR_ITEMS if keyword in schema)
