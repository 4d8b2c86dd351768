"""Describe an edit of a schema in one phrase: `maximum` of quantity lowered from 100 to 50."""

from __future__ import annotations

import json
from typing import Any, Final

from toolgen.base.suggestions import quoted, shortened
from toolgen.changes.edit_space import Edit
from toolgen.changes.schemas.edits import ABSENT, SchemaEdit
from toolgen.schema.document import JsonPath

# All other edits are called by their verbs.
_VERBS: Final = {
    Edit.COARSENED: "raised",
    Edit.REFINED: "lowered",
    Edit.ALLOWED: "relaxed",
    Edit.REDIRECTED: "changed",
}
_MAX_TEXT: Final = 80  # characters of a value
_MAX_VALUES: Final = 5  # that are listed


def describe(edit: SchemaEdit) -> str:
    """Return what the edit is, and where."""
    of = subject(edit.at[: -1 - len(edit.entry)])
    where = f" of {of}" if of else ""
    keyword, name = quoted(edit.keyword), quoted(str(edit.entry[-1])) if edit.entry else ""
    match edit.edit:
        case Edit.VALUE_ADDED:
            return f"{_listed(edit.after)} added to {keyword}{where}"
        case Edit.VALUE_REMOVED:
            return f"{_listed(edit.before)} removed from {keyword}{where}"
        case Edit.ENTRY_ADDED_REQUIRED:
            return f"required property {name}{where} added"
        case Edit.NAME_ADDED | Edit.NAME_REMOVED if edit.keyword == "required":
            now = "is now" if edit.edit is Edit.NAME_ADDED else "is no longer"
            return f"property {name}{where} {now} required"
        case Edit.ENTRY_ADDED | Edit.ENTRY_REMOVED if edit.keyword == "properties":
            return f"property {name}{where} {'added' if edit.edit is Edit.ENTRY_ADDED else 'removed'}"
        case Edit.ENTRY_ADDED | Edit.NAME_ADDED:
            return f"{_entry(edit)} added to {keyword}{where}"
        case Edit.ENTRY_REMOVED | Edit.NAME_REMOVED:
            return f"{_entry(edit)} removed from {keyword}{where}"
        case Edit.ENTRY_CHANGED:
            return f"{_entry(edit)} of {keyword}{where} changed{_from_to(edit)}"
        case Edit.ADDED if _is_short(edit.after):
            return f"{keyword}{where} set to {as_text(edit.after)}"
        case Edit.REMOVED if _is_short(edit.before):
            return f"{keyword}{where} removed; it was {as_text(edit.before)}"
        case _:
            return f"{keyword}{where} {_VERBS.get(edit.edit, edit.edit.value)}{_from_to(edit)}"


def _from_to(edit: SchemaEdit) -> str:
    if not (_is_short(edit.before) and _is_short(edit.after)):
        return ""
    return f" from {as_text(edit.before)} to {as_text(edit.after)}"


def _listed(values: list[Any]) -> str:
    shown = ", ".join(as_text(value) for value in values[:_MAX_VALUES])
    return f"{shown}, …" if len(values) > _MAX_VALUES else shown


def _entry(edit: SchemaEdit) -> str:
    step = edit.entry[-1]
    return f"entry {step + 1}" if isinstance(step, int) else f"entry {quoted(step)}"


def _is_short(value: Any) -> bool:
    return value is not ABSENT and len(as_text(value)) < _MAX_TEXT and not isinstance(value, dict)


def as_text(value: Any) -> str:
    """Return a JSON value as text, cut to a length that fits into a line."""
    return shortened(json.dumps(value, ensure_ascii=False), _MAX_TEXT)


def subject(path: JsonPath) -> str:
    """Return the part of a value that a subschema at `path` is about: `items[].sku`; empty for the root."""
    text = ""
    steps = iter(path)
    for step in steps:
        if step in ("properties", "patternProperties", "dependentSchemas", "dependencies"):
            name = str(next(steps, ""))
            text += f".{name}" if step == "properties" else ""
        elif step in ("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"):
            text += "[]"
        elif step in ("additionalProperties", "unevaluatedProperties"):
            text += ".*"
    return quoted(text.removeprefix(".")) if text else ""
