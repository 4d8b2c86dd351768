"""An example of a read-only tool ends in the same way if the call is made twice, or after other calls.

Nothing of one call may stay for the next: in a cache, in a variable of the module, in the instance.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation, same_answer
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.checks.example import compared
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    expected = seen.expected
    if expected is None:
        yield from _unexpected(seen)
        return
    first = seen.first("call")
    for step in seen.all("again"):
        if first is not None and not any(compared(expected, first)):
            yield from compared(expected, step, "called a second time")
    if seen.after_others:
        for step in seen.all("call"):
            yield from compared(expected, step, "called after other examples")


def _unexpected(seen: Observation) -> Iterator[CheckFault]:
    """Yield the difference of a call from the same one with fresh data, which an undisturbed call repeats."""
    first, again, afresh = seen.first("call"), seen.first("again"), seen.first("afresh")
    if first is None or again is None or afresh is None or not same_answer(first.answer, afresh.answer):
        return
    diff = diff_lines(first.answer.content, again.answer.content)
    when = "a second time" if not seen.after_others else "after other calls"
    yield CheckFault(
        f"the call ends with {again.answer.shown} {when}, and with another result before", diff=diff
    )


CHECK = Check("independent-calls", _faults, applies=lambda tool: tool.read_only)
