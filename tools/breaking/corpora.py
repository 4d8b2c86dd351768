"""Pairs from published tools: each schema, and the same with one edit."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

from toolgen.changes.edit_space import Direction, Edit, edits_of
from toolgen.schema.document import Draft, draft_of, follow, subschemas
from toolgen.schema.keywords import KEYWORDS

from tools.breaking.pairs import Pair, is_valid_schema
from tools.breaking.schema_edits import UNDOES, edit_schema, same_json
from tools.breaking.schema_writer import SchemaWriter

MCP: Final = "mcp_tools.public.jsonl"
OPENAI: Final = "openai_functions.public.jsonl"
_TRIES: Final = 50
_OF_DOCUMENTS: Final = {
    "$schema",
    "$id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$vocabulary",
    "$defs",
    "definitions",
}


def published_schemas(corpus: Path) -> Iterator[tuple[str, Any]]:
    """Yield each schema of both corpora with its name."""
    for number, line in enumerate((corpus / MCP).read_text(encoding="utf-8").splitlines()):
        tool = json.loads(line)
        for key in ("inputSchema", "outputSchema"):
            if isinstance(tool.get(key), dict):
                yield f"mcp {number} {key}", tool[key]
    for number, line in enumerate((corpus / OPENAI).read_text(encoding="utf-8").splitlines()):
        parameters = json.loads(line)["function"].get("parameters")
        if isinstance(parameters, dict):
            yield f"openai {number}", parameters


def mutations(corpus: Path, *, seed: int, per_schema: int) -> Iterator[Pair]:
    """Yield pairs: each published schema with `per_schema` different edits, in both directions by turns."""
    for name, schema in published_schemas(corpus):
        if not is_valid_schema(schema):
            continue
        for number in range(per_schema):
            pair = mutation(schema, name=f"{seed} {name} {number}")
            if pair is not None:
                yield pair


def mutation(schema: Mapping[str, Any], *, name: str) -> Pair | None:
    """Return `schema` and the same with one edit somewhere; None if none was found."""
    random = Random(name)
    draft = draft_of(schema) or Draft.DRAFT_2020_12
    nodes = [path for path, _ in subschemas(schema)]
    for _ in range(_TRIES):
        writer = SchemaWriter(random, draft, boundary=random.random() < 0.5)
        path = random.choice(nodes)
        new = _edited(copy.deepcopy(dict(schema)), path, writer)
        if new is None or same_json(new, schema) or not is_valid_schema(new):
            continue
        sides = (schema, new) if random.random() < 0.5 else (new, schema)
        direction = random.choice(list(Direction))
        old_part, new_part = (follow(side, path) if _has(side, path) else {} for side in sides)
        return Pair(name, direction, sides[0], sides[1], old_part, new_part, place=_place_in_value(path))
    return None


def _place_in_value(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return where in a value the schema at `path` applies; 0 stands for any item."""
    place: list[str | int] = []
    steps = iter(path)
    for step in steps:
        if step == "properties":
            place.append(next(steps, ""))
        elif step in ("items", "contains"):
            place.append(0)
        elif step == "additionalProperties":
            place.append("any")
    return tuple(place)


def _edited(root: dict[str, Any], path: tuple[str | int, ...], writer: SchemaWriter) -> dict[str, Any] | None:
    node = follow(root, path)
    writer.place = "definitions" if "definitions" in root else "$defs"
    writer.definitions = dict(root.get(writer.place, {}))
    known = [key for key in node if key in KEYWORDS and key not in _OF_DOCUMENTS]
    if known and writer.some(0.8):
        keyword = writer.choice(known)
        edit = writer.choice([edit for edit in edits_of(keyword) if edit is not Edit.ADDED])
    else:
        kind = node.get("type")
        keyword = writer.choice(writer.keywords_for(kind if isinstance(kind, str) else "object", 1))
        edit = Edit.ADDED
    if edit is Edit.REMOVED:
        del node[keyword]
        return root
    made = edit_schema(node, keyword, UNDOES.get(edit, edit), writer)
    if made is None:
        return None
    root = _replaced(root, path, made.node)
    definitions = {**writer.definitions, **made.definitions}
    return {**root, writer.place: {**definitions, **root.get(writer.place, {})}} if definitions else root


def _replaced(root: dict[str, Any], path: tuple[str | int, ...], node: Any) -> dict[str, Any]:
    if not path:
        return dict(node)
    follow(root, path[:-1])[path[-1]] = node
    return root


def _has(root: Any, path: tuple[str | int, ...]) -> bool:
    try:
        follow(root, path)
    except LookupError:
        return False
    return True
