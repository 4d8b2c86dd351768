"""Inline the references of a schema, or wrap it in an object. Neither changes its meaning.

Some clients drop `$defs`: VS Code's Copilot and Claude Desktop (PrefectHQ/fastmcp#2808), Copilot CLI
(github/copilot-cli#1876) and Codex (openai/codex#3152).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolgen.schema.document import (
    JsonPath,
    Located,
    Schema,
    SchemaDocument,
    follow,
    replace_refs,
    subschemas,
)
from toolgen.schema.keywords import CONSTRAINING

MAX_SUBSCHEMAS: Final = 5_000
"""Maximum number of subschemas after inlining; a schema that would be larger keeps its references."""

MAX_DEPTH: Final = 250
"""Maximum nesting of objects and lists after inlining; as `MAX_SUBSCHEMAS`."""

RESULT_PROPERTY: Final = "result"
"""The property that holds a wrapped value."""

_DEFINITIONS: Final = ("$defs", "definitions")


def wrap_in_object(document: SchemaDocument) -> dict[str, Any]:
    """Return the schema of an object whose only property is described by a schema."""
    schema = document.rewritten.schema
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


def inline_references(document: SchemaDocument) -> Schema:
    """Return a schema with every reference inlined, except recursive ones."""
    plain = document.plain
    if not plain.is_plain or not any("$ref" in node for _, node in subschemas(plain.schema)):
        return document.schema
    try:
        made: dict[str, Any] = _Inliner(plain).inline(plain.schema, ())
    except _InliningLimitError:
        return document.schema
    return _without_unused_definitions(made)


class _InliningLimitError(Exception):
    """Inlining would make the schema too large."""


class _Inliner:
    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._schemas = {path for path, _ in subschemas(document.schema)}
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
        found = self._document.target(value.get("$ref")) if is_schema else None
        if not isinstance(found, Located) or any(
            found[1] == path[: len(found[1])] for path in (*following, path)
        ):
            return {key: self.inline(each, (*path, key), following, depth + 1) for key, each in value.items()}
        target = self.inline(found[0], found[1], (*following, path), depth + 1)
        own = {
            key: self.inline(each, (*path, key), following, depth + 1)
            for key, each in value.items()
            if key != "$ref" and self._document.siblings_apply
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
    document = SchemaDocument(schema)
    for keyword in _DEFINITIONS:
        if isinstance(result.get(keyword), Mapping):
            used = _used_definitions(document, keyword)
            result[keyword] = {name: each for name, each in schema[keyword].items() if name in used}
            if not result[keyword]:
                del result[keyword]
    return result


def _used_definitions(document: SchemaDocument, keyword: str) -> set[str]:
    body = {key: value for key, value in document.schema.items() if key not in _DEFINITIONS}
    used: set[JsonPath] = set()
    waiting: list[Any] = [body]
    for schema in waiting:  # grows
        for _, node in subschemas(schema):
            found = document.target(node.get("$ref"))
            if not isinstance(found, Located) or len(found.path) < 2 or found.path[:2] in used:
                continue
            used.add(found.path[:2])
            waiting.append(follow(document.schema, found.path[:2]))
    return {str(name) for home, name in used if home == keyword}
