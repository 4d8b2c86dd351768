"""Checks of the state that calls leave: by reading, without consent, by errors, by calls at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolgen.runtime.errors import ChangedSinceConfirmedError
from toolgen.testing.calls.observation import Observation, ObservedCall
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.subjects.subject import FAULTS, Call
from toolgen.testing.tool_under_test import ToolUnderTest

_SITUATIONS: Final = {
    "refused": "the user declined",
    "nobody": "nobody could be asked",
    "preview": "only a preview was wanted",
}


def _changed(step: ObservedCall, message: str, call: Call | None = None) -> CheckFault:
    """Return the fault of a step that must not change the state, with what it has changed."""
    return CheckFault(message, call, diff_lines(step.before, step.after))


def _read_only(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A tool whose annotations say `readOnlyHint: true` leaves the state unchanged, whatever it answers."""
    for step in seen.steps:
        if step.changed:
            yield _changed(step, "a read-only tool changed the state")


def _idempotent(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """With `idempotentHint: true`, a second call with the same arguments changes nothing more.

    It may be answered by an error: a second order with the same number, for one.
    """
    first = seen.first("call")
    for step in seen.all("again"):
        # A first call that failed has not done what a second one could repeat.
        if step.changed and first is not None and first.answer.error is None:
            yield _changed(step, "the second call with the same arguments changed the state again")


def _consent(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A tool that asks the user does nothing without consent.

    If the user declines, or nobody can be asked, the call ends with an error. Then, and after a preview, the
    state is as before; also if the tool refuses to act because the user approved another preview.
    """
    for step in seen.all("refused", "nobody", "preview"):
        situation = _SITUATIONS[step.kind]
        call = Call(tool.name, seen.arguments, "refused" if step.kind == "refused" else "nobody")
        if step.kind != "preview" and step.answer.error is None:
            yield CheckFault(f"the tool acted although {situation}", call)
        elif step.changed:
            yield _changed(step, f"the state changed although {situation}", call)
    for step in seen.all("call") if tool.only_previews(seen.arguments) else ():
        if step.changed:
            yield _changed(step, f"the state changed although {_SITUATIONS['preview']}")
    for step in seen.all("outdated"):
        if step.answer.error == ChangedSinceConfirmedError.code and step.changed:
            yield _changed(step, "the state changed although the user had approved another preview")


def _shown(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A property that changes what a confirmed tool does is in the question, or in its preview.

    Otherwise the user agrees to the same text for every value of the property: a note, or another address.
    """
    step = seen.first("unshown")
    if step is not None:
        message = f"calls with the same question do different things; it does not show {seen.variant}"
        yield _changed(step, message)


def _failed(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A call that ends with an error leaves the state unchanged: all or nothing."""
    for step in seen.all("call", "again"):
        if step.answer.error is not None and step.changed:
            yield _changed(step, f"the call ends with {step.answer.shown}, and changed the state")


def _cancelled(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A cancelled call leaves no trace: the state is as before, or as after the whole call.

    A call may have finished when its cancellation arrives, and a `def` cannot be stopped; then its work is
    done completely.
    """
    for step in seen.all("cancelled"):
        if step.changed and step.after != seen.settled:
            yield _changed(step, "a call that was cancelled left part of its work in the state")


@dataclass(frozen=True, slots=True)
class _End:
    """A way in which two calls may end: those that succeed, and the state."""

    done: frozenset[int]
    state: Any


def _concurrent(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """Two calls at once end as if one had been made after the other.

    Either may be refused, because the other one is not finished; then the state is as without it.
    """
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


def _acts(tool: ToolUnderTest) -> bool:
    return not tool.read_only


def _confirms(tool: ToolUnderTest) -> bool:
    return tool.confirms


READ_ONLY: Final = Check("read-only", _read_only, applies=lambda tool: tool.read_only, needs_state=True)
IDEMPOTENT: Final = Check(
    "idempotent", _idempotent, applies=lambda tool: tool.idempotent and not tool.read_only, needs_state=True
)
CONSENT: Final = Check("consent", _consent, applies=_confirms)
SHOWN: Final = Check("shown", _shown, applies=_confirms, needs_state=True, needs_fresh_data=True)
FAILED: Final = Check("failed-calls", _failed, applies=_acts, needs_state=True)
CANCELLED: Final = Check("cancelled-calls", _cancelled, applies=_acts, needs_state=True)
CONCURRENT: Final = Check("concurrent-calls", _concurrent, applies=_acts, needs_state=True)
