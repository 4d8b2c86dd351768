"""A call that ends with an error leaves the state unchanged: all or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault, changed
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    for step in seen.all("call", "again"):
        if step.answer.error is not None and step.changed:
            yield changed(step, f"the call ends with {step.answer.shown}, and changed the state")


CHECK = Check("failed-calls", _faults, applies=lambda tool: not tool.read_only, needs_state=True)
