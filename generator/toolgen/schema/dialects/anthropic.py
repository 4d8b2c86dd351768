"""The JSON Schema that Anthropic's strict tools accept, made from the author's by leaving keywords out.

Every property may stay optional; arguments come back as the author's schema has them, so nothing has to be
undone. What is left out is checked by the runtime as ever.
The rules: https://platform.claude.com/docs/en/build-with-claude/structured-outputs
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.schema.document import Path, resolve_reference, subschemas
from toolgen.schema.loss import Loss

_KEPT = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "anyOf", "allOf", "enum"}
)
_KEPT |= {"const", "default", "$ref", "$defs", "definitions", "description", "title", "format", "pattern"}
_KEPT |= {"minItems"}
_SILENT = frozenset({"$schema", "$comment", "$id", "examples", "deprecated", "readOnly", "writeOnly"})
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)


def publish(schema: Mapping[str, Any], strict: bool) -> tuple[Mapping[str, Any], bool, tuple[Loss, ...]]:
    """What a tool publishes: its schema, the strict flag, and the losses to tell the author.

    `strict` is the spec's `targets.anthropic.strict`. True: the strict form if there is one. False: the
    author's schema.
    """
    if not strict:
        return schema, False, ()
    losses = tuple(_losses(schema))
    if any(loss.fatal for loss in losses):
        return schema, False, losses
    gone = {(*loss.path, loss.keyword) for loss in losses}
    made: dict[str, Any] = _without(schema, gone, _schema_paths(schema), ())
    return made, True, losses


def _losses(schema: Mapping[str, Any]) -> Iterator[Loss]:
    for path, node in subschemas(schema):
        yield from _fatal(schema, path, node)
        for keyword, value in node.items():
            if keyword in _SILENT or keyword.startswith("x-"):
                continue
            if keyword not in _KEPT:
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


def _fatal(schema: Mapping[str, Any], path: Path, node: Mapping[str, Any]) -> Iterator[Loss]:
    types = node.get("type")
    holds = types == "object" or "properties" in node or (isinstance(types, list) and "object" in types)
    if holds and node.get("additionalProperties") is not False:
        reason = "Strict mode wants every object closed: additionalProperties must be false."
        yield Loss(path, "additionalProperties", reason, True)
    for keyword in ("oneOf", "if", "not", "patternProperties", "$dynamicRef", "$anchor"):
        if keyword in node:
            yield Loss(path, keyword, f"Strict mode cannot say `{keyword}`.", True)
    if any(isinstance(value, dict | list) for value in node.get("enum", ())):
        yield Loss(path, "enum", "Strict mode takes no lists or objects in an enum.", True)
    if "$ref" in node and _recurs(schema, node["$ref"]):
        yield Loss(path, "$ref", "Strict mode takes no schema that refers to itself.", True)


def _recurs(schema: Mapping[str, Any], start: str) -> bool:
    """Whether what `start` refers to comes back to itself."""
    seen: set[str] = set()
    left = _refs(schema, start)
    while left:
        ref = left.pop()
        if ref == start:
            return True
        if ref not in seen:
            seen.add(ref)
            left += _refs(schema, ref)
    return False


def _refs(schema: Mapping[str, Any], ref: str) -> list[str]:
    found = resolve_reference(schema, ref)
    inside = () if found is None else subschemas(found[0])
    return [node["$ref"] for _, node in inside if isinstance(node.get("$ref"), str)]


def _schema_paths(schema: Mapping[str, Any]) -> frozenset[Path]:
    return frozenset(path for path, _ in subschemas(schema))


def _without(value: Any, gone: set[Path], schemas: frozenset[Path], path: Path) -> Any:
    if isinstance(value, dict):
        here = path in schemas
        return {
            key: _without(item, gone, schemas, (*path, key))
            for key, item in value.items()
            if not here or ((*path, key) not in gone and key not in _SILENT and not key.startswith("x-"))
        }
    if isinstance(value, list):
        return [_without(item, gone, schemas, (*path, index)) for index, item in enumerate(value)]
    return value


@dataclass(frozen=True, slots=True)
class GrammarCost:
    """In the words of `StrictBudget`."""

    optional: int
    unions: int


def grammar_cost(schema: Mapping[str, Any]) -> GrammarCost:
    """How many properties of `schema` may be absent, and how many places take several types."""
    optional = unions = 0
    for _, node in subschemas(schema):
        optional += len(node.get("properties", {}).keys() - set(node.get("required", ())))
        unions += "anyOf" in node or isinstance(node.get("type"), list)
    return GrammarCost(optional, unions)
