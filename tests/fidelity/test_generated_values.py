"""Random schemas and values: models accept what the schema accepts, and leave it unchanged."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults

from tests.samples import sample
from tools.corpus.compiled_tools import compile_tools
from tools.corpus.generated_values import measure_schemas, measure_tool
from tools.corpus.score import Score


@pytest.mark.parametrize("schemas", sample([10, 40], (0,)))
def test_random_schemas_have_no_differences(schemas: int) -> None:
    score = measure_schemas(10_000, schemas)
    assert score.misses == []
    assert score["imported"].held >= schemas
    assert score["values unchanged"].held >= 30 * schemas
    assert score["invalid refused"].held >= 12 * schemas
    assert score.refused.keys() <= {"looping-ref"}


CLASSES: dict[str, dict[str, Any]] = {  # each was a difference in an earlier version
    "root_union": {
        "oneOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
        ]
    },
    "big_literal": {"properties": {"a": {"enum": [10**25, "x"]}, "b": {"const": -(2**64)}}},
    "integral_float": {"properties": {"a": {"type": "integer"}, "b": {"enum": [1, 2]}}},
    "words": {"properties": {"a": {"type": "string", "pattern": r"^\<\w+\>$"}}},
}


@pytest.fixture(scope="module")
def tools() -> Any:
    schemas = {name: {"type": "object", **schema} for name, schema in CLASSES.items()}
    with compile_tools("fidelity_classes", schemas) as (tools, refused):
        assert refused == {}
        yield tools


@pytest.mark.parametrize("name", CLASSES)
def test_values_that_were_treated_differently_once(name: str, tools: Any) -> None:
    score = Score(name)
    measure_tool(score, tools[name], name)
    assert score.misses == []
    assert score["values unchanged"].held > 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("root_union", {"a": "x", "more": None}),
        ("big_literal", {"a": 10**25, "b": -(2**64)}),
        ("integral_float", {"a": 1e20, "b": 2.0}),
        ("words", {"a": "<b>"}),
    ],
)
def test_every_kind_of_difference_has_a_value(name: str, value: Any, tools: Any) -> None:
    request = tools[name].check_inputs(value)
    assert request.model_dump(mode="json", by_alias=True, exclude_unset=True) == value


def test_an_unexplained_difference_is_reported(tools: Any) -> None:
    score = Score("x")
    score["validators agree"].note("here", "jsonschema refuses: it")
    assert score.misses == ["validators agree: here: jsonschema refuses: it"]


def test_fault_messages_use_the_authors_patterns() -> None:
    schema = {
        "type": "object",
        "properties": {"v": {"type": "string", "pattern": r"^\<a\>$"}, "w": {"$ref": "#/$defs/List<String>"}},
        "patternProperties": {"^{x}$": {"type": "string", "writeOnly": True, "maxLength": 3}},
        "$defs": {"List<String>": {"type": "array", "items": {"enum": ["aa"]}}},
    }
    faults = find_faults(compile_schema(schema), {"v": "a", "w": ["ab"], "{x}": "hush, hush"})
    assert {str(fault) for fault in faults} == {
        r'- $.v: expected text that matches the pattern "^\\<a\\>$", got "a"',
        '- $.w[0]: expected "aa", got "ab"',
        '- $["{x}"]: expected at most 3 characters',
    }
