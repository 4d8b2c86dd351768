"""Neighbours in few lines: written as the difference from their example, and read back whole."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toolgen.project import Project
from toolgen.testing.outcomes.outcome import MAX_OUTCOME, holds, is_hash, shortened_outcome
from toolgen.testing.outcomes.recorded import RecordedOutcomes, outcomes_path, with_recorded
from toolgen.testing.outcomes.varying import VARIES
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour

from tests.testing.shop import PLACE, Shop, tool

EXAMPLE = ExpectedCall("all", {"sku": "tyre", "units": 2}, PLACE)
TOOL = tool(Shop, examples=(EXAMPLE,))


@pytest.mark.parametrize(
    ("arguments", "difference"),
    [
        ({"sku": "TYRE", "units": 2}, {"with": {"sku": "TYRE"}}),
        ({"sku": "tyre"}, {"without": ["units"]}),
        ({"sku": "\ud83d", "units": 3}, {"with": {"sku": "\ud83d", "units": 3}}),
    ],
)
@pytest.mark.parametrize("after", ["", "all"])
def test_a_call_is_written_as_its_difference_and_read_back(
    tmp_path: Path, arguments: dict[str, Any], difference: dict[str, Any], after: str
) -> None:
    outcome = {"error": {"code": "twice", "message": 'Order "A, B", exists already.'}}
    neighbour = Neighbour("all", arguments, outcome, after)
    project = Project(tmp_path, "toolgen.toml", "")
    file = tmp_path / outcomes_path(project, TOOL.name)
    file.parent.mkdir(parents=True)

    file.write_text(RecordedOutcomes(TOOL, {"all": {}}, [neighbour]).as_text())

    (written,) = json.loads(file.read_text())["neighbours"]["all"]
    assert written == ({"after": after} if after else {}) | difference | outcome
    (read,) = with_recorded(project, [TOOL])
    assert read == replace(
        TOOL, outcomes_file=read.outcomes_file, outcomes={"all": {}}, neighbours=(neighbour,)
    )


def test_of_a_long_outcome_beginning_and_hash_are_written() -> None:
    outcome = {"output": {"items": ["a"] * MAX_OUTCOME}}

    written = shortened_outcome(outcome)

    assert is_hash(written)
    assert written["begins"].startswith('{"output": {"items": ["a", ')
    assert shortened_outcome(written) == written
    assert holds(written, outcome)
    assert not holds(written, {**outcome, "metadata": {"other": True}})


def test_a_long_outcome_with_values_that_vary_is_written_whole() -> None:
    outcome = {"output": {"items": ["a"] * MAX_OUTCOME, "at": f"10:{VARIES}"}}

    assert shortened_outcome(outcome) == outcome
