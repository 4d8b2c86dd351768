"""Repair imported schemas: rewrite what has a clear meaning, remove what is not valid JSON Schema.

A removed keyword is no longer enforced, so each removal is noted. The MCP importer carries the original
schema beside the repaired one (`x-mcp`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.runtime.definition.semantics.schema_faults import find_faults
from toolgen.schema.budget import TooComplexError, check_budget
from toolgen.schema.document import JsonPath, SchemaDocument, follow, format_pointer
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.schema_rewrites import (
    copy_json,
    move_misplaced_keywords,
    rewrite_draft,
    rewrite_type_names,
)

_MAX_ROUNDS = 20  # of removing faults: each round removes every fault that it finds, and three are common


@dataclass(frozen=True, slots=True)
class RepairedSchema:
    """A schema that the language accepts, and one sentence per change."""

    schema: dict[str, Any]
    notes: list[str]


def repair_schema(schema: Mapping[str, Any], field: str) -> RepairedSchema:
    """Return `schema` as the language accepts it in the spec field `field`.

    Raises:
        SourceError: the schema is too complex; nothing is removed in that case.
    """
    try:
        check_budget(SchemaDocument(schema))
    except TooComplexError as error:
        excess = error.excess
        message = f"{field}{format_pointer(excess.path)}: {excess.message}"
        raise SourceError(message, excess.hint, "too-complex") from None
    repaired = copy_json(schema)
    notes = rewrite_type_names(repaired, field)
    is_valid = False
    for rewrite in (rewrite_draft, move_misplaced_keywords):
        is_valid = not find_faults(repaired)
        if is_valid:
            break
        notes += rewrite(repaired, field)
    complete = _as_object_schema(repaired, field, notes) if field == "input_schema" else repaired
    # most schemas are valid and have a type: they are checked once, which is nearly all of the work
    if (is_valid and complete is repaired) or _remove_faults(complete, field, notes):
        return RepairedSchema(complete, notes)
    return RepairedSchema({"type": "object"}, notes)


def repair_foreign_schema(schema: Mapping[str, Any], field: str) -> RepairedSchema:
    """Return `schema` as `repair_schema` does, also rewritten where it is valid but cannot be meant so."""
    copy = copy_json(schema)
    notes = [*rewrite_type_names(copy, field), *move_misplaced_keywords(copy, field)]
    repaired = repair_schema(copy, field)
    return RepairedSchema(repaired.schema, notes + repaired.notes)


def _as_object_schema(schema: dict[str, Any], field: str, notes: list[str]) -> dict[str, Any]:
    """Return `schema` with `type: object`: arguments are always an object."""
    if schema.get("type") == "object":
        return schema
    if "type" in schema:
        notes.append(f"{field}/type: is {json.dumps(schema['type'])}; read as 'object', as arguments are")
        return {**schema, "type": "object"}
    notes.append(f"{field}: has no `type: object`; added, since arguments are an object")
    return {"type": "object", **schema}


def _remove_faults(schema: dict[str, Any], field: str, notes: list[str]) -> bool:
    """Remove faulty keywords from `schema`; False if the whole schema cannot be enforced."""
    for _ in range(_MAX_ROUNDS):
        faults = find_faults(schema)
        if not faults:
            return True
        for fault in faults:
            if not fault.path:
                notes.append(f"{field}: {fault.message}: the schema is not enforced")
                return False
            removed = _remove_keyword(schema, fault.path)
            if removed:
                notes.append(f"{field}{format_pointer(removed)}: {fault.message}: not enforced")
    notes.append(f"{field}: has too many faults: the schema is not enforced")
    return False


def _remove_keyword(schema: dict[str, Any], path: JsonPath) -> JsonPath:
    """Remove the keyword that contains `path`; return its path, or () if it was removed before."""
    while path:
        try:
            parent = follow(schema, path[:-1])
        except LookupError:
            return ()
        if isinstance(parent, list) and path[-2] == "required" and isinstance(follow(schema, path), str):
            del parent[int(path[-1])]
            return path
        if isinstance(parent, dict):
            if str(path[-1]) not in parent:
                return ()
            del parent[str(path[-1])]
            return path
        path = path[:-1]
    return ()
