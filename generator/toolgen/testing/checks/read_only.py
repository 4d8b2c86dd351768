"""A tool whose annotations say `readOnlyHint: true` leaves the state unchanged, whatever it answers."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault, changed
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    for step in seen.steps:
        if step.changed:
            yield changed(step, "a read-only tool changed the state")


CHECK = Check("read-only", _faults, applies=lambda tool: tool.read_only, needs_state=True)
