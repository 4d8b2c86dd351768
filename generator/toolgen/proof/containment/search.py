"""Search for a value that satisfies a goal.

A goal is taken apart until constraints of one type remain; for these, the modules `scalars`, `arrays` and
`objects` construct a value, whose parts are goals again. The searches are generators, and `yield goal` asks
for a value that satisfies it: no depth of values or schemas exhausts Python's stack.

A goal that is asked for below itself counts as having no value: a smallest value that satisfies a goal has
no part that satisfies it, too. An answer that follows from this is remembered only as long as it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.arrays import find_array
from toolgen.proof.containment.evaluate import MOST_LEVELS, UndecidedError
from toolgen.proof.containment.formulas import Formula
from toolgen.proof.containment.goals import Goal, Knowledge, Option, State
from toolgen.proof.containment.objects import find_object
from toolgen.proof.containment.results import EMPTY, Answer, Found, Stuck
from toolgen.proof.containment.scalars import find_scalar
from toolgen.proof.containment.steps import Search, Tools

_MOST_CHARACTERS: Final = 2_000_000  # of a value as JSON, about


@dataclass(slots=True)
class _Frame:
    """A goal in progress."""

    goal: Goal
    search: Search
    relies_on: int  # the lowest frame whose goal was taken to have no value
    provisional: list[Goal] = field(default_factory=list)  # EMPTY as long as this frame's goal has no value


# Tabling: Chen and Warren, "Tabled Evaluation with Delaying for General Logic Programs", J. ACM 43(1), 1996.
class ValueSearch:
    """Searches for values; answers are remembered by goal."""

    def __init__(self, tools: Tools, knowledge: Knowledge) -> None:
        self._tools = tools
        self._knowledge = knowledge
        self._answers: dict[Goal, Answer] = {}
        self._relies_on: dict[Goal, int] = {}  # of the provisional answers: the frame
        self._frames: list[_Frame] = []
        self._in_progress: dict[Goal, int] = {}
        self._sizes: dict[int, tuple[Any, int]] = {}  # of arrays and objects by `id`, which they keep in use

    def find(self, goal: Goal) -> Answer:
        """Return a value that satisfies `goal`. Raises `BudgetSpentError`."""
        self._push(goal)
        answer: Answer | None = None
        while True:
            frame = self._frames[-1]
            try:
                asked = frame.search.send(answer) if answer is not None else next(frame.search)
            except StopIteration as done:
                answer = self._pop(done.value)
                if not self._frames:
                    return answer
                continue
            answer = self._answer_at_once(asked)
            if answer is None:
                self._push(asked)

    def _push(self, goal: Goal) -> None:
        self._tools.steps.spend()
        depth = len(self._frames)
        self._in_progress[goal] = depth
        self._frames.append(_Frame(goal, self._search(goal), relies_on=depth))

    def _answer_at_once(self, goal: Goal) -> Answer | None:
        frame = self._frames[-1]
        if (answer := self._answers.get(goal)) is not None:
            frame.relies_on = min(frame.relies_on, self._relies_on.get(goal, frame.relies_on))
            return answer
        if (depth := self._in_progress.get(goal)) is not None:
            frame.relies_on = min(frame.relies_on, depth)
            return EMPTY
        if len(self._frames) > MOST_LEVELS:
            return Stuck("values are nested too deeply")
        return None

    def _pop(self, answer: Answer) -> Answer:
        frame = self._frames.pop()
        depth = len(self._frames)
        del self._in_progress[frame.goal]
        if answer is not EMPTY:
            for goal in frame.provisional:
                del self._answers[goal], self._relies_on[goal]
        elif frame.relies_on < depth:
            owner = self._frames[frame.relies_on]
            for goal in (*frame.provisional, frame.goal):
                self._relies_on[goal] = frame.relies_on
                owner.provisional.append(goal)
        else:
            for goal in frame.provisional:
                del self._relies_on[goal]
        self._answers[frame.goal] = answer
        if self._frames and answer is EMPTY:
            below = self._frames[-1]
            below.relies_on = min(below.relies_on, frame.relies_on)
        return answer

    # One goal

    def _search(self, goal: Goal) -> Search:
        stuck: Stuck | None = None
        for type_ in kinds.TYPES:
            state = State()
            if not self._knowledge.assume(state, sorted(goal, key=abs), type_):
                continue
            answer = yield from self._search_branches(state, type_)
            if isinstance(answer, Found):
                return answer
            stuck = _better(stuck, answer)
        return stuck or EMPTY

    def _search_branches(self, state: State, type_: str) -> Search:
        """Search for a value of one type.

        At first, a value is constructed without regard to choices. If it happens to satisfy them, or if there
        is none, they do not matter; else the choices are made that it violates, one by one.
        """
        stuck: Stuck | None = None
        stack: list[tuple[State, Option]] = [(state, ())]  # a state is copied when its turn comes
        while stack:
            before, option = stack.pop()
            state = self._copy(before)
            if not self._knowledge.assume(state, option, type_):
                continue
            self._tools.steps.spend()
            options = self._narrow(state, type_)
            if options is None:
                continue
            answer = self._bounded((yield from self._construct(state, type_)))
            if answer is EMPTY:
                continue
            violated = list(options)
            if isinstance(answer, Found):
                violated = [choice for choice in options if not self._is_satisfied(choice, answer.value)]
                if not violated:
                    return answer
            elif not violated:
                stuck = _better(stuck, answer)
                continue
            # Few ways first: Haralick and Elliott, "Increasing Tree Search Efficiency for Constraint
            # Satisfaction Problems", Artificial Intelligence 14(3), 1980.
            sizes = {choice: len(options[choice]) for choice in violated}
            choice = min(sizes, key=sizes.__getitem__)
            del state.choices[choice]
            stack += [(state, option) for option in reversed(options[choice])]
        return stuck or EMPTY

    def _copy(self, state: State) -> State:
        self._tools.formulas.effort.spend(len(state.constraints) + len(state.facts))
        return state.copy()

    def _bounded(self, answer: Answer) -> Answer:
        """Return `answer`, or that its value is too large: parts that are used twice count twice."""
        value = answer.value if isinstance(answer, Found) else None
        if isinstance(answer, Stuck) and answer.has_guess():
            value = answer.guess
        if self._size(value) <= _MOST_CHARACTERS:
            return answer
        return Stuck("a value that shows it would be too large")

    def _size(self, value: Any) -> int:
        if isinstance(value, str):
            return len(value) + 2
        if isinstance(value, int):
            return value.bit_length() // 3 + 1
        if not isinstance(value, dict | list):
            return 8
        if id(value) not in self._sizes:
            parts = value.values() if isinstance(value, dict) else value
            size = 2 + len(value) + sum(map(self._size, parts))
            self._sizes[id(value)] = (value, size + sum(map(len, value)) if isinstance(value, dict) else size)
        return self._sizes[id(value)][1]

    def _is_satisfied(self, choice: Formula, value: Any) -> bool:
        try:
            return self._tools.evaluator.holds(choice, value)
        except UndecidedError:
            return False

    def _narrow(self, state: State, type_: str) -> dict[Formula, list[Option]] | None:
        """Draw conclusions, and return the options of the choices that are left; None for a contradiction."""
        while True:
            left: dict[Formula, list[Option]] = {}
            has_changed = False
            for choice in list(state.choices):
                self._tools.steps.spend()
                options = self._knowledge.options(state, choice, type_)
                if options is None:
                    del state.choices[choice]
                # Unit propagation: Davis, Logemann and Loveland, "A Machine Program for Theorem-Proving",
                # Comm. ACM 5(7), 1962.
                elif len(options) < 2:
                    del state.choices[choice]
                    if not options or not self._knowledge.assume(state, options[0], type_):
                        return None
                    has_changed = True
                else:
                    left[choice] = options
            if not has_changed:
                return left

    def _construct(self, state: State, type_: str) -> Search:
        opaque = [one for one in state.constraints if self._is_opaque(one)]
        constraints = [one for one in state.constraints if not self._is_opaque(one)]
        if type_ == "array":
            answer = yield from find_array(constraints, self._tools)
        elif type_ == "object":
            answer = yield from find_object(constraints, self._tools)
        else:
            answer = find_scalar(type_, constraints, self._tools, values=state.values)
        if opaque and answer is not EMPTY:
            node = self._tools.formulas.node(opaque[0])
            assert isinstance(node, kinds.Opaque)
            guess = answer.value if isinstance(answer, Found) else answer.guess
            return Stuck(node.reason, self._tools.formulas.place(opaque[0]), guess)
        return answer

    def _is_opaque(self, constraint: Formula) -> bool:
        return isinstance(self._tools.formulas.node(constraint), kinds.Opaque)


def _better(stuck: Stuck | None, answer: Answer) -> Stuck | None:
    """Return the answer that says more: one with a guess, else the first."""
    if not isinstance(answer, Stuck):
        return stuck
    return answer if stuck is None or (answer.has_guess() and not stuck.has_guess()) else stuck
