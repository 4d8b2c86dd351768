"""Recorded outcomes: what a record holds, what varies, and which neighbours of examples are recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toolgen.project import Project, UnableError
from toolgen.runtime import ToolContext
from toolgen.testing.json_diff import snapshot_diff
from toolgen.testing.outcomes import VARIES, is_same_outcome, without_varying
from toolgen.testing.results import ToolReport
from toolgen.testing.runner import RunOptions, ToolRunner
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest
from toolgen.testing.toolkit_subject import ToolkitSubject
from toolgen.testing.updated_files import plan_outcome_updates, stale_outcomes, with_recorded

from tests.testing.shop import (
    INPUT,
    PLACE,
    Order,
    Shop,
    ShortStockError,
    UnknownSkuError,
    fixtures,
    state,
    tool,
)

RECORD = RunOptions(examples_only=True, record=True)
FIND = RunOptions(max_calls=0, record=True)
ORDER: dict[str, Any] = {
    "confirms": True,
    "previews": True,
    "examples": (ExpectedCall("order", {"sku": "tyre"}, PLACE, True, {"left": 0}),),
}


def run(kind: type[Any], tested: ToolUnderTest, options: RunOptions) -> ToolReport:
    return ToolRunner(tested, ToolkitSubject(fixtures(kind), ()), options).run()


def record(root: Path, kind: type[Any], options: RunOptions = RECORD, **promises: Any) -> ToolUnderTest:
    """Record the outcomes of a class below `root`; return the tool with them."""
    project = Project(root, "toolgen.toml", "")
    tested = with_recorded(project, tool(kind, **promises))
    first = run(kind, tested, options)
    again = run(kind, replace(tested, neighbours=first.neighbours), RECORD)
    for update in plan_outcome_updates(project, [tested], [first], {tested.name: again}, is_all=True):
        path = root / update.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(update.after or "") if update.after else path.unlink()
    return with_recorded(project, tested)


def outcomes(kind: type[Any], tested: ToolUnderTest) -> list[str]:
    """Return the messages of the check, of a run with few generated calls."""
    report = run(kind, tested, RunOptions(max_calls=0))
    return [failure.message for failure in report.failures if failure.check == "outcomes"]


def test_a_snapshot_diff_names_what_was_added_changed_and_removed() -> None:
    before = {"items": [["a", 1], ["b", 2]], "files": {"x": "one\ntwo\n", "gone": "1"}, "same": [1] * 9}
    after = {"items": [["new", 0], ["a", 1], ["b", 3]], "files": {"x": "one\nTWO\n"}, "same": [1] * 9}
    assert snapshot_diff(before, after) == [
        {"at": "/files/gone", "removed": "1"},
        {"at": "/files/x", "lines": ["-two", "+TWO"]},
        {"at": "/items/0", "added": ["new", 0]},
        {"at": "/items/2/1", "from": 2, "to": 3},
    ]
    assert snapshot_diff(before, before) == []
    assert snapshot_diff([["a", 7, 10]], [["a", 10, 10]]) == [{"at": "/0/1", "from": 7, "to": 10}]


def test_what_is_different_each_time_is_not_compared() -> None:
    first = {"text": "order a1 at 10:00:01", "ids": [1, 2], "list": [1], "same": "é"}
    second = {"text": "order b2 at 10:00:02", "ids": [1, 3], "list": [1, 2], "same": "é"}
    recorded = without_varying(first, second)
    assert recorded == {
        "text": f"order {VARIES} at 10:00:{VARIES}",
        "ids": [1, VARIES],
        "list": VARIES,
        "same": "é",
    }
    assert is_same_outcome(recorded, {**second, "text": "order c3 at 10:00:59"})
    assert not is_same_outcome(recorded, {**second, "text": "order c3 at 11:00:59"})
    assert not is_same_outcome(recorded, {**second, "ids": [True, 3]}), "true is not 1"


class KeepsNoOrder(Order):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        return {"left": 0}


class ShowsLess(Order):
    def preview(self, request: Any, context: ToolContext) -> str:
        return "Order something."


class ChecksApproval(Order):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        context.check_approval(f"Order {request['sku']}.")
        return await super().execute(request, context)


class SaysLess(Shop):
    async def execute(self, request: Any, context: ToolContext) -> Any:
        if request["sku"] not in state(self.folder):
            raise UnknownSkuError("Something is wrong.")
        return await super().execute(request, context)


class SellsTheLast(Shop):
    """Correct for all examples: only the request that takes all that is left is refused."""

    async def execute(self, request: Any, context: ToolContext) -> Any:
        if state(self.folder).get(request["sku"]) == request.get("units", 1):
            raise ShortStockError
        return await super().execute(request, context)


@pytest.mark.parametrize(
    ("right", "wrong", "promises"),
    [
        (Order, KeepsNoOrder, ORDER),
        (Order, ShowsLess, ORDER),
        (ChecksApproval, Order, ORDER),
        (Shop, SaysLess, {}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_change_that_the_spec_does_not_show_is_found(
    tmp_path: Path, right: type[Any], wrong: type[Any], promises: dict[str, Any]
) -> None:
    tested = record(tmp_path, right, **promises)
    assert outcomes(right, tested) == []
    found = outcomes(wrong, tested)
    assert "has another outcome than tests/outcomes/" in found[0]


def test_a_request_near_an_example_is_recorded(tmp_path: Path) -> None:
    tested = record(tmp_path, Shop, FIND)
    assert {"sku": "bell", "units": 2} in [each.arguments for each in tested.neighbours]
    assert outcomes(Shop, tested) == []
    (found,) = outcomes(SellsTheLast, tested)
    assert found == "a call near example 'take two' has another outcome than tests/outcomes/take.json has"


@pytest.mark.parametrize(
    ("arguments", "difference"),
    [
        ({"sku": "TYRE", "units": 2}, {"with": {"sku": "TYRE"}}),
        ({"sku": "tyre"}, {"without": ["units"]}),
        ({"sku": "\ud83d", "units": 3}, {"with": {"sku": "\ud83d", "units": 3}}),
    ],
)
def test_a_neighbour_is_written_as_its_difference_and_read_back(
    tmp_path: Path, arguments: dict[str, Any], difference: dict[str, Any]
) -> None:
    recorded = record(tmp_path, Shop)
    neighbour = Neighbour(recorded.examples[0], arguments, {"output": {"left": 1}})
    report = ToolReport("take", outcomes=recorded.outcomes, neighbours=(neighbour,))
    project = Project(tmp_path, "toolgen.toml", "")

    (update,) = plan_outcome_updates(project, [recorded], [report], {"take": report}, is_all=True)

    assert update.after is not None
    written = json.loads(update.after)["neighbours"]["take two"]
    assert written == [{**difference, "output": {"left": 1}}]
    (tmp_path / update.file).write_text(update.after)
    read = with_recorded(project, recorded)
    assert read.neighbours == (neighbour,)


def test_a_neighbour_that_the_schema_refuses_now_is_removed(tmp_path: Path) -> None:
    record(tmp_path, Shop, FIND)
    fewer = {**INPUT, "properties": {**INPUT["properties"], "units": {"const": 2}}}

    read = with_recorded(Project(tmp_path, "toolgen.toml", ""), replace(tool(Shop), input_schema=fewer))

    assert {each.arguments.get("units", 2) for each in read.neighbours} == {2}


def test_an_outcome_that_still_holds_keeps_its_marks_and_its_neighbours(tmp_path: Path) -> None:
    record(tmp_path, Shop, FIND)
    file = tmp_path / "tests/outcomes/take.json"
    text = file.read_text().replace('"The tool could not', f'"{VARIES} tool could not', 1)
    file.write_text(text)
    record(tmp_path, Shop, FIND)
    assert file.read_text() == text


def test_an_example_that_fails_is_not_recorded(tmp_path: Path) -> None:
    wrong = ExpectedCall("wrong", {"sku": "tyre"}, PLACE, True, {"left": 0})
    right = ExpectedCall("right", {"sku": "bell"}, PLACE, True, {"left": 1}, index=1)
    tested = record(tmp_path, Shop, examples=(wrong, right))
    assert list(tested.outcomes) == ["right"]
    assert run(Shop, tested, RunOptions(examples_only=True)).not_recorded == ("wrong",)


def test_records_of_what_is_gone_are_reported_and_removed(tmp_path: Path) -> None:
    tested = record(tmp_path, Shop)
    fewer = replace(tested, examples=tested.examples[1:])
    assert stale_outcomes([fewer]) == ["'take two' in tests/outcomes/take.json"]
    other = tmp_path / "tests/outcomes/other.json"
    other.write_text("{}")
    tested = record(tmp_path, Shop, examples=tested.examples[1:])
    assert (other.exists(), "take two" in tested.outcomes) == (False, False)


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "tests/outcomes/take.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"examples": 3}')
    with pytest.raises(UnableError, match="is not a file of recorded outcomes"):
        with_recorded(Project(tmp_path, "toolgen.toml", ""), tool(Shop))
