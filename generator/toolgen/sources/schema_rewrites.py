"""Rewrite schemas that mean something clear in another draft or language into JSON Schema that says the same.

Each function changes `schema` in place and returns one sentence per change; `field` is its field of the spec.
"""

from __future__ import annotations

import re
from typing import Any

from toolgen.base.suggestions import quoted
from toolgen.schema.document import Draft, JsonPath, draft_of, format_pointer, subschemas
from toolgen.schema.keywords import TYPES

_DRAFT_4_OR_6 = re.compile(r"https?://json-schema\.org/draft-0[46]/schema#?")
_DRAFT_2019 = re.compile(r"https?://json-schema\.org/draft/2019-09/schema#?")
_BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}

_ALIASES = {
    "array": "list tuple set frozenset sequence arraylist vector iterable collection slice",
    "boolean": "bool bit",
    "integer": "int long short byte int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 bigint biginteger",
    "null": "none nil void nonetype undefined",
    "number": "float double decimal real numeric float32 float64 bigdecimal",
    "object": "dict map mapping hashmap hashtable record struct json dictionary",
    "string": "str text char varchar character",
}
TYPE_ALIASES = {alias: name for name, aliases in _ALIASES.items() for alias in aliases.split()}
"""Type names of programming languages → type names of JSON Schema."""

_ANY_TYPE = frozenset(("any", "", "unknown", "mixed", "variant", "value", "*"))


def copy_json(value: Any) -> Any:
    """Return a copy of a JSON value that shares no object with it, nor between its own parts."""
    if isinstance(value, dict):
        return {key: copy_json(inner) for key, inner in value.items()}
    return [copy_json(inner) for inner in value] if isinstance(value, list) else value


def rewrite_type_names(schema: Any, field: str) -> list[str]:
    """Replace type names of programming languages: `dict`, `String`, `List[str]`, `integer `, null."""
    notes: list[str] = []
    for path, node in subschemas(schema):
        if not isinstance(node, dict) or "type" not in node:
            continue
        written = node["type"]
        parts = written if isinstance(written, list) else ["null" if written is None else written]
        names = ["null" if each is None else _type_name(each) for each in parts]
        unique = list(dict.fromkeys(names))
        if unique == written or unique == [written]:
            continue
        if any(isinstance(each, str) and each.strip().lower() in _ANY_TYPE for each in parts):
            del node["type"]
            meant = "any value is accepted"
        elif None not in unique and unique:
            node["type"] = unique if isinstance(written, list) else unique[0]
            meant = f"read as '{', '.join(map(str, unique))}'"
        else:
            continue
        shown = quoted(str(written))
        notes.append(f"{_place(field, path, 'type')}: {shown} is not a JSON Schema type; {meant}")
    return notes


def _type_name(written: Any) -> str | None:
    """Return the JSON Schema type of `written`, ignoring case, package and type arguments (`List[str]`)."""
    if not isinstance(written, str):
        return None
    name = written.strip().lower()
    if name in TYPES:
        return name
    for bracket in "[<(":
        name = name.partition(bracket)[0].strip()
    name = name.rpartition(".")[2]
    return name if name in TYPES else TYPE_ALIASES.get(name)


def rewrite_draft(schema: dict[str, Any], field: str) -> list[str]:
    """Rewrite drafts 04, 06 and 2019-09 as draft-07 or 2020-12.

    Draft-06 means the same in draft-07. Boolean `exclusiveMinimum` and `exclusiveMaximum` of draft-04 become
    numbers; a list of `items`, in 2019-09 and in schemas that name no draft, becomes `prefixItems`.
    """
    notes: list[str] = []
    named = str(schema.get("$schema", ""))
    if _DRAFT_4_OR_6.fullmatch(named):
        schema["$schema"] = Draft.DRAFT_7.value
        notes.append(f"{field}/$schema: read as draft-07")
    elif _DRAFT_2019.fullmatch(named):
        del schema["$schema"]
        notes.append(f"{field}/$schema: read as 2020-12")
    has_prefix_items = draft_of(schema) is not Draft.DRAFT_7
    for path, node in subschemas(schema):
        if not isinstance(node, dict):
            continue
        for key, bound in _BOUNDS.items():
            if isinstance(node.get(key), bool):
                rewrite_boolean_bound(node, key, bound)
                notes.append(f"{_place(field, path, key)}: true or false, as in draft-04; read as a number")
        if node.get("$recursiveRef") == "#" and "$ref" not in node:
            node["$ref"] = node.pop("$recursiveRef")
            notes.append(f"{_place(field, path, '$recursiveRef')}: read as `$ref`")
        if has_prefix_items and isinstance(node.get("items"), list):
            _rewrite_tuple(node)
            notes.append(f"{_place(field, path, 'items')}: a list of schemas; read as `prefixItems`")
    return notes


def rewrite_boolean_bound(node: dict[str, Any], key: str, bound: str) -> None:
    """Rewrite `key: true` beside `bound: 5` as `key: 5`; `key: false` has no meaning and is removed."""
    if node.pop(key) and bound in node:
        node[key] = node.pop(bound)


def _rewrite_tuple(node: dict[str, Any]) -> None:
    first, rest = node.pop("items"), node.pop("additionalItems", None)
    if first:
        node["prefixItems"] = first
    if rest is not None:
        node["items"] = rest


def move_misplaced_keywords(schema: Any, field: str) -> list[str]:
    """Move `required: true` of a property to its object, and an `enum` of an array's items to `items`.

    Where people write them, JSON Schema does not see them.
    """
    notes: list[str] = []
    for path, node in subschemas(schema):
        if not isinstance(node, dict):
            continue
        if isinstance(node.get("properties"), dict):
            notes += _move_required(node, field + format_pointer(path))
        values, items = node.get("enum"), node.get("items")
        if node.get("type") != "array" or not isinstance(values, list) or not isinstance(items, dict):
            continue
        if values and "enum" not in items and not any(isinstance(value, list) for value in values):
            node["items"] = {**items, "enum": node.pop("enum")}
            notes.append(f"{_place(field, path, 'enum')}: none of the values is an array; moved to `items`")
    return notes


def _move_required(node: dict[str, Any], where: str) -> list[str]:
    notes: list[str] = []
    required = node.get("required", [])
    if not isinstance(required, list):
        return notes
    for name, inner in node["properties"].items():
        if not isinstance(inner, dict) or not isinstance(inner.get("required"), bool):
            continue
        if not inner.pop("required"):  # nothing is lost: properties are optional
            continue
        if name not in required:
            required = [*required, name]
            node["required"] = required
        notes.append(
            f"{where}{format_pointer(('properties', name, 'required'))}: moved to `required` of the object"
        )
    return notes


def _place(field: str, path: JsonPath, keyword: str) -> str:
    return field + format_pointer((*path, keyword))
