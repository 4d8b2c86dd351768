"""Fault messages for every keyword of JSON Schema. The cases are in fault_messages.yaml."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults, list_faults
from toolgen.schema.keywords import CONSTRAINING

from tests.samples import examples, load_beside

CASES: list[dict[str, Any]] = load_beside(__file__, "fault_messages.yaml")
PYTHON = re.compile(
    r"<class|<[a-z_.]+ object|\b(dict|list|str|int|float|bool|tuple|NoneType|None|True|False|bytes|pydantic"
    r"|Python|Traceback|Error|ValidationError|jsonschema|input_value|errors\.)\b"
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: json.dumps(case["schema"])[:80])
def test_case(case: dict[str, Any]) -> None:
    validator = compile_schema(case["schema"])
    assert not validator.accepts(case["value"]), "the schema accepts the value"
    messages = [str(fault).removeprefix("- ") for fault in find_faults(validator, case["value"])]
    assert sorted(messages) == sorted(case["messages"])
    assert all(line.isprintable() for line in messages)


def keywords(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return set().union(*map(keywords, schema))
    return set(schema).union(*map(keywords, schema.values())) if isinstance(schema, dict) else set()


def test_every_keyword_that_can_refuse_has_a_case() -> None:
    never_alone = {"$recursiveRef"}  # of draft 2019-09, which specs cannot use
    assert CONSTRAINING - never_alone <= set().union(*(keywords(case["schema"]) for case in CASES))


WORDS = st.sampled_from(["a", "b", "kind", "0", "a b", "\n- $.x: no", "\u2028"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**30) | st.floats(-9, 9) | WORDS | st.just("[1"),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(WORDS, part, max_size=3),
    max_leaves=6,
)
TYPE = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
COUNT = st.integers(0, 3)


def schemas(part: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(part, min_size=1, max_size=3)
    keyword: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPE | st.lists(TYPE, min_size=1, max_size=3, unique=True),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "properties": st.dictionaries(WORDS, part, max_size=3),
        "patternProperties": st.dictionaries(st.just("^a"), part, max_size=1),
        "additionalProperties": part,
        "unevaluatedProperties": st.just(False),
        "propertyNames": st.fixed_dictionaries({"maxLength": COUNT}),
        "required": st.lists(WORDS, max_size=2, unique=True),
        "dependentRequired": st.dictionaries(WORDS, st.lists(WORDS, max_size=2, unique=True), max_size=2),
        "items": part,
        "prefixItems": some,
        "contains": part,
        "uniqueItems": st.just(True),
        "minItems": COUNT,
        "maxItems": COUNT,
        "minProperties": COUNT,
        "minLength": COUNT,
        "pattern": st.just("^x"),
        "format": st.sampled_from(["date", "uuid", "password"]),
        "minimum": COUNT,
        "multipleOf": st.sampled_from([2, 0.5]),
        "writeOnly": st.booleans(),
        "allOf": some,
        "anyOf": some,
        "oneOf": some,
        "not": part,
        "if": part,
        "then": part,
        "else": part,
    }
    entries = [st.tuples(st.just(word), value) for word, value in keyword.items()]
    return st.lists(st.one_of(entries), min_size=1, max_size=4).map(dict)


SCHEMAS = st.recursive(st.booleans() | schemas(st.booleans()), schemas, max_leaves=5)


@settings(deadline=None, max_examples=examples(150))
@given(SCHEMAS.filter(lambda schema: isinstance(schema, dict)), VALUES)
def test_messages_have_no_python_terms_and_no_forged_lines(schema: dict[str, Any], value: Any) -> None:
    validator = compile_schema(schema)
    if validator.accepts(value):
        return
    lines = list_faults(find_faults(validator, value)).split("\n")
    assert lines
    for line in lines:
        assert line.startswith(("- $", "- and "))
        assert line.isprintable()
        assert not PYTHON.search(line)
