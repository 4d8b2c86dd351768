"""Make single edits: the new schema for an old one, by keyword and edit of the space.

An edit that cannot be made of a schema gives None. Edits that undo another one are made by swapping the
sides.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.changes.edit_space import Edit, ValueKind, edits_of, value_kinds
from toolgen.schema.document import Draft
from toolgen.schema.keywords import ALL_REFERENCES

from tools.breaking.schema_writer import NAMES, SchemaWriter

Node = dict[str, Any]

UNDOES: Final[Mapping[Edit, Edit]] = {
    Edit.REMOVED: Edit.ADDED,
    Edit.LOWERED: Edit.RAISED,
    Edit.REFINED: Edit.COARSENED,
    Edit.CLEARED: Edit.SET,
    Edit.VALUE_REMOVED: Edit.VALUE_ADDED,
    Edit.NARROWED: Edit.WIDENED,
    Edit.NAME_REMOVED: Edit.NAME_ADDED,
    Edit.ENTRY_REMOVED: Edit.ENTRY_ADDED,
    Edit.UNFOLDED: Edit.FOLDED,
    Edit.SIBLING_REMOVED: Edit.SIBLING_ADDED,
}


@dataclass(frozen=True, slots=True)
class EditedNode:
    """A schema after an edit, and the definitions that came with it."""

    node: Any
    definitions: Mapping[str, Any] = field(default_factory=dict)


def needs_keyword(edit: Edit) -> bool:
    """True if `edit` changes a value that the old schema has."""
    return edit not in (Edit.ADDED, Edit.SET, Edit.FOLDED)


def edit_schema(node: Node, keyword: str, edit: Edit, writer: SchemaWriter) -> EditedNode | None:
    """Return `node` after `edit` of `keyword`; None if it does not apply. Not for the keys of `UNDOES`."""
    if edit is Edit.FOLDED:
        name = writer.choice(("Folded", "Folded one"))
        reference = f"#/{writer.place}/{name.replace(' ', '%20')}"
        return EditedNode({keyword: reference}, {name: node}) if keyword in ALL_REFERENCES else None
    if edit in (Edit.SIBLING_ADDED, Edit.ENTRY_ADDED_REQUIRED):
        changed = _SPECIAL[edit](node, keyword, writer)
        return None if changed is None else EditedNode(changed)
    if edit in (Edit.ADDED, Edit.SET):
        if keyword in node:
            return None
        value = True if edit is Edit.SET else writer.value(keyword)
    else:
        if keyword not in node:
            return None
        value = _CHANGES[edit](copy.deepcopy(node[keyword]), keyword, writer)
    if value is None and edit not in (Edit.ADDED, Edit.CHANGED):
        return None
    if keyword not in ("default", "const") and value is None:
        return None
    return EditedNode(writer.completed({**node, keyword: value}, 1))


def _sibling_added(node: Node, keyword: str, writer: SchemaWriter) -> Node | None:
    if keyword not in node:
        return None
    sibling = writer.choice(
        ("type", "minimum", "maxLength", "required", "enum", "pattern", "description", "not")
    )
    return None if sibling in node else {**node, sibling: writer.value(sibling)}


def _required_property_added(node: Node, keyword: str, writer: SchemaWriter) -> Node | None:
    absent = [name for name in (*NAMES, "new") if name not in node.get(keyword, {})]
    if not absent:
        return None
    name = writer.choice(absent)
    required = [*(each for each in node.get("required", []) if each != name), name]
    return {**node, keyword: {**node.get(keyword, {}), name: writer.schema(1)}, "required": required}


_SPECIAL: Final[Mapping[Edit, Callable[[Node, str, SchemaWriter], Node | None]]] = {
    Edit.SIBLING_ADDED: _sibling_added,
    Edit.ENTRY_ADDED_REQUIRED: _required_property_added,
}


# Changes of a value. None: it does not apply


def _raised(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    if not isinstance(old, int | float) or isinstance(old, bool):
        return None
    whole = keyword.startswith("m") and keyword not in ("maximum", "minimum")
    return old + writer.choice(
        (1,) if whole and writer.boundary else (1, 0.5) if writer.boundary else (1, 3, 10)
    )


def _coarsened(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    return old * writer.choice((2, 3)) if isinstance(old, int | float) else None


def _value_added(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    if not isinstance(old, list):
        return None
    new = [value for value in writer.values() if not any(same_json(value, each) for each in old)]
    if not new:
        return None
    at = writer.random.randint(0, len(old))
    return [*old[:at], new[0], *old[at:]]


def _reordered(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    if not isinstance(old, list) or len(old) < 2:
        return None
    return [*old[1:], old[0]] if writer.some(0.5) else old[::-1]


def _widened(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    types = [old] if isinstance(old, str) else list(old)
    if "integer" in types and "number" not in types and writer.some(0.5):
        types[types.index("integer")] = "number"
        return types if len(types) > 1 else types[0]
    more = [name for name in ("null", "string", "integer", "array", "object", "boolean") if name not in types]
    more = [name for name in more if not (name == "integer" and "number" in types)]
    return [*types, writer.choice(more)] if more else None


def _name_added(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    if isinstance(old, dict):
        lists = [name for name, value in old.items() if isinstance(value, list)]
        if not lists:
            return None
        name = writer.choice(lists)
        longer = _name_added(old[name], keyword, writer)
        return None if longer is None else {**old, name: longer}
    absent = [name for name in NAMES if name not in old]
    return [*old, writer.choice(absent)] if absent else None


def _entry_added(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    if isinstance(old, list):
        # a copy of an entry, or one near it, decides whether a union accepts more
        near = writer.choice(old) if old and writer.some(0.3) else writer.schema(1)
        new = nearby_schema(near, writer) if writer.boundary and writer.some(0.5) else near
        at = len(old) if writer.some(0.7) else writer.random.randint(0, len(old))
        return [*old[:at], new, *old[at:]]
    if not isinstance(old, dict):
        return None
    fresh = writer.value(keyword)
    new_entries = (
        {name: value for name, value in fresh.items() if name not in old} if isinstance(fresh, dict) else {}
    )
    for name, value in new_entries.items():
        return {**old, name: value}
    return None


def _entry_changed(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    keys: list[Any] = (
        list(range(len(old))) if isinstance(old, list) else list(old) if isinstance(old, dict) else []
    )
    if not keys:
        return None
    changed, key = copy.deepcopy(old), writer.choice(keys)
    changed[key] = nearby_schema(old[key], writer) if isinstance(old[key], dict | bool) else None
    return None if changed[key] is None else changed


def _changed(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    kinds = value_kinds(keyword)
    if len(kinds) > 1:
        return _other_form(old, keyword, writer)
    match kinds[0]:
        case ValueKind.DIVISOR:
            return writer.divisor() + writer.choice((0, 1))
        case ValueKind.SCHEMA:
            return nearby_schema(old, writer) if isinstance(old, dict) and old else None
        case ValueKind.TYPES:
            new = writer.types()
            before, after = (
                set([old] if isinstance(old, str) else old),
                set([new] if isinstance(new, str) else new),
            )
            return None if before <= after or after <= before else new
    return writer.value(keyword)


def _other_form(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    if keyword == "items":
        if writer.draft is not Draft.DRAFT_7:
            return nearby_schema(old, writer) if isinstance(old, dict) and old else None
        return old[0] if isinstance(old, list) and old else [old]
    for name, value in old.items():
        return {**old, name: {"required": value} if isinstance(value, list) else ["a"]}
    return None


def _redirected(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    others = [name for name in sorted(writer.definitions) if not old.endswith(f"/{name}")]
    if not others:
        # the same schema, or one near it, by another name
        known = sorted(writer.definitions)
        if not known:
            return None
        writer.definitions["Three"] = nearby_schema(writer.definitions[known[0]], writer)
        others = ["Three"]
    return f"#/{writer.place}/{writer.choice(others)}"


def _to_schema(old_is: bool) -> Callable[[Any, str, SchemaWriter], Any]:
    def change(old: Any, keyword: str, writer: SchemaWriter) -> Any:
        fits = (old is True or old == {}) if old_is else old is False
        new = writer.typed(writer.choice(("string", "integer", "object", "array")), 1)
        return (new or {"type": "string"}) if fits else None

    return change


def _closed(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    return None if old is False or isinstance(old, list) else False


def _opened(old: Any, keyword: str, writer: SchemaWriter) -> Any:
    return None if old is True or old == {} or isinstance(old, list) else writer.choice((True, {}))


_CHANGES: Final[Mapping[Edit, Callable[[Any, str, SchemaWriter], Any]]] = {
    Edit.CHANGED: _changed,
    Edit.RAISED: _raised,
    Edit.COARSENED: _coarsened,
    Edit.VALUE_ADDED: _value_added,
    Edit.REORDERED: _reordered,
    Edit.WIDENED: _widened,
    Edit.NAME_ADDED: _name_added,
    Edit.ENTRY_ADDED: _entry_added,
    Edit.ENTRY_CHANGED: _entry_changed,
    Edit.CLOSED: _closed,
    Edit.OPENED: _opened,
    Edit.RESTRICTED: _to_schema(True),
    Edit.ALLOWED: _to_schema(False),
    Edit.REDIRECTED: _redirected,
}


# Schemas near another one


def nearby_schema(schema: Any, writer: SchemaWriter) -> Any:
    """Return a schema that differs from `schema` a little, or is written differently."""
    if not isinstance(schema, dict) or not schema:
        fresh = writer.schema(1)
        return fresh if fresh != schema else {"type": "string"}
    keyword = writer.choice(sorted(schema))
    edits = [edit for edit in _edits_within(keyword) if edit is not Edit.FOLDED]
    for edit in writer.random.sample(edits, len(edits)):
        edited = edit_schema(schema, keyword, edit, writer)
        if edited is not None and not same_json(edited.node, schema):
            return edited.node
    rest = {key: value for key, value in schema.items() if key != keyword}
    return rest if writer.some(0.5) else {"allOf": [schema]}


def _edits_within(keyword: str) -> list[Edit]:
    try:
        return [edit for edit in edits_of(keyword) if edit in _CHANGES]
    except KeyError:
        return []


def same_json(one: Any, other: Any) -> bool:
    """True if both are the same JSON value, where true is not 1. Other than in JSON, 1 and 1.0 differ."""
    return type(one) is type(other) and repr(one) == repr(other)
