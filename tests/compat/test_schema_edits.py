"""Edits between two schemas: which are found, where, and one of them by itself."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.changes.edit_space import Direction, Edit
from toolgen.changes.schemas.document import Document
from toolgen.changes.schemas.edits import find_edits
from toolgen.changes.schemas.judging import JudgedSchemas, judge_schemas
from toolgen.changes.schemas.substitution import Donor, substitute
from toolgen.changes.schemas.wording import describe
from toolgen.proof.containment import Contained, NotContained
from toolgen.schema.document import SchemaDocument, plain_pointer
from toolgen.schema.validator import compiled

from tests.samples import load_beside

NAME = {"type": "string", "minLength": 1}


def document(schema: Any) -> Document:
    return Document(SchemaDocument(schema))


def judged_schemas(old: Any, new: Any, direction: Direction) -> JudgedSchemas:
    return judge_schemas(SchemaDocument(old), SchemaDocument(new), direction)


def edits(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str]]:
    found = find_edits(document(old), document(new))
    return [(plain_pointer(each.at), each.edit.value) for each in found]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": NAME}},
            {"properties": {"a": {"$ref": "#/$defs/B"}}, "$defs": {"B": NAME}},
        ),
        ({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": NAME}}, {"properties": {"a": NAME}}),
        ({"additionalProperties": True, "items": {}}, {}),
        (
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}},
            {"properties": {"a": {"$ref": "#/$defs/B"}}, "$defs": {"B": {"items": {"$ref": "#/$defs/B"}}}},
        ),
    ],
    ids=["renamed", "unfolded", "defaults", "recursive"],
)
def test_another_spelling_is_no_edit(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert edits(old, new) == edits(new, old) == []


def test_branches_are_matched_by_content_tag_title_and_type() -> None:
    circle = {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}}
    square = {"properties": {"kind": {"const": "square"}, "a": {"type": "number"}}}
    wider = {"properties": {"kind": {"const": "circle"}, "r": {"type": "number", "minimum": 0}}}
    titled = [{"title": "A", "maxLength": 5}, {"title": "B", "maxLength": 5}]
    assert edits({"oneOf": [circle, square]}, {"oneOf": [square, wider]}) == [
        ("/oneOf", "reordered"),
        ("/oneOf/1/properties/r/minimum", "added"),
    ]
    assert edits({"anyOf": titled}, {"anyOf": [{"title": "B", "maxLength": 6}]}) == [
        ("/anyOf/0", "entry-removed"),
        ("/anyOf/0/maxLength", "raised"),
    ]
    assert edits({"anyOf": [{"type": "string"}]}, {"anyOf": [{"type": "null"}]}) == [
        ("/anyOf/0", "entry-removed"),
        ("/anyOf/0", "entry-added"),
    ]


def test_a_new_required_property_is_one_edit() -> None:
    old = {"properties": {"a": {}}}
    new = {"properties": {"a": {}, "b": NAME}, "required": ["b"]}
    assert edits(old, new) == [("/properties/b", "entry-added-required")]
    assert edits(new, old) == [("/properties/b", "entry-removed")]


VERSIONS = load_beside(__file__, "schema_edits.yaml")
OLD, NEW = VERSIONS["old"], VERSIONS["new"]


def test_an_edit_by_itself_changes_nothing_else() -> None:
    old, new = document(OLD), document(NEW)
    found = find_edits(old, new)
    assert len(found) >= 12
    for edit in found:
        for base, other, base_is_old in ((old, new, True), (new, old, False)):
            schema = substitute(edit, base=base, donor=Donor(other), base_is_old=base_is_old)
            assert schema is not None
            compiled(schema)  # is valid
            left = find_edits(document(schema), new) if base_is_old else find_edits(old, document(schema))
            made = [(each.at, each.edit) for each in left if each.edit is not Edit.REORDERED]
            assert (edit.at, edit.edit) not in made, describe(edit)
            assert len(made) < len(found), describe(edit)


def test_each_break_has_a_witness_that_the_whole_pair_confirms() -> None:
    judged = judged_schemas(OLD, NEW, Direction.REQUEST)
    old, new = compiled(OLD), compiled(NEW)
    broken = {}
    for each in judged.edits:
        if isinstance(each.verdict, NotContained):
            assert old.is_valid(each.verdict.witness)
            assert not new.is_valid(each.verdict.witness)
            broken[describe(each.edit)] = each.verdict.witness
    assert len(broken) >= 6
    safe = [describe(each.edit) for each in judged.edits if isinstance(each.verdict, Contained)]
    assert "property 'more' added" in safe


def test_edits_that_make_up_for_each_other_are_no_break() -> None:
    old = {"type": "object", "properties": {"a": {"maximum": 10}, "b": {}}}
    new = {"type": "object", "properties": {"a": {"type": ["number"], "maximum": 10}, "b": {}}}
    moved = {"type": "object", "allOf": [{"properties": {"a": {"maximum": 10}}}], "properties": {"b": {}}}
    assert isinstance(judged_schemas(old, moved, Direction.REQUEST).whole, Contained)
    assert isinstance(judged_schemas(old, new, Direction.REQUEST).whole, NotContained)
