"""Anthropic (also on Bedrock): strict tools accept the author's schema without some keywords.

Properties may stay optional and arguments come back as the author's schema has them, so nothing has to be
restored. The runtime still enforces the keywords that are left out.
The rules: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.schema.dialect_loss import Loss
from toolgen.schema.dialects.published import Published
from toolgen.schema.document import JsonPath, resolve_reference, subschemas

_SUPPORTED = frozenset(
    {
        "type", "properties", "required", "additionalProperties", "items", "minItems", "anyOf", "allOf",
        "enum", "const", "default", "format", "pattern", "$ref", "$defs", "definitions", "title",
        "description",
    }
)  # fmt: skip
_ANNOTATIONS = frozenset({"$schema", "$comment", "$id", "examples", "deprecated", "readOnly", "writeOnly"})
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)


def publish(schema: Mapping[str, Any], strict: bool) -> Published:
    """Return what a tool publishes for Anthropic.

    `strict` is the spec's `targets.anthropic.strict`. True: the strict form if there is one. False: the
    author's schema.
    """
    if not strict:
        return Published(schema)
    losses = tuple(_losses(schema))
    if any(loss.fatal for loss in losses):
        return Published(schema, losses=losses)
    dropped = {(*loss.path, loss.keyword) for loss in losses}
    made: dict[str, Any] = _without(schema, dropped, frozenset(path for path, _ in subschemas(schema)))
    return Published(made, True, losses)


def _losses(schema: Mapping[str, Any]) -> Iterator[Loss]:
    for path, node in subschemas(schema):
        yield from _fatal(schema, path, node)
        for keyword, value in node.items():
            if _is_annotation(keyword):
                continue
            if keyword not in _SUPPORTED:
                yield Loss(path, keyword, f"Strict mode cannot say `{keyword}`; toolgen still enforces it.")
            elif keyword == "format" and value not in _FORMATS:
                yield Loss(
                    path,
                    keyword,
                    f"Strict mode does not know the format {value!r}; toolgen still enforces it.",
                )
            elif keyword == "minItems" and value not in (0, 1):
                yield Loss(
                    path, keyword, "Strict mode takes no minItems but 0 and 1; toolgen still enforces it."
                )


def _fatal(schema: Mapping[str, Any], path: JsonPath, node: Mapping[str, Any]) -> Iterator[Loss]:
    types = node.get("type")
    is_object = types == "object" or "properties" in node or (isinstance(types, list) and "object" in types)
    if is_object and node.get("additionalProperties") is not False:
        reason = "Strict mode wants every object closed: additionalProperties must be false."
        yield Loss(path, "additionalProperties", reason, True)
    for keyword in ("oneOf", "if", "not", "patternProperties", "$dynamicRef", "$anchor"):
        if keyword in node:
            yield Loss(path, keyword, f"Strict mode cannot say `{keyword}`.", True)
    if any(isinstance(value, dict | list) for value in node.get("enum", ())):
        yield Loss(path, "enum", "Strict mode takes no lists or objects in an enum.", True)
    if "$ref" in node and _is_recursive(schema, node["$ref"]):
        yield Loss(path, "$ref", "Strict mode takes no schema that refers to itself.", True)


def _is_recursive(schema: Mapping[str, Any], start: str) -> bool:
    """True if the target of the reference `start` contains `start` again, directly or through others."""
    seen: set[str] = set()
    waiting = _refs(schema, start)
    while waiting:
        ref = waiting.pop()
        if ref == start:
            return True
        if ref not in seen:
            seen.add(ref)
            waiting += _refs(schema, ref)
    return False


def _refs(schema: Mapping[str, Any], ref: str) -> list[str]:
    found = resolve_reference(schema, ref)
    inside = () if found is None else subschemas(found.value)
    return [node["$ref"] for _, node in inside if isinstance(node.get("$ref"), str)]


def _is_annotation(keyword: str) -> bool:
    return keyword in _ANNOTATIONS or keyword.startswith("x-")


def _without(value: Any, dropped: set[JsonPath], schemas: frozenset[JsonPath], path: JsonPath = ()) -> Any:
    """Return a copy of `value` without annotations and the keywords at the paths `dropped`."""
    if isinstance(value, dict):
        is_schema = path in schemas
        return {
            key: _without(item, dropped, schemas, (*path, key))
            for key, item in value.items()
            if not is_schema or ((*path, key) not in dropped and not _is_annotation(key))
        }
    if isinstance(value, list):
        return [_without(item, dropped, schemas, (*path, index)) for index, item in enumerate(value)]
    return value


@dataclass(frozen=True, slots=True)
class GrammarCost:
    """The share of a strict schema in the limits of `StrictRequestLimits`."""

    optional: int
    unions: int


def grammar_cost(schema: Mapping[str, Any]) -> GrammarCost:
    """Count the properties of `schema` that may be absent, and the subschemas that accept several types."""
    optional = unions = 0
    for _, node in subschemas(schema):
        optional += len(node.get("properties", {}).keys() - set(node.get("required", ())))
        unions += "anyOf" in node or isinstance(node.get("type"), list)
    return GrammarCost(optional, unions)
