"""The subset of JSON Schema that OpenAI documents for strict mode, written independently by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

NUMERIC = {"enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
SCALARS = {
    "string": {"enum", "const", "pattern", "format"},
    "number": NUMERIC,
    "integer": NUMERIC,
    "boolean": {"enum", "const"},
    "null": set[str](),
}
FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]


def faults(schema: dict[str, Any]) -> list[str]:
    """Return everything in `schema` that strict mode refuses."""
    if schema.get("type") != "object" or "anyOf" in schema:
        return ["$: the root is a plain object"]
    defs = schema.get("$defs", {})
    body = {key: value for key, value in schema.items() if key != "$defs"}
    found = list(_faults(body, "$", set(defs)))
    for name, each in defs.items():
        found += _faults(each, f"$defs.{name}", set(defs))
    return found


def _faults(schema: Any, at: str, defs: set[str]) -> Iterator[str]:
    if not isinstance(schema, dict):
        yield f"{at}: not an object"
        return
    keys = schema.keys() - {"description"}
    if "$ref" in schema:
        if schema.keys() != {"$ref"}:
            yield f"{at}: $ref with siblings"
        if schema["$ref"] != "#" and schema["$ref"].removeprefix("#/$defs/") not in defs:
            yield f"{at}: dangling {schema['$ref']}"
    elif "anyOf" in schema:
        if keys != {"anyOf"} or not schema["anyOf"]:
            yield f"{at}: anyOf with siblings, or empty"
        for index, branch in enumerate(schema["anyOf"]):
            yield from _faults(branch, f"{at}|{index}", defs)
    elif isinstance(schema.get("type"), list):
        first, *rest = schema["type"]
        if rest != ["null"] or first not in SCALARS:
            yield f"{at}: type {schema['type']}"
        yield from _faults(schema | {"type": first}, at, defs)
    elif schema.get("type") == "object":
        yield from _object(schema, at, defs)
    elif schema.get("type") == "array":
        if not {"type", "items"} <= keys <= {"type", "items", "minItems", "maxItems"}:
            yield f"{at}: array with {sorted(keys)}"
        yield from _faults(schema.get("items"), f"{at}[]", defs)
    elif schema.get("type") in SCALARS:
        if extra := keys - SCALARS[schema["type"]] - {"type"}:
            yield f"{at}: {schema['type']} with {sorted(extra)}"
        if schema.get("format", "date") not in FORMATS:
            yield f"{at}: format {schema['format']}"
        if schema.get("enum") == []:
            yield f"{at}: empty enum"
    else:
        yield f"{at}: untyped"


def _object(schema: dict[str, Any], at: str, defs: set[str]) -> Iterator[str]:
    if schema.keys() - {"description"} != {"type", "properties", "required", "additionalProperties"}:
        yield f"{at}: object with {sorted(schema)}"
        return
    if schema["additionalProperties"] is not False:
        yield f"{at}: open"
    if sorted(schema["required"]) != sorted(schema["properties"]):
        yield f"{at}: not all properties are required"
    for name, child in schema["properties"].items():
        yield from _faults(child, f"{at}.{name}", defs)
