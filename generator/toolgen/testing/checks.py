"""A check: what it looks at, and the faults that it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.runtime.errors import RUNTIME_ERRORS, ChangedSinceConfirmedError
from toolgen.schema.document import same_value
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.observation import Observation, ObservedCall, same_answer
from toolgen.testing.outcomes import is_same_outcome, outcome_of, with_marks
from toolgen.testing.subject import FAULTS, Call
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest


@dataclass(frozen=True, slots=True)
class CheckFault:
    """One thing that is wrong in an observation."""

    message: str
    call: Call | None = None  # that shows it; None: the observation's request
    diff: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One property of an implementation."""

    name: str  # as reports show it
    faults: Callable[[ToolUnderTest, Observation], Iterator[CheckFault]]
    applies: Callable[[ToolUnderTest], bool]
    needs_state: bool = False  # it compares snapshots of the project's state
    needs_fresh_data: bool = False  # it compares with what was seen of the same data


_RESERVED: Final = frozenset(error.code for error in RUNTIME_ERRORS)
_ABOUT: Final = frozenset(("title", "description", "examples", "default", "deprecated", "$comment"))


def _example(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """An example ends as its spec says: with the output, or with the error, compared by its code.

    An example with neither has to succeed.
    """
    for step in seen.all("call"):
        if seen.expected is not None:
            yield from _compared(seen.expected, step, seen.variant)


def _compared(expected: ExpectedCall, step: ObservedCall, variant: str) -> Iterator[CheckFault]:
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


def _outcomes(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A call ends as it did when its outcome was recorded, in everything that the spec does not say.

    What was different each time is not compared.
    """
    recorded, title = None, ""
    if seen.neighbour is not None:
        recorded, title = seen.neighbour.outcome, f"a call near {seen.neighbour.near.title}"
    elif seen.expected is not None and not seen.variant:
        recorded, title = tool.outcomes.get(seen.expected.name), seen.expected.title
    actual = None if recorded is None else outcome_of(seen)
    if actual is not None and not is_same_outcome(recorded, actual):
        message = f"{title} has another outcome than {tool.outcomes_file} has"
        yield CheckFault(message, diff=diff_lines(recorded, with_marks(recorded, actual)))


def _independent(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A call of a read-only tool ends in the same way if it is made twice, or after other calls.

    Nothing of one call may stay for the next: in a cache, in a variable of the module, in the instance.
    """
    first, again = seen.first("call"), seen.first("again")
    if first is None or again is None or not seen.repeats or same_answer(first.answer, again.answer):
        return
    when = "a second time" if not seen.after_others else "after other calls"
    message = f"the call ends with {again.answer.shown} {when}, and with another result before"
    yield CheckFault(message, diff=diff_lines(first.answer.content, again.answer.content))


def _answers(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A valid request is answered by a valid response or a declared error.

    Reserved errors that the runtime decides on are answers, too: of a user who declines, of a full queue.
    Those that mean a fault of the implementation (`FAULTS`) are not, and `timeout` if it is not declared.
    """
    for step in seen.steps:
        answer = step.answer
        if answer.error == "" and not tool.errors and step.kind in ("call", "again"):
            yield CheckFault(f"the call ends with {answer.shown}, and the spec declares no errors")
        # How a cancelled call ends is not up to the tool.
        if not answer.error or step.kind == "cancelled" or answer.error in tool.errors:
            continue
        if answer.error in FAULTS or answer.error not in _RESERVED:
            consent = step.kind if step.kind in ("refused", "nobody") else "given"
            call = Call(tool.name, seen.arguments, consent)
            subject = "the preview" if step.kind == "preview" else "the call"
            yield CheckFault(f"{subject} ends with {answer.shown}", call)
        elif answer.error == "invalid_request":
            yield CheckFault(f"a valid request is refused: {' '.join(answer.message.split())}")


def sums_of(tool: ToolUnderTest) -> list[str]:
    """Return the properties of the response to which the chunks may add up."""
    schema, chunk = tool.output_schema, tool.chunk_schema
    if not isinstance(schema, Mapping) or chunk is None:
        return []
    properties = schema.get("properties", {})
    return [name for name, each in properties.items() if isinstance(each, Mapping) and _sums(each, chunk)]


def _sums(schema: Mapping[str, Any], chunk: Any) -> bool:
    if schema.get("type") == "array":
        return bool(_bare(schema.get("items")) == _bare(chunk))
    return schema.get("type") == "string" == (chunk.get("type") if isinstance(chunk, Mapping) else None)


def _bare(schema: Any) -> Any:
    if isinstance(schema, Mapping):
        return {key: _bare(value) for key, value in schema.items() if key not in _ABOUT}
    return [_bare(each) for each in schema] if isinstance(schema, list) else schema


def _stream(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """The chunks of a stream add up to its response.

    If the tool has no output schema, the response is the list of all chunks. Otherwise a property of the
    response whose schema is an array of chunks, or a text where the chunks are texts, has to hold all of
    them, in order. A response without such a property is not compared.
    """
    for step in seen.all("call"):
        answer = step.answer
        if answer.error is not None or answer.chunks is None:
            continue
        chunks = list(answer.chunks)
        if tool.output_schema is None:
            if not same_value(chunks, answer.content):
                diff = diff_lines(chunks, answer.content)
                yield CheckFault("the response is not the list of its chunks", diff=diff)
            continue
        if not isinstance(answer.content, Mapping):
            continue
        sums = {name: answer.content[name] for name in sums_of(tool) if name in answer.content}
        # One property is enough: two may have the type of the chunks, and only one of them their sum.
        if sums and not any(_adds_up(chunks, value) for value in sums.values()):
            name, value = next(iter(sums.items()))
            message = f"the chunks do not add up to '{name}' of the response"
            yield CheckFault(message, diff=diff_lines(chunks, value))


def _adds_up(chunks: list[Any], value: Any) -> bool:
    if isinstance(value, str):
        return "".join(map(str, chunks)) == value
    return same_value(chunks, value)


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
    previews = [step.answer for step in seen.all("preview")]
    if previews and not same_answer(previews[0], previews[-1]):
        diff = diff_lines(previews[0].content, previews[-1].content)
        message = "the preview is another one each time, so people can never approve the call"
        yield CheckFault(message, Call(tool.name, seen.arguments, "nobody"), diff)
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
        if step.changed and all(step.after != end.state for end in seen.ends):
            yield _changed(step, "a call that was cancelled left part of its work in the state")


def _concurrent(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """Two calls at once end as if one had been made after the other.

    Either may be refused, because the other one is not finished; then the state is as without it.
    """
    steps = list(seen.all("concurrent"))
    if not steps:
        return
    for step in steps:
        if step.answer.error in FAULTS:
            yield CheckFault(f"one of two calls at once ends with {step.answer.shown}")
            return
    done = frozenset(index for index, step in enumerate(steps) if step.answer.error is None)
    states, after = [end.state for end in seen.ends if end.done == done], steps[0].after
    if not states:
        yield CheckFault("two calls at once succeed; one after the other, one of them is refused")
    elif all(state != after for state in states):
        message = "two calls at once left another state than one after the other"
        yield CheckFault(message, diff=diff_lines(states[0], after))


def _acts(tool: ToolUnderTest) -> bool:
    return not tool.read_only


CHECKS: Final = (
    Check("example", _example, lambda tool: bool(tool.examples)),
    Check("outcomes", _outcomes, lambda tool: bool(tool.outcomes), needs_fresh_data=True),
    Check("independent-calls", _independent, lambda tool: tool.read_only),
    Check("answers", _answers, lambda tool: True),
    Check("read-only", _read_only, lambda tool: tool.read_only, needs_state=True),
    Check("idempotent", _idempotent, lambda tool: tool.idempotent and not tool.read_only, needs_state=True),
    Check("consent", _consent, lambda tool: tool.confirms),
    Check("shown", _shown, lambda tool: tool.confirms, needs_state=True, needs_fresh_data=True),
    Check("failed-calls", _failed, _acts, needs_state=True),
    Check("cancelled-calls", _cancelled, _acts, needs_state=True),
    Check("concurrent-calls", _concurrent, _acts, needs_state=True),
    Check("stream", _stream, lambda tool: tool.chunk_schema is not None),
)
"""All checks, in the order of reports."""
