"""Inline the references of a schema, or wrap it in an object. Neither changes its meaning.

Some clients drop `$defs`: VS Code's Copilot and Claude Desktop (PrefectHQ/fastmcp#2808), Copilot CLI
(github/copilot-cli#1876) and Codex (openai/codex#3152).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.document import (
    Draft,
    JsonPath,
    Schema,
    draft_of,
    replace_refs,
    resolve_reference,
    subschemas,
)
from toolgen.schema.keywords import CONSTRAINING

MAX_SUBSCHEMAS: Final = 5_000
"""Maximum number of subschemas after inlining; a schema that would be larger keeps its references."""

MAX_DEPTH: Final = 250
"""Maximum nesting of objects and lists after inlining; as `MAX_SUBSCHEMAS`."""

RESULT_PROPERTY: Final = "result"
"""The property that holds a wrapped value."""

_IDENTIFIERS: Final = frozenset(
    {"$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor"}
)
_DEFINITIONS: Final = ("$defs", "definitions")


def wrap_in_object(schema: Schema) -> dict[str, Any]:
    """Return the schema of an object whose only property is described by `schema`."""
    moved = {
        path: f"#/properties/{RESULT_PROPERTY}{node['$ref'][1:]}"
        for path, node in subschemas(schema)
        if _is_pointer(node.get("$ref")) and "$id" not in schema
    }
    inner: dict[str, Any] = replace_refs(schema, moved)
    draft = {"$schema": inner.pop("$schema")} if "$schema" in inner and "$id" not in inner else {}
    return {**draft, "type": "object", "properties": {RESULT_PROPERTY: inner}, "required": [RESULT_PROPERTY]}


def _is_pointer(reference: object) -> bool:
    return isinstance(reference, str) and (reference == "#" or reference.startswith("#/"))


def inline_references(schema: Schema) -> Schema:
    """Return `schema` with every reference inlined, except recursive ones."""
    nodes = [node for _, node in subschemas(schema)]
    if not any("$ref" in node for node in nodes) or any(_IDENTIFIERS & node.keys() for node in nodes):
        return schema
    try:
        made: dict[str, Any] = _Inliner(schema).inline(schema, ())
    except _InliningLimitError:
        return schema
    return _without_unused_definitions(made)


class _InliningLimitError(Exception):
    """Inlining would make the schema too large."""


class _Inliner:
    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._draft7 = draft_of(schema) is Draft.DRAFT_7
        self._schemas = {path for path, _ in subschemas(schema)}
        self._count = 0

    def inline(self, value: Any, path: JsonPath, following: tuple[JsonPath, ...] = (), depth: int = 0) -> Any:
        """Inline `value`, found at `path`; `following` are the references that led to it."""
        if isinstance(value, list):
            return [
                self.inline(each, (*path, index), following, depth + 1) for index, each in enumerate(value)
            ]
        if not isinstance(value, Mapping):
            return value
        is_schema = path in self._schemas
        self._count += is_schema
        if self._count > MAX_SUBSCHEMAS or depth > MAX_DEPTH:
            raise _InliningLimitError
        found = resolve_reference(self._schema, value["$ref"]) if is_schema and "$ref" in value else None
        if found is None or any(found[1] == path[: len(found[1])] for path in (*following, path)):
            return {key: self.inline(each, (*path, key), following, depth + 1) for key, each in value.items()}
        target = self.inline(found[0], found[1], (*following, path), depth + 1)
        own = {
            key: self.inline(each, (*path, key), following, depth + 1)
            for key, each in value.items()
            if key != "$ref" and not self._draft7
        }
        return _beside(target, own)


def _beside(target: Any, own: dict[str, Any]) -> Any:
    """Combine the target of a reference with the keywords `own` beside the reference."""
    if not own:
        return target
    if isinstance(target, Mapping) and CONSTRAINING.isdisjoint(own):
        return {**target, **own}
    return {**own, "allOf": [*own.get("allOf", ()), target]}


def _without_unused_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema` without the definitions that nothing refers to."""
    result = dict(schema)
    for keyword in _DEFINITIONS:
        if isinstance(result.get(keyword), Mapping):
            used = _used_definitions(schema, keyword)
            result[keyword] = {name: each for name, each in schema[keyword].items() if name in used}
            if not result[keyword]:
                del result[keyword]
    return result


def _used_definitions(schema: dict[str, Any], keyword: str) -> set[str]:
    body = {key: value for key, value in schema.items() if key not in _DEFINITIONS}
    used: set[str] = set()
    waiting: list[Any] = [body]
    while waiting:
        for _, node in subschemas(waiting.pop()):
            found = resolve_reference(schema, node.get("$ref"))
            if found and len(found[1]) > 1 and found[1][0] in _DEFINITIONS:
                home, name = found[1][0], str(found[1][1])
                if f"{home}/{name}" not in used:
                    used.add(f"{home}/{name}")
                    waiting.append(schema[str(home)][name])
    return {each.partition("/")[2] for each in used if each.startswith(f"{keyword}/")}
