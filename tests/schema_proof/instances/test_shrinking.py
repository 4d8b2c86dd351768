"""Shrinking keeps the failure, and the schema where it is given."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.proof.instances import shrink


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
    assert shrink(value, fails) == smallest


def test_only_valid_values_are_tried_with_a_schema() -> None:
    schema = {"required": ["a"], "properties": {"a": {"type": "string", "minLength": 2}}}
    tried = []

    def fails(value: Any) -> bool:
        tried.append(value)
        return True

    assert shrink({"a": "hello", "b": 1}, fails, schema) == {"a": "aa"}
    assert all(len(value["a"]) >= 2 for value in tried)
