"""An example ends as its spec says: with the output, compared as JSON, or the error, compared by its code.

An example with neither has to succeed.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.schema.document import same_value
from toolgen.testing.calls.observation import Observation, ObservedCall
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    expected = seen.expected
    if expected is None:
        return
    for step in seen.all("call"):
        if not seen.after_others:
            yield from compared(expected, step, seen.variant)


def compared(expected: ExpectedCall, step: ObservedCall, variant: str = "") -> Iterator[CheckFault]:
    """Yield the difference between an answer and what the example says."""
    answer = step.answer
    subject = f"{expected.title}, {variant}," if variant else expected.title
    if expected.error is not None:
        if answer.error is None:
            yield CheckFault(f"{subject} has a result, not the error {expected.error}")
        elif answer.error and answer.error != expected.error:
            yield CheckFault(f"{subject} ends with {answer.shown}, not with {expected.error}")
    elif answer.error is not None:
        yield CheckFault(f"{subject} ends with {answer.shown}")
    elif expected.has_output and not same_value(expected.output, answer.content):
        yield CheckFault(f"{subject} has another output", diff=diff_lines(expected.output, answer.content))


CHECK = Check("example", _faults, applies=lambda tool: bool(tool.examples))
