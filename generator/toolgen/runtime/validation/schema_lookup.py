"""Look up whether a schema marks a location of a value as secret or optional."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolgen.schema.document import SchemaDocument, subschemas

from .complexity import subschemas_for


class SchemaLookup:
    """Answers questions about a location of a value, from every subschema that may apply there."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document.plain
        self.marks_secrets = any(_is_marked(part) for _, part in subschemas(document.schema))

    def is_secret(self, path: Iterable[str | int]) -> bool:
        """True if the value at `path`, or one that contains it, must not be shown; also if in doubt.

        Such values are marked with `writeOnly`, or have the format `password`.
        """
        return self.marks_secrets and any(any(map(_is_marked, parts)) for parts in self._along(path))

    def is_optional(self, path: tuple[str | int, ...]) -> bool:
        """True if no part of the schema requires the property at `path`."""
        if not path or not isinstance(path[-1], str):
            return False
        *_, parts = self._along(path[:-1])
        return not any(path[-1] in _required(part) for part in parts)

    def whole(self) -> list[Mapping[str, Any]]:
        """Return the subschemas that may apply to the whole value."""
        return self._document.same_value_schemas([self._document.schema], _UNKNOWN)

    def inside(self, schemas: list[Mapping[str, Any]], step: str | int) -> list[Mapping[str, Any]]:
        """Return the subschemas that may apply to a property or item, where `schemas` apply around it."""
        parts = (inner for part in schemas for inner in subschemas_for(part, step))
        return self._document.same_value_schemas(parts, _UNKNOWN)

    def _along(self, path: Iterable[str | int]) -> Iterator[list[Mapping[str, Any]]]:
        """Yield the subschemas that apply to the whole value, then to each part on the way to `path`."""
        schemas = self.whole()
        yield schemas
        for step in path:
            schemas = self.inside(schemas, step)
            yield schemas


_UNKNOWN: dict[str, Any] = {"writeOnly": True}  # of a reference whose target a call decides


def _is_marked(schema: Mapping[str, Any]) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"


def _required(schema: Mapping[str, Any]) -> list[Any]:
    """Return the names that a schema requires, even if only together with other properties."""
    names = schema.get("required")
    dependent = schema.get("dependentRequired", schema.get("dependencies"))
    lists = list(dependent.values()) if isinstance(dependent, dict) else []
    return [name for each in (names, *lists) if isinstance(each, list) for name in each]
