"""Observe calls: what a tool answers to one request in several ways, and the state after each answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, zip_longest
from typing import Any, Final, Literal

from toolgen.schema.document import JsonObject, same_value
from toolgen.testing.json_diff import as_json
from toolgen.testing.subject import FAULTS, NO_STATE, Call, CallResult, Session, Subject
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

StepKind = Literal[
    "refused",
    "nobody",
    "preview",
    "call",
    "again",
    "outdated",
    "concurrent",
    "cancelled",
    "unshown",
]
"""The kinds of calls: one that the user refused, one where nobody could be asked, a preview, the call itself,
the same call once more, one of which the user approved another preview, one of
several at once, one that was cancelled, one that does something else than another with the same question."""


@dataclass(frozen=True, slots=True)
class ObservedCall:
    """One answer, and the states before and after it."""

    kind: StepKind
    answer: CallResult
    before: Any
    after: Any

    @property
    def changed(self) -> bool:
        """True if the state after it is known, and another than before."""
        return self.after is not NO_STATE and self.before != self.after


@dataclass(frozen=True, slots=True)
class End:
    """A way in which some calls may end: those that succeeded, and the state."""

    done: frozenset[int]
    state: Any


@dataclass(frozen=True, slots=True)
class Observation:
    """All that was seen of one request, step by step in one session."""

    arguments: JsonObject
    steps: tuple[ObservedCall, ...]
    expected: ExpectedCall | None = None  # of an example
    variant: str = ""  # how the request differs from the example's, for messages
    neighbour: Neighbour | None = None  # the recorded call that was repeated
    after_others: bool = False  # other calls were made between "call" and "again"
    repeats: bool = True  # the call ends in the same way each time, if nothing disturbs it
    ends: tuple[End, ...] = ()  # of concurrent and cancelled calls: how undisturbed ones end

    def all(self, *kinds: StepKind) -> Iterator[ObservedCall]:
        """Yield the steps of these kinds."""
        return (step for step in self.steps if step.kind in kinds)

    def first(self, kind: StepKind) -> ObservedCall | None:
        """Return the first step of a kind; None if there is none."""
        return next(self.all(kind), None)


async def observe(
    subject: Subject,
    tool: ToolUnderTest,
    arguments: JsonObject,
    *,
    expected: ExpectedCall | None = None,
    variant: str = "",
    neighbour: Neighbour | None = None,
) -> Observation:
    """Make one request in every way in a session of its own: without consent first, then with it, twice.

    `expected`, `variant` and `neighbour` say where the request is from, as in an `Observation`.
    """
    call = Call(tool.name, arguments)
    async with subject.session() as session:
        steps = _Steps(session)
        # Before the call with consent, after which the same call may be refused for another reason.
        asks = tool.confirms and not tool.only_previews(arguments)
        if asks:
            await steps.call("refused", Call(tool.name, arguments, "refused"))
            # With `on_unsupported: allow`, a call acts although nobody can be asked.
            if not tool.may_skip_question:
                await steps.call("nobody", Call(tool.name, arguments, "nobody"))
        if tool.previews:
            steps.add("preview", await session.preview(call))
            if tool.needs_people and asks:
                steps.add("preview", await session.preview(call))
        await steps.call("call", call)
        # Only the state shows whether a write is idempotent: its second answer may be another one.
        if tool.read_only or (tool.idempotent and subject.has_state):
            await steps.call("again", call)
    made = steps.made
    repeats = True
    if tool.read_only and not same_answer(made[-2].answer, made[-1].answer):
        repeats = await _repeats(subject, call, made[-2].answer, expected)
    if tool.previews and asks and subject.has_fresh_data and expected is not None and not variant:
        # As if the user had approved another preview.
        async with subject.session() as session:
            steps = _Steps(session)
            await steps.call("outdated", replace(call, consent="outdated"))
        made += steps.made
    return Observation(arguments, tuple(made), expected, variant, neighbour, repeats=repeats)


def same_answer(first: CallResult, second: CallResult) -> bool:
    """True if two calls ended in the same way for a model: the same content, or the same error."""
    return first.error == second.error and same_value(as_json(first.content), as_json(second.content))


async def _repeats(subject: Subject, call: Call, answer: CallResult, expected: ExpectedCall | None) -> bool:
    """True if a call ends as before when it is made alone: a clock or a random number proves nothing.

    An example may say so; else the same data shows it.
    """
    if expected is not None and (expected.has_output or expected.error is not None):
        return True
    if not subject.has_fresh_data:
        return False
    (alone,) = await make_calls(subject, [call])
    return same_answer(answer, alone)


async def observe_ends(subject: Subject, calls: Sequence[Call]) -> tuple[End, ...]:
    """Make calls one after the other, in every order; return the ends after none, some and all of them.

    Returns none if a call fails against its contract: it fails alone, and says nothing about other calls.
    """
    found = []
    for order in permutations(range(len(calls))):
        done: frozenset[int] = frozenset()
        async with subject.session() as session:
            found.append(End(done, session.state()))
            for index in order:
                answer = await session.call(calls[index])
                if answer.error in FAULTS:
                    return ()
                done |= {index} if answer.error is None else set()
                found.append(End(done, session.state()))
    return tuple(found)


async def observe_concurrent(subject: Subject, calls: Sequence[Call], ends: tuple[End, ...]) -> Observation:
    """Make calls at once."""
    async with subject.session() as session:
        before = session.state()
        answers = await session.concurrent_calls(calls)
        after = session.state()
    steps = tuple(ObservedCall("concurrent", answer, before, after) for answer in answers)
    return Observation(calls[0].arguments, steps, ends=ends)


async def observe_cancelled(subject: Subject, call: Call, turns: int, ends: tuple[End, ...]) -> Observation:
    """Cancel a call after some turns of the event loop; observe the state that it leaves."""
    async with subject.session() as session:
        before = session.state()
        cancelled = await session.cancelled_call(call, turns)
        answer = CallResult(error="cancelled" if cancelled else None)
        step = ObservedCall("cancelled", answer, before, session.state())
    return Observation(call.arguments, (step,), ends=ends)


class _Steps:
    """The steps of a session so far. The state before a step is that after the one before."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._state = session.state()
        self.made: list[ObservedCall] = []

    async def call(self, kind: StepKind, call: Call) -> None:
        """Make a call, and add its step."""
        self.add(kind, await self._session.call(call))

    def add(self, kind: StepKind, answer: CallResult | None) -> None:
        """Add the step of an answer; nothing if there is none."""
        if answer is not None:
            state = self._session.state()
            self.made.append(ObservedCall(kind, answer, self._state, state))
            self._state = state


_MAX_READS: Final = 10  # calls of other tools after a write
_MAX_OF_ONE: Final = 3  # examples of one of them


async def make_calls(subject: Subject, calls: Sequence[Call]) -> list[CallResult]:
    """Make calls one after another in one session; return their answers."""
    async with subject.session() as session:
        return [await session.call(call) for call in calls]


async def find_dependent(
    subject: Subject, tool: ToolUnderTest, seen: Sequence[Observation]
) -> list[Observation]:
    """Repeat calls of a read-only tool in one session; return those that end in another way than alone."""
    calls = [Call(tool.name, each.arguments) for each in seen]
    found = []
    for each, call, answer in zip(seen, calls, await make_calls(subject, calls), strict=True):
        first = each.first("call")
        if first is not None and not same_answer(first.answer, answer):
            again = ObservedCall("again", answer, NO_STATE, NO_STATE)
            repeats = await _repeats(subject, call, first.answer, each.expected)
            found.append(replace(each, steps=(first, again), after_others=True, repeats=repeats))
    return found


def reads_after(tool: ToolUnderTest, tools: Iterable[ToolUnderTest]) -> list[Call]:
    """Return calls of other tools that may show what a tool has written: examples of read-only ones."""
    rows = [
        [Call(other.name, each.arguments) for each in other.examples if each.error is None][:_MAX_OF_ONE]
        for other in tools
        # The session has the scopes of the tool under test; tools that need others would refuse.
        if other.read_only and other.name != tool.name and set(other.scopes) <= set(tool.scopes)
    ]
    # The first example of each tool, then the second ones: no tool uses up the limit alone.
    return [call for row in zip_longest(*rows) for call in row if call is not None][:_MAX_READS]


@dataclass(frozen=True, slots=True)
class StaleRead:
    """A read after a write that ends in another way because the same read was made before the write."""

    read: Call
    expected: CallResult
    actual: CallResult


async def find_stale_read(subject: Subject, write: Call, reads: Sequence[Call]) -> StaleRead | None:
    """Return a read after a write that depends on whether it was made before it, too: from a cache."""
    _, *expected = await make_calls(subject, [write, *reads])
    _, *again = await make_calls(subject, [write, *reads])  # what differs here varies by itself
    actual = (await make_calls(subject, [*reads, write, *reads]))[len(reads) + 1 :]
    for read, one, other, late in zip(reads, expected, again, actual, strict=True):
        # One is enough: a cache that no write empties makes every read stale.
        if same_answer(one, other) and not same_answer(one, late):
            return StaleRead(read, one, late)
    return None
