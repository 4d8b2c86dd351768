"""A valid request is answered by a valid response or a declared error.

Reserved errors that the runtime decides on are answers, too: of a user who declines, of a full queue. Those
that mean a fault of the implementation are not: `internal_error`, `invalid_response`, `not_implemented`,
`missing_dependency`, `not_ready`, and `timeout` if the spec does not declare it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolgen.runtime.errors import RUNTIME_ERRORS
from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.subjects.subject import FAULTS, Call
from toolgen.testing.tool_under_test import ToolUnderTest

RESERVED: Final = frozenset(error.code for error in RUNTIME_ERRORS)


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    for step in seen.steps:
        answer = step.answer
        if answer.error == "" and not tool.errors and step.kind in ("call", "again"):
            yield CheckFault(f"the call ends with {answer.shown}, and the spec declares no errors")
        # How a cancelled call ends is not up to the tool.
        if not answer.error or step.kind == "cancelled" or answer.error in tool.errors:
            continue
        if answer.error in FAULTS or answer.error not in RESERVED:
            consent = step.kind if step.kind in ("refused", "nobody") else "given"
            call = Call(tool.name, seen.arguments, consent)
            subject = "the preview" if step.kind == "preview" else "the call"
            yield CheckFault(f"{subject} ends with {answer.shown}", call)
        elif answer.error == "invalid_request":
            yield CheckFault(f"a valid request is refused: {' '.join(answer.message.split())}")


CHECK = Check("answers", _faults, applies=lambda tool: True)
