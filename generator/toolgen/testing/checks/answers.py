"""Checks of what calls answer: examples, recorded outcomes, calls after each other, errors, streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolgen.runtime.errors import RUNTIME_ERRORS
from toolgen.schema.document import same_value
from toolgen.testing.calls.observation import Observation, ObservedCall, same_answer
from toolgen.testing.checks.check import Check, CheckFault
from toolgen.testing.json_diff import diff_lines
from toolgen.testing.outcomes import is_same_outcome, outcome_of, with_marks
from toolgen.testing.subjects.subject import FAULTS, Call
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

_RESERVED: Final = frozenset(error.code for error in RUNTIME_ERRORS)
_ABOUT: Final = frozenset(("title", "description", "examples", "default", "deprecated", "$comment"))


def _example(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """An example ends as its spec says: with the output, or with the error, compared by its code.

    An example with neither has to succeed.
    """
    for step in seen.all("call"):
        if seen.expected is not None and not seen.after_others:
            yield from _compared(seen.expected, step, seen.variant)


def _compared(expected: ExpectedCall, step: ObservedCall, variant: str = "") -> Iterator[CheckFault]:
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
    if seen.expected is None or seen.variant or seen.after_others:
        return
    recorded, actual = tool.outcomes.get(seen.expected.name), outcome_of(seen)
    if recorded is not None and actual is not None and not is_same_outcome(recorded, actual):
        message = f"{seen.expected.title} has another outcome than {tool.outcomes_file} has"
        yield CheckFault(message, diff=diff_lines(recorded, with_marks(recorded, actual)))


def _independent(tool: ToolUnderTest, seen: Observation) -> Iterator[CheckFault]:
    """A call of a read-only tool ends in the same way if it is made twice, or after other calls.

    Nothing of one call may stay for the next: in a cache, in a variable of the module, in the instance.
    """
    expected, first = seen.expected, seen.first("call")
    if expected is None:
        yield from _unexpected(seen)
        return
    for step in seen.all("again"):
        if first is not None and not any(_compared(expected, first)):
            yield from _compared(expected, step, "called a second time")
    if seen.after_others:
        for step in seen.all("call"):
            yield from _compared(expected, step, "called after other examples")


def _unexpected(seen: Observation) -> Iterator[CheckFault]:
    """Yield the difference of a call from the same one with fresh data, which an undisturbed call repeats."""
    first, again, afresh = seen.first("call"), seen.first("again"), seen.first("afresh")
    if first is None or again is None or afresh is None or not same_answer(first.answer, afresh.answer):
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


EXAMPLE: Final = Check("example", _example, applies=lambda tool: bool(tool.examples))
OUTCOMES: Final = Check(
    "outcomes",
    _outcomes,
    applies=lambda tool: bool(tool.outcomes),
    needs_fresh_data=True,
)
INDEPENDENT: Final = Check("independent-calls", _independent, applies=lambda tool: tool.read_only)
ANSWERS: Final = Check("answers", _answers, applies=lambda tool: True)
STREAM: Final = Check("stream", _stream, applies=lambda tool: tool.chunk_schema is not None)
