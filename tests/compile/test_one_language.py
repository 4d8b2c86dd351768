"""A spec in YAML and a definition in Python are valid for the same reasons."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolgen.language.checking.check import check
from toolgen.language.checking.resolve import resolve
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.reading.parse import parse
from toolgen.language.reading.read import read
from toolgen.runtime.definition.check import definition_faults

from tests.compile.full_spec import FULL, paths
from tests.samples import load_beside

OF_FILES = ("toolgen", "enabled")  # fields about a file in YAML, not about a tool
TOOL = {key: value for key, value in FULL.items() if key not in (*OF_FILES, "page")}  # it streams
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def is_valid_spec(data: Any) -> bool:
    try:
        check(resolve(parse(read({"a.yaml": json.dumps(data)}))))
    except SpecErrors:
        return False
    return True


def is_valid_definition(data: Any) -> bool:
    return not definition_faults(data)


@pytest.mark.parametrize(("change", "is_valid"), load_beside(__file__, "one_language.yaml"), ids=str)
def test_a_value_is_valid_in_both_or_in_neither(change: dict[str, Any], is_valid: bool) -> None:
    data = {"name": "a", "description": "A.", "input_schema": SCHEMA, **change}
    assert (is_valid_spec(data), is_valid_definition(data)) == (is_valid, is_valid)


PATHS = [path for path in paths(TOOL) if path and path[-1] not in ("output", "x-mine")]
VALUES: list[Any] = [
    None, True, 0, 1, 8, 8.0, 0.5, -1, 10**30, "", " ", "x", "two words", "X_1", "\n", "é", "/a", "image/png", "{n}", "{n|count}", "{zzz}",
    [], {}, ["x"], ["x", "x"], [1], [[]], {"zzz": 1}, {"zzz": None}, {"name": "x"},
]  # fmt: skip
EDITS = st.tuples(st.sampled_from(PATHS), st.sampled_from(["put", "add", "remove"]), st.sampled_from(VALUES))


def edited(edits: list[tuple[tuple[str | int, ...], str, Any]]) -> Any:
    """Return the tool after some edits; those of what an earlier one removed do nothing."""
    data = copy.deepcopy(TOOL)
    for path, edit, value in edits:
        place: Any = data
        try:
            for step in path[:-1]:
                place = place[step]
            place[path[-1]]
        except (LookupError, TypeError):
            continue
        if edit == "remove":
            del place[path[-1]]
        elif edit == "put" or not isinstance(place, dict):
            place[path[-1]] = copy.deepcopy(value)
        else:
            place["zzz"] = copy.deepcopy(value)
    return data


@given(st.lists(EDITS, max_size=3))
@example([])
def test_a_random_tool_is_valid_in_both_or_in_neither(edits: list[Any]) -> None:
    data = edited(edits)
    assert is_valid_spec(data) == is_valid_definition(data), data


@pytest.mark.parametrize("field", OF_FILES)
def test_fields_about_files_are_not_for_definitions(field: str) -> None:
    assert definition_faults({**TOOL, field: FULL[field]})[0].startswith(f"unknown field {field!r}")
