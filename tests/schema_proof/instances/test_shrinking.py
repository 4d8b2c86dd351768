"""Shrinking keeps the failure, and the schema."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.proof.instances import shrink
from toolgen.schema.validator import compiled


@pytest.mark.parametrize(
    ("value", "fails", "smallest"),
    [
        ({"a": "hello", "b": 99}, lambda value: "b" in value, {"b": 0}),
        ({"a": {"b": [1, 2, {"c": "xyz"}]}}, lambda value: "y" in str(value), {"a": {"b": [{"c": "y"}]}}),
        ([5, 6, 7], lambda value: 6 in value, [6]),
        (1000, lambda value: value > 100, 101),
        (-3.5, lambda value: value < -1, -2),
        ("größer", lambda value: len(value) > 3, "aaaa"),
        (True, lambda value: isinstance(value, bool), False),
    ],
)
def test_the_smallest_value_that_fails(value: Any, fails: Any, smallest: Any) -> None:
    assert shrink(value, fails, lambda _: True, max_checks=1_000) == smallest


def test_only_valid_values_are_tried() -> None:
    schema = {"required": ["a"], "properties": {"a": {"type": "string", "minLength": 2}}}
    tried = []

    def fails(value: Any) -> bool:
        tried.append(value)
        return True

    assert shrink({"a": "hello", "b": 1}, fails, compiled(schema).is_valid, max_checks=1_000) == {"a": "aa"}
    assert all(len(value["a"]) >= 2 for value in tried)
