"""Generated values: accepted as promised, for every keyword, the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from toolgen.proof.instances import (
    InstanceGenerator,
    example_value,
)
from toolgen.schema.keywords import ASSERTIONS, FORMATS
from toolgen.schema.validator import compiled

from tests.processes import outputs_of_processes
from tests.samples import load_beside
from tools.corpus.random_schemas import schema_of


def valid_values(schema: dict[str, Any] | bool, *, seed: int, count: int) -> Iterator[Any]:
    return InstanceGenerator(schema).valid_values(seed=seed, count=count)


SCHEMAS = load_beside(__file__, "instances.yaml")
TABLE, MORE = SCHEMAS["keywords"], SCHEMAS["choices"]


@pytest.mark.parametrize("keyword", TABLE)
def test_values_of_each_keyword(keyword: str) -> None:
    check_schema(TABLE[keyword], keyword, Draft202012Validator)


def check_schema(schema: dict[str, Any], keyword: str, independent: Any) -> None:
    """Values are accepted, also by a validator that shares no code with ours."""
    judge = independent(schema)
    exact = keyword not in ("pattern", "format")  # of which the other validator asserts less
    values = list(valid_values(schema, seed=1, count=25))
    assert len(values) == 25
    assert all(map(compiled(schema).is_valid, values))
    assert not exact or all(map(judge.is_valid, values))


def test_every_assertion_has_a_row() -> None:
    assert TABLE.keys() >= ASSERTIONS


@pytest.mark.parametrize("name", MORE)
def test_values_of_schemas_that_need_choices(name: str) -> None:
    values = list(valid_values(MORE[name], seed=1, count=10))
    assert len(values) == 10
    assert all(map(compiled(MORE[name]).is_valid, values))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_has_values(name: str) -> None:
    schema = {"type": "string", "format": name}
    assert len({*valid_values(schema, seed=1, count=2)}) == 2
    assert isinstance(example_value(schema, seed=1), str)


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"allOf": [{"type": "integer"}, {"type": "string"}]},
        {"not": {}},
        {"type": "string", "minLength": 3, "maxLength": 2},
        {"oneOf": [True, {"type": ["string", "null"]}, {"not": {"type": ["string", "null"]}}]},
    ],
)
def test_a_schema_without_values_has_none(schema: Any) -> None:
    generator = InstanceGenerator(schema)
    assert list(generator.valid_values(seed=1, count=3)) == []
    assert generator.example(seed=1) is None


def test_boundaries_come_first_or_soon() -> None:
    def values(**schema: Any) -> list[Any]:
        return list(valid_values(schema, seed=1, count=40))

    numbers = values(type="integer", minimum=3, maximum=9)
    assert {3, 4, 8, 9} <= {*numbers}
    assert any(isinstance(number, float) for number in numbers)
    assert {0, 2**53 + 1} <= {*values(type="number")}
    texts = values(type="string", maxLength=3)
    assert {0, 3} <= {*map(len, texts)}
    assert any(max(text, default="") > "\uffff" for text in texts)
    assert {*map(len, values(type="array", maxItems=4))} == {0, 1, 2, 3, 4}
    assert {*values(enum=["a", "b", None, 5])} == {"a", "b", None, 5}
    branches = values(anyOf=[{"const": number} for number in range(30)])
    assert {*branches} == {*range(30)}


def test_expensive_schemas_end() -> None:
    pairs = [{"anyOf": [{"required": [f"a{n}"]}, {"required": [f"b{n}"]}]} for n in range(40)]
    assert len(list(valid_values({"type": "object", "allOf": pairs}, seed=1, count=3))) == 3
    hidden = {"allOf": [{"anyOf": [{"const": n}, {"const": n + 1}]} for n in range(30)]}
    assert list(valid_values(hidden, seed=1, count=3)) == []


def test_values_are_the_same_in_another_process() -> None:
    properties = {key: TABLE[key] for key in sorted(TABLE) if key not in ("pattern", "patternProperties")}
    schema = {"type": "object", "properties": properties, "minProperties": 6}
    code = f"""if True:
        from toolgen.proof.instances import *
        valid = [*InstanceGenerator({schema!r}).valid_values(seed=3, count=20)]
        print([valid, example_value({schema!r}, seed=3)])
    """
    values = [[*valid_values(schema, seed=3, count=20)], example_value(schema, seed=3)]
    assert outputs_of_processes(code, 1) == {f"{values}\n".encode()}


@settings(max_examples=6, deadline=None, derandomize=True)
@given(st.integers(0, 100_000), st.booleans())
def test_values_of_random_schemas(number: int, draft_7: bool) -> None:
    schema = schema_of(number, draft_7)
    generator = InstanceGenerator(schema)
    accepts = compiled(schema).is_valid
    values = list(generator.valid_values(seed=number, count=5))
    assert len(values) in (0, 5)
    assert all(map(accepts, values))
    assert not values or accepts(generator.example(seed=number))
