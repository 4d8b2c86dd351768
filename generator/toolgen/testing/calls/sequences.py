"""Sequences of calls in one session: calls of a read-only tool, and what other tools read after a write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from toolgen.testing.calls.observation import Observation, ObservedCall, same_answer
from toolgen.testing.subjects.subject import Call, CallResult, Subject
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

_MAX_READS: Final = 10  # calls of other tools after a write
_MAX_OF_ONE: Final = 3  # examples of one of them


@dataclass(frozen=True, slots=True)
class Read:
    """A call of a read-only tool."""

    tool: ToolUnderTest
    example: ExpectedCall

    @property
    def call(self) -> Call:
        """Return the call."""
        return Call(self.tool.name, self.example.arguments)


async def make_calls(subject: Subject, calls: Sequence[Call]) -> list[CallResult]:
    """Make calls one after another in one session; return their answers."""
    async with subject.session() as session:
        return [await session.call(call) for call in calls]


async def find_dependent(
    subject: Subject, tool: ToolUnderTest, seen: Sequence[Observation]
) -> list[Observation]:
    """Repeat calls of a read-only tool in one session; return those that end in another way than alone.

    A call that ends differently when it is made alone once more is left out: it proves nothing.
    """
    answers = await make_calls(subject, [Call(tool.name, each.arguments) for each in seen])
    found = []
    for each, answer in zip(seen, answers, strict=True):
        first = each.first("call")
        if first is None or same_answer(first.answer, answer):
            continue
        # the check compares all three: a clock or a random number proves nothing
        (alone,) = await make_calls(subject, [Call(tool.name, each.arguments)])
        steps = (first, ObservedCall("again", answer, None, None), ObservedCall("afresh", alone, None, None))
        found.append(Observation(each.arguments, steps, after_others=True))
    return found


def reads_after(tool: ToolUnderTest, tools: Sequence[ToolUnderTest]) -> list[Read]:
    """Return calls of other tools that may show what a tool has written: examples of read-only ones."""
    rows = [
        [Read(other, each) for each in other.examples if each.error is None][:_MAX_OF_ONE]
        for other in tools
        # The session has the scopes of the tool under test; tools that need others would refuse.
        if other.read_only and other.name != tool.name and set(other.scopes) <= set(tool.scopes)
    ]
    # The first example of each tool, then the second ones: no tool uses up the limit alone.
    return [read for row in zip_longest(*rows) for read in row if read is not None][:_MAX_READS]


async def affected_reads(subject: Subject, write: Call, reads: Sequence[Read]) -> list[Read]:
    """Return the reads that a write changes: they end in another way after it than with fresh data."""
    calls = [read.call for read in reads]
    fresh = await make_calls(subject, calls)
    _, *after = await make_calls(subject, [write, *calls])
    pairs = zip(reads, fresh, after, strict=True)
    return [read for read, one, other in pairs if not same_answer(one, other)]


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A read after a write that ends in another way because the same read was made before the write."""

    read: Read
    expected: CallResult
    actual: CallResult


async def stale_reads(subject: Subject, write: Call, reads: Sequence[Read]) -> list[StaleRead]:
    """Return the reads after a write that depend on whether they were made before it, too: caches."""
    calls = [read.call for read in reads]
    _, *expected = await make_calls(subject, [write, *calls])
    _, *again = await make_calls(subject, [write, *calls])  # what differs here varies by itself
    actual = (await make_calls(subject, [*calls, write, *calls]))[len(calls) + 1 :]
    rows = zip(reads, expected, again, actual, strict=True)
    return [
        StaleRead(read, one, late)
        for read, one, other, late in rows
        if same_answer(one, other) and not same_answer(one, late)
    ]
