"""Shared by the parts of the search: answers, the protocol of questions, and the count of steps."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from toolgen.proof.containment.evaluate import Evaluator
from toolgen.proof.containment.formulas import Formula, Formulas
from toolgen.proof.containment.goals import Goal
from toolgen.proof.containment.results import EMPTY, Answer, Empty, Found, Stuck
from toolgen.proof.work import WorkBudget

Search = Generator[Goal, Answer, Answer]
"""A search that asks for values of other goals."""


@dataclass(frozen=True, slots=True)
class Tools:
    """The context of the searches for values of each type."""

    formulas: Formulas
    evaluator: Evaluator
    steps: WorkBudget

    def differs_from(self, values: list[Any]) -> frozenset[Formula]:
        """Return the formulas that a value equals none of `values`."""
        return frozenset(-self.formulas.constant(value) for value in values)


@dataclass(slots=True)
class Several:
    """Different values that satisfy one goal."""

    values: list[Any] = field(default_factory=list)
    rest: Answer = EMPTY  # why there are not more; `Found` if nobody asked


def find_several(
    goal: Goal, count: int, tools: Tools, *, found: Several | None = None
) -> Generator[Goal, Answer, Several]:
    """Find up to `count` different values that satisfy `goal`, in addition to those in `found`."""
    found = found or Several()
    found.rest = Found(None)
    while len(found.values) < count:
        tools.steps.spend()
        answer = yield goal | tools.differs_from(found.values)
        if not isinstance(answer, Found):
            found.rest = answer
            break
        found.values.append(answer.value)
    return found


@dataclass(slots=True)
class Attempt:
    """One attempt to construct a value from parts. Undecided parts count as absent, but are noted."""

    guessing: bool  # parts may be guesses
    stuck: Stuck | None = None
    saw_guess: bool = False

    def ask(self, goal: Goal) -> Generator[Goal, Answer, Found[Any] | Empty]:
        """Ask for a value of `goal`."""
        answer = yield goal
        return self.note(answer)

    def note(self, answer: Answer) -> Found[Any] | Empty:
        """Return `answer`, or what it comes to in this attempt."""
        if not isinstance(answer, Stuck):
            return answer
        self.stuck = self.stuck or answer
        self.saw_guess |= answer.has_guess()
        return Found(answer.guess) if self.guessing and answer.has_guess() else EMPTY

    def conclude(self, answer: Found[Any] | Empty) -> Answer:
        """Return the answer of the attempt."""
        if self.stuck is None or (isinstance(answer, Found) and not self.guessing):
            return answer
        if isinstance(answer, Found):
            return Stuck(self.stuck.reason, self.stuck.place, answer.value)
        return Stuck(self.stuck.reason, self.stuck.place)


Construction = Generator[Goal, Answer, Found[Any] | Empty]


def attempt_twice(construct: Callable[[Attempt], Construction]) -> Search:
    """Construct a value, with guesses for its parts only if there is no other way."""
    attempt = Attempt(guessing=False)
    answer = attempt.conclude((yield from construct(attempt)))
    if isinstance(answer, Stuck) and attempt.saw_guess:
        attempt = Attempt(guessing=True)
        answer = attempt.conclude((yield from construct(attempt)))
    return answer
