"""Random schemas and values: models accept what the schema accepts, and leave it unchanged."""

from __future__ import annotations

from typing import Any

import pytest

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
