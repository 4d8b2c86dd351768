"""With `idempotentHint: true`, a second call with the same arguments changes nothing more.

It may be answered by an error: a second order with the same number, for one.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, Fault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[Fault]:
    first = seen.first("call")
    for step in seen.all("again"):
        if step.changed and first is not None and first.answer.error is None:
            message = "the second call with the same arguments changed the state again"
            yield Fault(message, diff=diff_lines(step.before, step.after))


CHECK = Check(
    "idempotent",
    _faults,
    applies=lambda tool: tool.idempotent and not tool.read_only,
    needs_state=True,
)
