"""A tool whose annotations say `readOnlyHint: true` leaves the state unchanged, whatever it answers."""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, Fault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[Fault]:
    for step in seen.steps:
        if step.changed:
            yield Fault("a read-only tool changed the state", diff=diff_lines(step.before, step.after))


CHECK = Check("read-only", _faults, applies=lambda tool: tool.read_only, needs_state=True)
