"""References inside one schema document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from toolgen.schema.document import SchemaDocument

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
        """Return the reference and its schema; None if it is no object, or a call decides which it is."""
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
