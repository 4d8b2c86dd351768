"""Find a property in a schema: every subschema that applies to it, behind references and in branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolgen.base.suggestions import did_you_mean
from toolgen.schema.document import SchemaDocument


@dataclass(frozen=True, slots=True)
class FoundProperty:
    """The schemas of a property, and of the object that holds it."""

    schemas: Sequence[Mapping[str, Any]]
    holder: Sequence[Mapping[str, Any]]
    missing: str | None = None  # the name on the way that no schema has
    hint: str = ""  # the names that there are instead


def find_property(document: SchemaDocument, names: Sequence[str]) -> FoundProperty:
    """Return what a schema says of the property at the path `names`."""
    plain = document.plain
    schemas = plain.same_value_schemas([plain.schema])
    holder = schemas
    for name in names:
        found = [inner for schema in schemas for inner in _property(schema, name)]
        if not found:
            known = [key for schema in schemas for key in schema.get("properties", ())]
            hint = did_you_mean(name, known) or ("known here: " + ", ".join(known[:10]) if known else "")
            return FoundProperty([], schemas, name, hint)
        holder, schemas = schemas, plain.same_value_schemas(found)
    return FoundProperty(schemas, holder)


def _property(node: Mapping[str, Any], name: str) -> list[Any]:
    properties = node.get("properties")
    if isinstance(properties, dict) and name in properties:
        return [properties[name]]
    open_ended = node.get("additionalProperties")
    return [open_ended] if isinstance(open_ended, dict) else []


def may_be_array(node: Mapping[str, Any]) -> bool:
    """True if a schema is of arrays, by its type or by its keywords."""
    kind = node.get("type")
    if kind is None:
        return "items" in node or "prefixItems" in node
    return kind == "array" or (isinstance(kind, list) and "array" in kind)


def may_be_text(node: Mapping[str, Any]) -> bool:
    """True unless a schema excludes strings by its type."""
    kind = node.get("type")
    return kind is None or kind == "string" or (isinstance(kind, list) and "string" in kind)
