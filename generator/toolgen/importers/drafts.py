"""Schemas of drafts that the language does not read, told in one that it does, where nothing is lost."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from toolgen.schema.document import Draft, draft_of, format_pointer, subschemas

_OLDER = re.compile(r"https?://json-schema\.org/draft-0[46]/schema#?")
_BETWEEN = re.compile(r"https?://json-schema\.org/draft/2019-09/schema#?")
_LIMITS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def mend_draft(schema: Any, field: str) -> tuple[Any, list[str]]:
    """A copy of `schema` in 2020-12 or draft-07, and what was done, a sentence each.

    Draft-06 means the same in draft-07. Of draft-04, `exclusiveMinimum: true` is told as the bound itself; of
    2019-09, and of schemas that name no draft, a list of `items` as `prefixItems`.
    """
    copy = deepcopy(schema)
    notes: list[str] = []
    named = str(copy.get("$schema", ""))
    if _OLDER.fullmatch(named):
        copy["$schema"] = Draft.DRAFT_7.value
        notes.append(f"{field}/$schema: read as draft-07")
    elif _BETWEEN.fullmatch(named):
        del copy["$schema"]
        notes.append(f"{field}/$schema: read as 2020-12")
    lists = draft_of(copy) is not Draft.DRAFT_7
    for path, node in subschemas(copy):
        if not isinstance(node, dict):
            continue
        for key, limit in _LIMITS.items():
            if isinstance(node.get(key), bool):
                _tell_bound(node, key, limit)
                notes.append(f"{field}{format_pointer((*path, key))}: told as the bound itself")
        if node.get("$recursiveRef") == "#" and "$ref" not in node:
            node["$ref"] = node.pop("$recursiveRef")
            notes.append(f"{field}{format_pointer((*path, '$recursiveRef'))}: read as `$ref`")
        if lists and isinstance(node.get("items"), list):
            _tell_tuple(node)
            notes.append(
                f"{field}{format_pointer((*path, 'items'))}: a list of schemas; read as `prefixItems`"
            )
    return copy, notes


def _tell_bound(node: dict[str, Any], key: str, limit: str) -> None:
    if node.pop(key) and limit in node:
        node[key] = node.pop(limit)


def _tell_tuple(node: dict[str, Any]) -> None:
    first, rest = node.pop("items"), node.pop("additionalItems", None)
    if first:
        node["prefixItems"] = first
    if rest is not None:
        node["items"] = rest
