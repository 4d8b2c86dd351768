"""A cancelled call leaves no trace: the state is as before, or as after the whole call, and nothing between.

A call may have finished when its cancellation arrives, and a `def` cannot be stopped; then its work is done
completely.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault, changed
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    for step in seen.all("cancelled"):
        # The whole work is allowed, too: the cancellation may have come too late.
        if step.changed and step.after != seen.settled:
            yield changed(step, "a call that was cancelled left part of its work in the state")


CHECK = Check("cancelled-calls", _faults, applies=lambda tool: not tool.read_only, needs_state=True)
