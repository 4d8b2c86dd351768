"""With `idempotentHint: true`, a second call with the same arguments changes nothing more.

It may be answered by an error: a second order with the same number, for one.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault, changed
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    first = seen.first("call")
    for step in seen.all("again"):
        # A first call that failed has not done what a second one could repeat.
        if step.changed and first is not None and first.answer.error is None:
            yield changed(step, "the second call with the same arguments changed the state again")


CHECK = Check(
    "idempotent",
    _faults,
    applies=lambda tool: tool.idempotent and not tool.read_only,
    needs_state=True,
)
