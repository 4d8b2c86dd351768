"""Two calls at once end as if one had been made after the other.

Either call may be refused, because the other one is not finished. If it is, the state is as after the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.checks.answers import FAULTS
from toolgen.testing.checks.check import Check, Fault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.observation import Observation
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[Fault]:
    steps = list(seen.all("concurrent"))
    if not steps or any(step.answer.error in FAULTS for step in seen.serial):
        return
    for step in steps:
        if step.answer.error in FAULTS:
            yield Fault(f"one of two calls at once ends with {step.answer.shown}")
            return
    done = [step for step in steps if step.answer.error is None]
    possible = [step for step in seen.serial if step.answer.error is None]
    if len(done) > len(possible):
        refused = next(step for step in seen.serial if step.answer.error is not None)
        yield Fault(f"two calls at once succeed; one after the other, one ends with {refused.answer.shown}")
        return
    expected = possible[len(done) - 1].after if done else steps[0].before
    if steps[0].after != expected:
        message = "two calls at once left another state than one after the other"
        yield Fault(message, diff=diff_lines(expected, steps[0].after))


CHECK = Check("concurrent-calls", _faults, applies=lambda tool: not tool.read_only, needs_state=True)
