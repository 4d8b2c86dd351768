"""Bundle a converted schema with the definitions that it uses in its `$defs`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolgen.schema.document import parse_pointer
from toolgen.sources.openapi.schemas import Direction, Schema, SchemaConverter

MAX_RESPONSE_SCHEMA = 100_000
"""Characters of one response schema as JSON, beyond which definitions are cut off: clients read no more."""

_DEFS = "#/$defs/"


@dataclass(frozen=True, slots=True)
class BundledSchema:
    """A schema with its `$defs`."""

    schema: Schema
    cut_off: int  # definitions that accept anything, since the schema would be too long with them


@dataclass(frozen=True, slots=True)
class _MeasuredDefinition:
    references: tuple[str, ...]  # names of other definitions
    size: int  # characters as JSON


class SchemaBundler:
    """Bundles the schemas of one document; definitions are measured once."""

    def __init__(self, converter: SchemaConverter) -> None:
        self._converter = converter
        self._measured: dict[tuple[Direction, str], _MeasuredDefinition] = {}

    def bundle(self, schema: Schema, direction: Direction) -> BundledSchema:
        """Return `schema` with the definitions that it uses; of a response, the outermost ones that fit."""
        size = len(json.dumps(schema)) if direction == "response" else 0
        definitions: dict[str, Any] = {}
        queue = list(dict.fromkeys(referenced_names(schema)))
        cut_off = 0
        for name in queue:  # grows in the loop: breadth first, so that outer definitions are kept
            found = self._converter.definition(direction, name)
            if found is None or name in definitions:
                continue
            measured = self._measure(direction, name, found)
            if direction == "response" and size + measured.size > MAX_RESPONSE_SCHEMA:
                definitions[name] = _cut_off(found)
                cut_off += 1
                continue
            size += measured.size
            definitions[name] = found
            queue.extend(measured.references)
        if definitions:
            schema = {**schema, "$defs": dict(sorted(definitions.items()))}
        return BundledSchema(schema, cut_off)

    def _measure(self, direction: Direction, name: str, definition: Any) -> _MeasuredDefinition:
        if (direction, name) not in self._measured:
            references = tuple(dict.fromkeys(referenced_names(definition)))
            self._measured[direction, name] = _MeasuredDefinition(references, len(json.dumps(definition)))
        return self._measured[direction, name]


def _cut_off(schema: Any) -> Schema:
    """Return only the title and type of `schema`."""
    kept = ("title", "type") if isinstance(schema, dict) else ()
    return {key: schema[key] for key in kept if key in schema}


def definition_name(ref: str) -> str:
    """Return the name of the definition that a reference to `$defs` means."""
    return str(parse_pointer(ref[1:])[1])


def referenced_names(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions that `schema` refers to, in their order."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str) and value.startswith(_DEFS):
                yield definition_name(value)
            else:
                yield from referenced_names(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from referenced_names(value)
