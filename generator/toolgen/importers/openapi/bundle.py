"""A schema that stands by itself: the definitions that it needs in its `$defs`, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolgen.importers.openapi.schemas import Schema, Schemas, Side
from toolgen.schema.document import parse_pointer

MOST = 100_000
"""Characters of one response schema, as JSON: what lies deeper is left open, so that a client can read it."""

_BEGIN = "#/$defs/"


class Bundles:
    """Makes bundles of the schemas of one document."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._facts: dict[tuple[Side, str], tuple[tuple[str, ...], int]] = {}

    def bundle(self, schema: Schema, side: Side) -> tuple[Schema, int]:
        """`schema` with its `$defs`, and how many of these were left open since it would be too long."""
        size = len(json.dumps(schema)) if side == "response" else 0
        definitions: dict[str, Any] = {}
        queue = list(dict.fromkeys(_names(schema)))
        opened = 0
        for name in queue:  # grows, nearest first
            found = self._schemas.definition(side, name)
            if found is None or name in definitions:
                continue
            inner, length = self._fact(side, name, found)
            if side == "response" and size + length > MOST:
                definitions[name] = _open(found)
                opened += 1
                continue
            size += length
            definitions[name] = found
            queue.extend(inner)
        if definitions:
            schema = {**schema, "$defs": dict(sorted(definitions.items()))}
        return schema, opened

    def _fact(self, side: Side, name: str, found: Any) -> tuple[tuple[str, ...], int]:
        if (side, name) not in self._facts:
            inner = tuple(dict.fromkeys(_names(found)))
            self._facts[side, name] = (inner, len(json.dumps(found)))
        return self._facts[side, name]


def _open(schema: Any) -> Schema:
    """The outermost of `schema`: its type, where it says one."""
    kept = ("title", "type") if isinstance(schema, dict) else ()
    return {key: schema[key] for key in kept if key in schema}


def _names(schema: Any) -> Iterator[str]:
    """The definitions that `schema` refers to, in their order."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str) and value.startswith(_BEGIN):
                yield str(parse_pointer(value[1:])[1])
            else:
                yield from _names(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _names(value)
