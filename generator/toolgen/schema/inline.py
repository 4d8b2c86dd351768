"""Inline the references of a schema, or wrap it in an object. Neither changes its meaning.

Some clients drop `$defs`: VS Code's Copilot and Claude Desktop (PrefectHQ/fastmcp#2808), Copilot CLI
(github/copilot-cli#1876) and, until openai/codex#23357, Codex (openai/codex#3152).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.base import MIB
from toolgen.schema.document import (
    JsonPath,
    Located,
    Schema,
    SchemaDocument,
    parse_pointer,
    replace_refs,
    subschemas,
)
from toolgen.schema.graph import references_in
from toolgen.schema.keywords import CONSTRAINING, SCHEMA_HOLDING

MAX_SUBSCHEMAS: Final = 5_000
"""Maximum number of subschemas after inlining; a schema that would be larger keeps its references."""

MAX_DEPTH: Final = 250
"""Maximum nesting of objects and lists after inlining; as `MAX_SUBSCHEMAS`."""

MAX_CHARACTERS: Final = 4 * MIB
"""Maximum length of the inlined schema as JSON, about that of a spec; as `MAX_SUBSCHEMAS`."""

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


@dataclass(frozen=True, slots=True)
class Inlined:
    """A schema whose references were inlined, or why they were not."""

    schema: Schema  # the author's, if there is a reason
    kept_because: str = ""


def inline_references(document: SchemaDocument) -> Schema:
    """Return a schema with every reference inlined, except recursive ones; the author's beyond the limits."""
    return try_inlining(document).schema


def try_inlining(document: SchemaDocument) -> Inlined:
    """Inline every reference, except recursive ones, unless the schema would be too large or not the same."""
    plain = document.plain
    if not any("$ref" in node for _, node in subschemas(plain.schema)):
        return Inlined(document.schema)
    if not plain.is_plain:
        return Inlined(document.schema, "what a reference names depends on the call")
    try:
        made: dict[str, Any] = _Inliner(plain).inline(plain.schema, ())
    except _InliningLimitError as error:
        return Inlined(document.schema, str(error))
    result = SchemaDocument(_without_unused_definitions(_with_root_keywords(made, plain)))
    # a reference that was not inlined may have led through one that was
    if any(
        not isinstance(target, Located)
        for path, node in subschemas(result.schema)
        for _, target in result.references(node, path)
    ):
        return Inlined(document.schema, "a recursive reference leads through another reference")
    return Inlined(result.schema)


def _with_root_keywords(made: dict[str, Any], document: SchemaDocument) -> dict[str, Any]:
    """Return the inlined schema with the draft and the definitions of the author's.

    Draft-07 ignores keywords beside a `$ref`, but these are about the document.
    """
    kept = {key: document.schema[key] for key in ("$schema", *_DEFINITIONS) if key in document.schema}
    return {**kept, **made} if kept.keys() - made.keys() else made


class _InliningLimitError(Exception):
    """Inlining would make the schema too large; the text says how."""


class _Inliner:
    def __init__(self, document: SchemaDocument) -> None:
        self._document = document
        self._schemas = {path for path, _ in subschemas(document.schema)}
        self._count = 0
        self._characters = 0
        self._sizes: dict[int, int] = {}  # id of a value without subschemas → its characters

    def inline(self, value: Any, path: JsonPath, following: tuple[JsonPath, ...] = (), depth: int = 0) -> Any:
        """Inline the schema at `path`, or a list or map of schemas; `following` led to it by reference."""
        if isinstance(value, list):
            return [
                self.inline(each, (*path, index), following, depth + 1) for index, each in enumerate(value)
            ]
        if not isinstance(value, Mapping):
            return value
        is_schema = path in self._schemas
        self._count += is_schema
        if self._count > MAX_SUBSCHEMAS:
            raise _InliningLimitError(f"inlined, a schema would have more than {MAX_SUBSCHEMAS:,} subschemas")
        if depth > MAX_DEPTH:
            raise _InliningLimitError(f"inlined, a schema would be nested more than {MAX_DEPTH} deep")
        found = self._document.target(value.get("$ref")) if is_schema else None
        if not isinstance(found, Located) or any(
            found[1] == path[: len(found[1])] for path in (*following, path)
        ):
            return {key: self._member(value, key, path, following, depth) for key in value}
        target = self.inline(found[0], found[1], (*following, path), depth + 1)
        own = {
            key: self._member(value, key, path, following, depth)
            for key in value
            if key != "$ref" and self._document.siblings_apply
        }
        return _beside(target, own)

    def _member(
        self,
        holder: Mapping[str, Any],
        key: str,
        path: JsonPath,
        following: tuple[JsonPath, ...],
        depth: int,
    ) -> Any:
        value = holder[key]
        if path not in self._schemas or key in SCHEMA_HOLDING:
            self._add(len(key))
            return self.inline(value, (*path, key), following, depth + 1)
        size = self._sizes.get(id(value))
        if size is None:
            size = self._sizes[id(value)] = len(json.dumps(value))
        self._add(len(key) + size)  # an `enum` of thousands of values is one subschema
        return value

    def _add(self, characters: int) -> None:
        self._characters += characters
        if self._characters > MAX_CHARACTERS:
            raise _InliningLimitError(f"inlined, a schema would have more than {MAX_CHARACTERS:,} characters")


def _beside(target: Any, own: dict[str, Any]) -> Any:
    """Combine the target of a reference with the keywords `own` beside the reference."""
    if not own:
        return target
    if isinstance(target, Mapping) and CONSTRAINING.isdisjoint(own):
        return {**target, **own}
    return {**own, "allOf": [*own.get("allOf", ()), target]}


def _without_unused_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    """Return `schema`, whose references are pointers, without the definitions that nothing refers to."""
    used = {parse_pointer(reference[1:])[:2] for reference in references_in(schema)}
    result = dict(schema)
    for keyword in _DEFINITIONS:
        if isinstance(result.get(keyword), Mapping):
            result[keyword] = {
                name: each for name, each in schema[keyword].items() if (keyword, name) in used
            }
            if not result[keyword]:
                del result[keyword]
    return result
