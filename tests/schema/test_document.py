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

from tests.samples import load_beside


@given(st.text(min_size=1))
def test_the_validator_follows_formatted_pointers(name: str) -> None:
    schema = {"$ref": "#" + format_pointer(("$defs", name)), "$defs": {name: {"type": "string"}}}
    validator = jsonschema_rs.validator_for(schema, offline=True)
    assert validator.is_valid("x")
    assert not validator.is_valid(1)
    assert follow(schema, ("$defs", name)) == {"type": "string"}


@pytest.mark.parametrize(("reference", "path"), load_beside(__file__, "document.yaml"))
def test_references_resolve_to_a_path(reference: object, path: list[str | int] | None) -> None:
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
    assert (list(found.path) if isinstance(found, Located) else None) == path
