"""A bundled schema accepts the same values as the author's files, resolved by jsonschema-rs itself."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from toolgen.compile.pipeline import bind
from toolgen.language.diagnostic import SpecErrors

from tests.samples import examples

VALUES = [
    {},
    {"a": 1},
    {"a": "x", "b": [1]},
    {"a": {"a": 1, "b": "a"}},
    {"b": None, "c": 5},
    {"c": ["a", "a"]},
]

leaves = st.sampled_from(
    [
        {},
        True,
        {"type": "string"},
        {"type": ["integer", "null"]},
        {"enum": [1, "x", None]},
        {"minItems": 2, "uniqueItems": True},
        {"required": ["a"]},
        {"$ref": "#"},
        {"$ref": "#/$defs/A"},
        {"$ref": "#/$defs/B/properties/a"},
        {"$ref": "s.yaml#/$defs/A"},
        {"$ref": "s.yaml#/$defs/B"},
        {"$ref": "s.yaml#/$defs/B/items"},
        {"$ref": "#mark"},
        {"$anchor": "mark", "type": "integer"},
    ]
)
names = st.sampled_from(["a", "b", "c", "$ref"])
schemas = st.recursive(
    leaves,
    lambda inner: (
        st.fixed_dictionaries(
            {"properties": st.dictionaries(names, inner, max_size=3)}, optional={"not": inner}
        )
        | st.fixed_dictionaries({"items": inner}, optional={"contains": inner})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)})
        | st.fixed_dictionaries({"type": st.just("object"), "additionalProperties": inner})
    ),
    max_leaves=6,
)
definitions = st.fixed_dictionaries({"A": schemas, "B": schemas})


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.filter_too_much])
@given(st.dictionaries(names, schemas, max_size=3), definitions, definitions)
def test_a_bundled_schema_accepts_the_same_values(
    properties: dict[str, Any], own: dict[str, Any], shared: dict[str, Any]
) -> None:
    schema = {"type": "object", "properties": properties, "$defs": own}
    spec = {"name": "a", "description": "A.", "input_schema": schema}
    texts = {"a.yaml": json.dumps(spec, indent=1), "s.yaml": json.dumps({"$defs": shared}, indent=1)}
    try:
        program = bind(texts)
    except SpecErrors:
        reject()  # loops and missing anchors
    bundle = dict(program.tools[0].input_schema)
    assert list(bundle) == ["type", "properties", "$defs"]
    shared_file = jsonschema_rs.Registry([("https://toolgen.example/s.yaml", {"$defs": shared})])
    original = jsonschema_rs.validator_for(
        schema, base_uri="https://toolgen.example/a.yaml", registry=shared_file
    )
    bundled = jsonschema_rs.validator_for(bundle, offline=True)
    for value in VALUES:
        assert original.is_valid(value) == bundled.is_valid(value)
