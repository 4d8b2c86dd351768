"""One edit by itself: a schema with the other schema's version of one place."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from toolgen.changes.edit_space import Edit
from toolgen.changes.schemas.document import Document
from toolgen.changes.schemas.edits import ABSENT, SchemaEdit
from toolgen.schema.document import (
    JsonObject,
    JsonPath,
    Schema,
    as_list,
    format_pointer,
    locate,
    subschemas,
    unshared,
    value_key,
)

_OTHER: Final = "the other schema"
"""The name in `$defs` under which references of a substituted part find their targets."""

_IDENTIFIERS: Final = frozenset({"$id", "$anchor", "$schema"})


def substitute(edit: SchemaEdit, *, base: Document, donor: Donor, base_is_old: bool) -> Schema | None:
    """Return the schema of `base` with what the donor has at the place of `edit`.

    None if the schemas are written in different drafts, or have identifiers that depend on their place: then
    no part of one can be moved to the other.
    """
    other = donor.document
    if not (base.is_plain and other.is_plain and base.draft is other.draft):
        return None
    here, there = (edit.old, edit.new) if base_is_old else (edit.new, edit.old)
    given = locate(other.schema, there)
    own = locate(base.schema, here)
    if given is None or own is None or not (isinstance(given.value, dict) and isinstance(own.value, dict)):
        return None
    moved = _Moved(donor, base_is_old=base_is_old)
    node = _with_slot(own.value, given.value, edit, moved)
    if node is None:
        return None
    schema = _with_node(base.schema, own.path, node)
    if moved.is_used:
        schema["$defs"] = {**schema.get("$defs", {}), _OTHER: donor.definitions}
    return schema


class Donor:
    """A document whose parts are moved to another one, which then has a copy of the whole document."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def definitions(self) -> Schema:
        """The copy, without identifiers of its own."""
        return self.rewritten(self.document.schema)

    def rewritten(self, schema: Schema) -> JsonObject:
        """Return a copy of a part whose references lead to the copy of the whole."""
        copy: JsonObject = unshared(schema)
        for _, node in subschemas(copy):
            inner: Any = node
            # The donor is copied as a whole, too, and an identifier names one schema only.
            for identifier in _IDENTIFIERS & inner.keys():
                del inner[identifier]
            target = self.document.resolve(inner["$ref"]) if "$ref" in inner else None
            if target is not None:
                inner["$ref"] = "#" + format_pointer(("$defs", _OTHER, *target.path))
        return copy


class _Moved:
    """Parts of a donor that are moved, and whether they need the copy of the whole."""

    def __init__(self, donor: Donor, *, base_is_old: bool) -> None:
        self._donor = donor
        self.base_is_old = base_is_old
        self.is_used = False

    def part(self, keyword: str, value: Any) -> Any:
        """Return the value of a keyword, with references that lead to the copy."""
        wrapped = {keyword: value}
        self.is_used |= any("$ref" in node for _, node in subschemas(wrapped))
        return self._donor.rewritten(wrapped).get(keyword, value)  # an identifier is not rewritten


def _with_slot(own: Schema, given: Schema, edit: SchemaEdit, moved: _Moved) -> JsonObject | None:
    """Return `own` with the donor's version of what `edit` is about; None if `own` has no place for it."""
    keyword = edit.keyword
    node = dict(own)
    if edit.edit in _NAMES:
        return _with_name(node, given, edit)
    if edit.edit in _VALUES:
        values = edit.before if edit.edit is Edit.VALUE_REMOVED else edit.after
        node[keyword] = _toggled(as_list(node.get(keyword)), as_list(given.get(keyword)), values)
    elif edit.edit in _ENTRIES and isinstance(given.get(keyword, node.get(keyword)), list):
        return _with_branch(node, given, edit, moved)
    elif edit.edit in _ENTRIES:
        name = str(edit.entry[0])
        theirs = given.get(keyword, {})
        part = moved.part(keyword, {name: theirs[name]} if name in theirs else {})
        own = node.get(keyword, {})
        node[keyword] = {**own, **part} if part else {key: own[key] for key in own if key != name}
        if keyword == "properties":
            _set_required(node, given, name)
    elif keyword in given:
        node[keyword] = moved.part(keyword, given[keyword])
    else:
        node.pop(keyword, None)
    return node


_NAMES: Final = frozenset({Edit.NAME_ADDED, Edit.NAME_REMOVED})
_VALUES: Final = frozenset({Edit.VALUE_ADDED, Edit.VALUE_REMOVED})
_ENTRIES: Final = frozenset(
    {Edit.ENTRY_ADDED, Edit.ENTRY_REMOVED, Edit.ENTRY_CHANGED, Edit.ENTRY_ADDED_REQUIRED}
)


def _with_name(node: JsonObject, given: Schema, edit: SchemaEdit) -> JsonObject | None:
    """Return `node` with a name of `required`, or of one entry of `dependentRequired`, from the donor."""
    keyword, name = edit.keyword, edit.entry[-1]
    own, theirs = node.get(keyword, []), given.get(keyword, [])
    if len(edit.entry) == 1:
        return {**node, keyword: _toggled(as_list(own), as_list(theirs), [name])}
    entry = str(edit.entry[0])
    if not (isinstance(own, dict) and isinstance(theirs, dict) and entry in own and entry in theirs):
        return None
    return {**node, keyword: {**own, entry: _toggled(own[entry], theirs[entry], [name])}}


def _set_required(node: JsonObject, given: Schema, name: str) -> None:
    required = _toggled(node.get("required", []), given.get("required", []), [name])
    if required != node.get("required", []):
        node["required"] = required


def _toggled(values: list[Any], given: list[Any], changed: list[Any]) -> list[Any]:
    """Return `values` with those of `changed` that `given` has, and without the others; `given` if empty."""
    moved, theirs = set(map(value_key, changed)), set(map(value_key, given))
    kept = [value for value in values if value_key(value) not in moved]
    kept += [value for value in changed if value_key(value) in theirs]
    # An `enum` or a `type` without values is not a valid schema.
    return kept or given


def _with_branch(node: JsonObject, given: Schema, edit: SchemaEdit, moved: _Moved) -> JsonObject | None:
    """Return `node` with a branch of a union, or an item of a tuple, from the donor."""
    keyword, position = edit.keyword, int(edit.entry[0])
    branches = list(as_list(node.get(keyword)))
    own, theirs = (edit.before, edit.after) if moved.base_is_old else (edit.after, edit.before)
    if own is not ABSENT:
        position = branches.index(own)
        del branches[position]
    if theirs is not ABSENT:
        branches.insert(position, moved.part("allOf", [theirs])[0])
    if not branches and keyword not in given:
        return None
    return {**node, keyword: branches or moved.part(keyword, given[keyword])}  # a union has at least one


def _with_node(schema: Schema, path: JsonPath, node: JsonObject) -> JsonObject:
    """Return a copy of `schema` with another subschema at `path`; what is not on the way is shared."""
    if not path:
        return node
    root: JsonObject = dict(schema)
    here: Any = root
    for step in path[:-1]:
        here[step] = list(here[step]) if isinstance(here[step], list) else dict(here[step])
        here = here[step]
    here[path[-1]] = node
    return root
