"""Schema documents: subschemas, JSON Pointers, references."""

from __future__ import annotations

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolgen.schema.document import (
    Located,
    SchemaDocument,
    follow,
    format_pointer,
)


@given(st.text(min_size=1))
def test_the_validator_follows_formatted_pointers(name: str) -> None:
    schema = {"$ref": "#" + format_pointer(("$defs", name)), "$defs": {name: {"type": "string"}}}
    validator = jsonschema_rs.validator_for(schema, offline=True)
    assert validator.is_valid("x")
    assert not validator.is_valid(1)
    assert follow(schema, ("$defs", name)) == {"type": "string"}


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("#", ()),
        ("#/$defs/a~1b%20c", ("$defs", "a/b c")),
        ("#/%24defs/list/prefixItems/0", ("$defs", "list", "prefixItems", 0)),
        ("#name", ("$defs", "anchored")),
        ("#seven", ("$defs", "draft-07")),
        ("#/$defs/list/prefixItems/1", None),
        ("other.yaml", None),
    ],
)
def test_references_resolve_to_a_path(reference: object, path: tuple[str | int, ...] | None) -> None:
    schema = {
        "$defs": {
            "a/b c": {},
            "list": {"prefixItems": [True]},
            "anchored": {"$anchor": "name"},
            "draft-07": {"$id": "#seven"},
            "node": {"$dynamicAnchor": "dynamic"},
        },
        "enum": [{"$anchor": "name"}],
    }
    found = SchemaDocument(schema).target(reference)
    assert (found.path if isinstance(found, Located) else None) == path
