"""Pairs of schemas for each cell of the edit space: two documents that differ by one edit."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from graphlib import TopologicalSorter
from random import Random
from typing import Any, Final

from toolgen.changes.edit_space import EDITS, Direction, Edit, ValueKind
from toolgen.schema.document import Draft, JsonPath, Schema, SchemaDocument
from toolgen.schema.graph import Graph
from toolgen.schema.validator import compiled

from tools.breaking.cells import Cell, drafts_of_keyword
from tools.breaking.contexts import TOP, Context, Wrap, contexts
from tools.breaking.schema_edits import UNDOES, EditedNode, Node, edit_schema, needs_keyword, same_json
from tools.breaking.schema_writer import SchemaWriter

_TRIES: Final = 200


@dataclass(frozen=True, slots=True)
class Pair:
    """Two versions of a schema, and how values reach the part that was edited."""

    name: str  # with the seed, the cell and the number: it makes the same pair again
    direction: Direction
    old: Schema
    new: Schema
    old_part: Any  # the edited part, without its surroundings
    new_part: Any
    wraps: tuple[Wrap, ...] = ()  # the innermost context first
    place: JsonPath = ()  # of the edited part in a value, where no context says it

    @property
    def narrow(self) -> Schema:
        """The schema of the values that are sent."""
        return self.old if self.direction is Direction.REQUEST else self.new

    @property
    def wide(self) -> Schema:
        """The schema that must accept them."""
        return self.new if self.direction is Direction.REQUEST else self.old

    def wrap(self, value: Any) -> Any:
        """Put a value where the edited part judges it."""
        for wrap in self.wraps:
            value = wrap(value)
        return value


@dataclass(frozen=True, slots=True)
class _Edited:
    """An edit before it is put into a context."""

    old: Any
    new: Any
    old_definitions: Mapping[str, Any]
    new_definitions: Mapping[str, Any]
    at_top: bool = False  # it is about whole documents

    def swapped(self) -> _Edited:
        return _Edited(self.new, self.old, self.new_definitions, self.old_definitions, self.at_top)


def pairs(cell: Cell, *, seed: int, count: int, start: int = 0) -> Iterator[Pair]:
    """Yield `count` pairs for `cell`, every second one at boundary values. The same for the same seed."""
    for number in range(start, start + count):
        name = f"{seed} {cell} {number}"
        yield pair_of(cell, Random(name), name=name, number=number)


def pair_of(cell: Cell, random: Random, *, name: str, number: int) -> Pair:
    """Return a pair for `cell` whose documents the validator accepts."""
    drafts = _drafts(cell)
    draft = drafts[number // 2 % len(drafts)]
    for _ in range(_TRIES):
        writer = SchemaWriter(random, draft, boundary=number % 2 == 0)
        edited = _edited(cell, writer)
        if edited is None:
            continue
        pair = _in_context(cell, edited, writer, name)
        if not same_json(pair.old, pair.new) and is_valid_schema(pair.old) and is_valid_schema(pair.new):
            return pair
    raise AssertionError(f"no pair was found for {cell}")


def _drafts(cell: Cell) -> list[Draft]:
    lists_only = set(EDITS[ValueKind.SCHEMA_LIST]) - set(EDITS[ValueKind.SCHEMA])
    if cell.keyword == "items" and cell.edit in lists_only:
        return [Draft.DRAFT_7]
    return sorted(drafts_of_keyword(cell.keyword), key=lambda draft: draft.value)


def _edited(cell: Cell, writer: SchemaWriter) -> _Edited | None:
    edit = UNDOES.get(cell.edit, cell.edit)
    make = _OF_DOCUMENTS.get(cell.keyword)
    edited = make(cell.keyword, edit, writer) if make else _edited_node(cell.keyword, edit, writer)
    return edited.swapped() if edited is not None and edit is not cell.edit else edited


def _edited_node(keyword: str, edit: Edit, writer: SchemaWriter) -> _Edited | None:
    node = writer.host(keyword, present=needs_keyword(edit))
    made = edit_schema(node, keyword, edit, writer)
    return None if made is None else _with_definitions(node, made, writer)


def _with_definitions(node: Node, made: EditedNode, writer: SchemaWriter) -> _Edited:
    known = writer.definitions
    return _Edited(node, made.node, known, {**known, **made.definitions})


def _in_context(cell: Cell, edited: _Edited, writer: SchemaWriter, name: str) -> Pair:
    around = [TOP] if edited.at_top else contexts(writer)
    old, new = (
        _embedded(part, around, definitions, writer)
        for part, definitions in ((edited.old, edited.old_definitions), (edited.new, edited.new_definitions))
    )
    wraps = tuple(context.wrap for context in reversed(around))
    return Pair(name, cell.direction, old, new, edited.old, edited.new, wraps)


def _embedded(part: Any, around: list[Context], definitions: Mapping[str, Any], writer: SchemaWriter) -> Any:
    all_definitions = dict(definitions)
    for context in reversed(around):
        for name, define in context.definitions.items():
            all_definitions[name] = define(part)
        part = context.embed(part)
    return copy.deepcopy(writer.document(part, all_definitions))


def is_valid_schema(schema: Schema) -> bool:
    """True if the validator takes the schema, and no reference leads back to itself at the same value."""
    try:
        compiled(schema)
        if "$ref" in repr(schema):
            TopologicalSorter(
                dict(enumerate(node.in_place for node in Graph(SchemaDocument(schema)).nodes))
            ).prepare()
    except ValueError:  # CycleError, too
        return False
    return True


# Edits of whole documents


def _definitions_edited(keyword: str, edit: Edit, writer: SchemaWriter) -> _Edited | None:
    writer.place = keyword
    node = writer.choice(
        ({"$ref": writer.reference(1)}, {"properties": {"a": {"$ref": writer.reference(1)}}})
    )
    before = {keyword: dict(writer.definitions)}
    made = edit_schema(before, keyword, edit, writer)
    return None if made is None else _Edited(node, node, before[keyword], made.node[keyword])


def _draft_edited(keyword: str, edit: Edit, writer: SchemaWriter) -> _Edited | None:
    writer.head = {}
    node = writer.host(writer.choice(("items", "required", "format", "minimum", "$ref")), present=True)
    draft = writer.choice(list(Draft))
    uri = writer.choice((draft.value, draft.value.rstrip("#"), draft.value.rstrip("#") + "#"))
    before = {} if edit is Edit.ADDED else {keyword: writer.draft.value}
    definitions = dict(writer.definitions)
    return _Edited({**before, **node}, {keyword: uri, **node}, definitions, definitions, at_top=True)


def _address_edited(keyword: str, edit: Edit, writer: SchemaWriter) -> _Edited | None:
    node = writer.host(writer.choice(("items", "properties", "minimum", "$ref")), present=True)
    before = {} if edit is Edit.ADDED else {keyword: "https://example.com/old"}
    after = {keyword: writer.choice(("https://example.com/new", "https://example.org/a/b.json"))}
    if writer.draft is Draft.DRAFT_7 and "$ref" in node:
        return None
    known = writer.definitions
    inside = not known and writer.some(0.2)
    return _Edited({**before, **node}, {**after, **node}, known, known, at_top=not inside)


def _anchor_edited(keyword: str, edit: Edit, writer: SchemaWriter) -> _Edited | None:
    target = writer.typed(writer.choice(("string", "integer", "object")), 1)
    reference = "$dynamicRef" if keyword == "$dynamicAnchor" and writer.some(0.5) else "$ref"
    pointer = {"$ref": f"#/{writer.place}/Anchored"}
    before = {} if edit is Edit.ADDED else {keyword: "old"}
    old = pointer if edit is Edit.ADDED or writer.some(0.3) else {reference: "#old"}
    known = writer.definitions
    return _Edited(
        {"properties": {"a": old}},
        {"properties": {"a": {reference: "#new"} if writer.some(0.7) else pointer}},
        {**known, "Anchored": {**before, **target}},
        {**known, "Anchored": {keyword: "new", **target}},
    )


def _dynamic_reference_edited(keyword: str, edit: Edit, writer: SchemaWriter) -> _Edited | None:
    edited = _edited_node("$ref", edit, writer)
    if edited is None:
        return None
    anchored = writer.some(0.5)

    def dynamic(node: Any) -> Any:
        if not isinstance(node, dict) or "$ref" not in node:
            return node
        rest = {key: value for key, value in node.items() if key != "$ref"}
        name = node["$ref"].rpartition("/")[2].replace("%20", "-")
        return {keyword: f"#{name}" if anchored else node["$ref"], **rest}

    def with_anchors(definitions: Mapping[str, Any]) -> Mapping[str, Any]:
        if not anchored:
            return definitions
        return {
            name: {
                "$dynamicAnchor": name.replace(" ", "-"),
                **(of if isinstance(of, dict) else {"allOf": [of]}),
            }
            for name, of in definitions.items()
        }

    return replace(
        edited,
        old=dynamic(edited.old),
        new=dynamic(edited.new),
        old_definitions=with_anchors(edited.old_definitions),
        new_definitions=with_anchors(edited.new_definitions),
    )


def _vocabulary_edited(keyword: str, edit: Edit, writer: SchemaWriter) -> _Edited | None:
    node = writer.host("minimum", present=True)
    before = (
        {} if edit is Edit.ADDED else {keyword: {"https://json-schema.org/draft/2020-12/vocab/core": True}}
    )
    after = {keyword: {"https://json-schema.org/draft/2020-12/vocab/validation": writer.some(0.5)}}
    known = writer.definitions
    return _Edited({**before, **node}, {**after, **node}, known, known, at_top=True)


_OF_DOCUMENTS: Final[Mapping[str, Callable[[str, Edit, SchemaWriter], _Edited | None]]] = {
    "$defs": _definitions_edited,
    "definitions": _definitions_edited,
    "$schema": _draft_edited,
    "$id": _address_edited,
    "$anchor": _anchor_edited,
    "$dynamicAnchor": _anchor_edited,
    "$dynamicRef": _dynamic_reference_edited,
    "$vocabulary": _vocabulary_edited,
}
