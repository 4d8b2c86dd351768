"""A call ends as it did when its outcome was recorded, in everything that the spec does not say.

Recorded are the examples, and requests near them. What was different each time is not compared.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.schema.document import JsonObject
from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.outcomes.compact import holds, shown_beside
from toolgen.testing.outcomes.outcome import outcome_of
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    recorded = _recorded(tool, seen)
    actual = None if recorded is None else outcome_of(seen)
    if recorded is not None and actual is not None and not holds(recorded, actual):
        message = f"{_subject(seen)} has another outcome than {tool.outcomes_file} has"
        yield CheckFault(message, diff=diff_lines(*shown_beside(recorded, actual)))


def _subject(seen: Observation) -> str:
    if seen.neighbour is None:
        return "the call" if seen.expected is None else seen.expected.title
    after = f", after the call of '{seen.neighbour.after}'," if seen.neighbour.after else ""
    return f"a call near example '{seen.neighbour.near}'{after}"


def _recorded(tool: ToolUnderTest, seen: Observation) -> JsonObject | None:
    if seen.neighbour is not None:
        return seen.neighbour.outcome
    if seen.expected is None or seen.variant or seen.after_others:
        return None
    return tool.outcomes.get(seen.expected.name)


CHECK = Check(
    "outcomes",
    _faults,
    applies=lambda tool: bool(tool.outcomes or tool.neighbours),
    needs_fresh_data=True,
)
