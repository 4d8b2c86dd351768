"""Calls after each other: of a read-only tool, and of other tools after a write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from toolgen.runtime import ToolContext, Toolkit
from toolgen.testing.results import ToolReport
from toolgen.testing.runner import RunOptions, ToolRunner
from toolgen.testing.toolkit_subject import Fixtures, ToolkitSubject

from tests.testing.shop import LOOKUPS, STOCK, Lookup, Shop, run, save, state, tool


def run_two_tools(kinds: tuple[type[Any], type[Any]]) -> ToolReport:
    """Test the first of two tools that share their data."""

    def make(folder: Path) -> Toolkit:
        save(folder, STOCK)
        made = [kind() for kind in kinds]
        for each in made:
            each.folder = folder
        return Toolkit(made)

    tools = [tool(kinds[0]), tool(kinds[1], read_only=True, examples=LOOKUPS)]
    subject = ToolkitSubject(Fixtures("none", make, state), ())
    return ToolRunner(tools[0], subject, RunOptions(max_calls=10), tools=tools).run()


class RemembersAnswers(Lookup):
    """Answers from a cache of its session, which a write does not empty."""

    _cache: dict[str, int]

    def execute(self, request: Any, context: ToolContext) -> Any:
        self._cache = getattr(self, "_cache", {})
        sku = request["sku"]
        if sku not in self._cache:
            self._cache[sku] = super().execute(request, context)["left"]
        return {"left": self._cache[sku]}


class ForgetsUnits(Lookup):
    """The key of its cache leaves out one parameter: wrong only after another call."""

    _answers: dict[str, Any]

    def execute(self, request: Any, context: ToolContext) -> Any:
        self._answers = getattr(self, "_answers", {})
        if request["sku"] not in self._answers:
            left = super().execute(request, context)["left"]
            self._answers[request["sku"]] = {"left": left * request.get("units", 1)}
        return self._answers[request["sku"]]


class MultipliesUnits(Lookup):
    def execute(self, request: Any, context: ToolContext) -> Any:
        return {"left": super().execute(request, context)["left"] * request.get("units", 1)}


def test_a_read_after_a_write_must_not_come_from_a_cache() -> None:
    (failure,) = run_two_tools((Shop, RemembersAnswers)).failures

    assert failure.check == "later-calls"
    assert "look ends in another way after example 'take two'" in failure.message
    assert any("3" in line for line in failure.diff)


def test_a_correct_read_after_a_write_passes() -> None:
    assert run_two_tools((Shop, Lookup)).failures == ()


def test_a_generated_call_of_a_read_only_tool_ends_the_same_after_others() -> None:
    promises: dict[str, Any] = {"read_only": True, "examples": LOOKUPS}

    assert run(MultipliesUnits, **promises).failures == ()
    (failure,) = run(ForgetsUnits, **promises).failures

    assert (failure.check, "after other calls" in failure.message) == ("independent-calls", True)
