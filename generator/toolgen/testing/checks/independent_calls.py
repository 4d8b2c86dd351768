"""An example of a read-only tool ends in the same way if the call is made twice, or after other calls.

Nothing of one call may stay for the next: in a cache, in a variable of the module, in the instance.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.checks.check import Check, Fault
from toolgen.testing.checks.example import compared
from toolgen.testing.observation import Observation
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[Fault]:
    expected = seen.expected
    if expected is None:
        return
    first = seen.first("call")
    for step in seen.all("again"):
        if first is not None and not any(compared(expected, first)):
            yield from compared(expected, step, "called a second time")
    if seen.after_others:
        for step in seen.all("call"):
            yield from compared(expected, step, "called after other examples")


CHECK = Check("independent-calls", _faults, applies=lambda tool: tool.read_only and bool(tool.examples))
