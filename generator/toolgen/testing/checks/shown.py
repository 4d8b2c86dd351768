"""A property that changes what a confirmed tool does is in the question, or in its preview.

Otherwise the user agrees to the same text for every value of the property: a note, or another address.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault, changed
from toolgen.testing.tool_under_test import ToolUnderTest


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    step = seen.first("unshown")
    if step is not None:
        message = f"calls with the same question do different things; it does not show {seen.variant}"
        yield changed(step, message)


CHECK = Check(
    "shown",
    _faults,
    applies=lambda tool: tool.confirms,
    needs_state=True,
    needs_fresh_data=True,
)
