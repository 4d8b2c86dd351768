"""Patterns that take quadratic time, which the fuzzer found: texts that they may match are limited."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.runtime.coercion import coerce
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults

from tests.processes import processor_limit

BEHIND = "(?<=(é+)+)b"  # tried at every character, on all previous characters
TEXT = "é" * 40_000 + "!"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "object", "properties": {"x": {"pattern": BEHIND}}}, {"x": TEXT}),
        ({"type": "object", "patternProperties": {BEHIND: {}}, "additionalProperties": False}, {TEXT: 1}),
        ({"type": "object", "properties": {"x": {"pattern": "(?!b)é+b"}}}, {"x": TEXT}),
        ({"type": "object", "properties": {"x": {"pattern": "^a|(?=é)(é+)+é{2,9}$"}}}, {"x": TEXT}),
    ],
    ids=[
        "a value",
        "a name in patternProperties",
        "a look-ahead before a repetition",
        "a look-ahead in one of several alternatives",
    ],
)
def test_a_pattern_that_takes_quadratic_time_refuses_long_texts(schema: Any, value: Any) -> None:
    compiled = compile_schema({**schema, "type": "object"})
    with processor_limit(1):
        assert compiled.is_too_expensive(value)
        assert not compiled.is_valid(value)
        assert [fault.path for fault in find_faults(compiled, value)] == ["$"]
        assert coerce(compiled, value).value is value


@pytest.mark.parametrize("pattern", ["(?<=a)b", "a+b", r"(?<=\()b", "(?<!x)b", "^(?=.*b)(?!x)a+"])
def test_harmless_patterns_take_long_texts(pattern: str) -> None:
    compiled = compile_schema({"type": "string", "pattern": pattern})
    assert compiled.is_valid("a" * 40_000 + "(abb(b")
