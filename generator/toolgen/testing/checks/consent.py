"""A tool that asks the user does nothing without consent.

If the user declines, or nobody can be asked, the call ends with an error. Then, and after a preview, the
state is as before; also if the tool refuses to act because the user approved another preview.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolgen.runtime.errors import ChangedSinceConfirmedError
from toolgen.testing.calls.observation import Observation
from toolgen.testing.checks.check import Check, CheckFault, changed
from toolgen.testing.subjects.subject import Call
from toolgen.testing.tool_under_test import ToolUnderTest

_SITUATIONS = {
    "refused": "the user declined",
    "nobody": "nobody could be asked",
    "preview": "only a preview was wanted",
}


def _faults(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    for step in seen.all("refused", "nobody", "preview"):
        situation = _SITUATIONS[step.kind]
        consent = step.kind if step.kind != "preview" else "nobody"
        call = Call(tool.name, seen.arguments, consent)  # type: ignore[arg-type]
        if step.kind != "preview" and step.answer.error is None:
            yield CheckFault(f"the tool acted although {situation}", call)
        elif step.changed:
            yield changed(step, f"the state changed although {situation}", call)
    for step in seen.all("call") if tool.only_previews(seen.arguments) else ():
        if step.changed:
            yield changed(step, f"the state changed although {_SITUATIONS['preview']}")
    for step in seen.all("outdated"):
        if step.answer.error == ChangedSinceConfirmedError.code and step.changed:
            yield changed(step, "the state changed although the user had approved another preview")


CHECK = Check("consent", _faults, applies=lambda tool: tool.confirms)
