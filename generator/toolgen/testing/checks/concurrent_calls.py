"""Two calls at once end as if one had been made after the other.

Either may be refused, because the other one is not finished. Then the state is as if it had not been made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.subjects.subject import FAULTS
from toolgen.testing.tool_under_test import ToolUnderTest


@dataclass(frozen=True, slots=True)
class _End:
    """A way in which two calls may end: those that succeed, and the state."""

    done: frozenset[int]
    state: Any


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    del tool
    steps = list(seen.all("concurrent"))
    # A tool that fails alone has been reported, and says nothing about calls at once.
    if not steps or any(step.answer.error in FAULTS for run in seen.serial for step in run.steps):
        return
    for step in steps:
        if step.answer.error in FAULTS:
            yield CheckFault(f"one of two calls at once ends with {step.answer.shown}")
            return
    done = frozenset(index for index, step in enumerate(steps) if step.answer.error is None)
    ends = [end for end in _possible_ends(seen, steps[0].before) if end.done == done]
    after = steps[0].after
    if not ends:
        yield CheckFault("two calls at once succeed; one after the other, one of them is refused")
    elif all(end.state != after for end in ends):
        message = "two calls at once left another state than one after the other"
        yield CheckFault(message, diff=diff_lines(ends[0].state, after))


def _possible_ends(seen: Observation, before: Any) -> Iterator[_End]:
    # Both calls may be refused, each because of the other.
    yield _End(frozenset(), before)
    for run in seen.serial:
        done: set[int] = set()
        for index, step in zip(run.order, run.steps, strict=True):
            done |= {index} if step.answer.error is None else set()
            yield _End(frozenset(done), step.after)


CHECK = Check("concurrent-calls", _faults, applies=lambda tool: not tool.read_only, needs_state=True)
