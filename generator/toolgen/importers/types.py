"""Types as people write them who do not know JSON Schema: `dict`, `float`, `String`, `tuple`, `integer `."""

from __future__ import annotations

from typing import Any

from toolgen.schema.document import format_pointer, subschemas
from toolgen.schema.keywords import TYPES
from toolgen.suggestions import quoted

_SAME = {
    "array": "list tuple set frozenset sequence arraylist vector iterable collection slice",
    "boolean": "bool bit",
    "integer": "int long short byte int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 bigint biginteger",
    "null": "none nil void nonetype undefined",
    "number": "float double decimal real numeric float32 float64 bigdecimal",
    "object": "dict map mapping hashmap hashtable record struct json dictionary",
    "string": "str text char varchar character",
}
MEANT = {word: kind for kind, words in _SAME.items() for word in words.split()}
"""Type names of programming languages → those of JSON Schema."""

_ANYTHING = frozenset(("any", "", "unknown", "mixed", "variant", "value", "*"))


def mend_types(schema: Any, field: str) -> tuple[Any, list[str]]:
    """A copy of `schema` whose types have JSON Schema's names where it is plain which; what was done."""
    copy = _copied(schema)
    notes: list[str] = []
    for path, node in subschemas(copy):
        if "type" not in node or not isinstance(node, dict):
            continue
        where = field + format_pointer((*path, "type"))
        kind = node["type"]
        if isinstance(kind, str):
            _mend_word(node, kind, where, notes)
        elif kind is None:
            node["type"] = "null"
            notes.append(f"{where}: null is no text; read as 'null'")
        elif isinstance(kind, list):
            _mend_list(node, kind, where, notes)
    return copy, notes


def _mend_word(node: dict[str, Any], word: str, where: str, notes: list[str]) -> None:
    if word in TYPES:
        return
    meant = _meant(word)
    if meant is None and word.strip().lower() in _ANYTHING:
        del node["type"]
        notes.append(f"{where}: {quoted(word)} is no type of JSON Schema; any value is taken")
    elif meant is not None:
        node["type"] = meant
        notes.append(f"{where}: {quoted(word)} is no type of JSON Schema; read as '{meant}'")


def _mend_list(node: dict[str, Any], words: list[Any], where: str, notes: list[str]) -> None:
    meant = [("null" if word is None else _meant(word) if isinstance(word, str) else None) for word in words]
    if any(isinstance(word, str) and word.strip().lower() in _ANYTHING for word in words):
        del node["type"]
        notes.append(f"{where}: the list names a type that takes anything; any value is taken")
        return
    if None in meant or not meant:
        return
    kinds = list(dict.fromkeys(meant))
    if kinds != words:
        node["type"] = kinds
        notes.append(f"{where}: read as {', '.join(map(str, kinds))}")


def _meant(word: str) -> str | None:
    """The type of JSON Schema that `word` means, whatever its case, and what it holds: `List[str]`."""
    plain = word.strip().lower()
    if plain in TYPES:
        return plain
    for bracket in "[<(":
        plain = plain.partition(bracket)[0].strip()
    plain = plain.rpartition(".")[2]
    return plain if plain in TYPES else MEANT.get(plain)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(inner) for key, inner in value.items()}
    return [_copied(inner) for inner in value] if isinstance(value, list) else value


def mend_habits(schema: Any, field: str) -> tuple[Any, list[str]]:
    """A copy of `schema` without two habits that say what JSON Schema does not hear; what was done.

    `required: true` on a property belongs to the list of its object; an `enum` of what an array may hold
    belongs to its `items`.
    """
    copy = _copied(schema)
    notes: list[str] = []
    for path, node in subschemas(copy):
        if not isinstance(node, dict):
            continue
        if isinstance(node.get("properties"), dict):
            notes += _lift_required(node, field + format_pointer(path))
        values, items = node.get("enum"), node.get("items")
        if node.get("type") != "array" or not isinstance(values, list) or not isinstance(items, dict):
            continue
        if values and "enum" not in items and not any(isinstance(value, list) for value in values):
            node["items"] = {**items, "enum": node.pop("enum")}
            notes.append(f"{field}{format_pointer((*path, 'enum'))}: no array is in it; moved to `items`")
    return copy, notes


def _lift_required(node: dict[str, Any], where: str) -> list[str]:
    notes: list[str] = []
    listed = node.get("required", [])
    if not isinstance(listed, list):
        return notes
    for name, inner in node["properties"].items():
        if not isinstance(inner, dict) or not isinstance(inner.get("required"), bool):
            continue
        wanted = inner.pop("required")
        if wanted and name not in listed:
            listed = [*listed, name]
            node["required"] = listed
        notes.append(
            f"{where}{format_pointer(('properties', name, 'required'))}: moved to `required` of its object"
        )
    return notes
