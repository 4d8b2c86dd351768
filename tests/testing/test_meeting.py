"""Two calls of a tool with a `def` meet between what the first one reads and what it writes."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from toolgen.runtime import BaseTool, ToolContext
from toolgen.testing.running import runner
from toolgen.testing.subjects import toolkit_subject
from toolgen.testing.subjects.toolkit_subject import places_to_meet

from tests.testing.shop import ShortStockError, UnknownSkuError, failures, run, save, spec, state


class Takes(BaseTool[Any, Any]):
    spec = spec("take")
    folder: Path

    def execute(self, request: Any, context: ToolContext) -> Any:
        stock = state(self.folder)
        if request["sku"] not in stock:
            raise UnknownSkuError
        if stock[request["sku"]] < request.get("units", 1):
            raise ShortStockError
        stock[request["sku"]] -= request.get("units", 1)
        save(self.folder, stock)
        return {"left": stock[request["sku"]]}


class TakesInTurn(Takes):
    lock = Lock()

    def execute(self, request: Any, context: ToolContext) -> Any:
        with self.lock:
            return super().execute(request, context)


@pytest.fixture(autouse=True)
def _no_other_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "CONCURRENT_ROUNDS", 0)


def test_a_lost_update_is_found_without_luck() -> None:
    assert "two calls at once left another state" in failures(Takes)["concurrent-calls"].message


def test_a_call_that_waits_for_the_other_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolkit_subject, "MEET_SECONDS", 0.01)
    assert "concurrent-calls" not in {failure.check for failure in run(TakesInTurn).failures}


def test_lines_are_spread_over_the_call() -> None:
    last = {("tool.py", line): 10 * line for line in range(1, 9)}
    assert places_to_meet(last, 4) == [10, 30, 50, 70]
    assert places_to_meet(last, 99) == [10, 20, 30, 40, 50, 60, 70, 80]
