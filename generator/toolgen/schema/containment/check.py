"""Decide whether one schema accepts every JSON value that another accepts.

The narrow schema is contained in the wide one if no value satisfies "narrow and not wide". Such a value is
searched for, and the validators of both schemas confirm it before it is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from toolgen.schema.containment.documents import Documents, UnreadableError
from toolgen.schema.containment.evaluate import Evaluator
from toolgen.schema.containment.formulas import BudgetSpentError, Effort, Formulas, Place
from toolgen.schema.containment.goals import Goal, Knowledge
from toolgen.schema.containment.results import EMPTY, Contained, Containment, Found, NotContained, Unanalysed
from toolgen.schema.containment.search import ValueSearch
from toolgen.schema.containment.steps import Answer, Steps, Stuck, Tools
from toolgen.schema.containment.translate import Translator
from toolgen.schema.document import Schema, count_parts, same_value

_MOST_GUESSES: Final = 6
_COST_OF_PART: Final = 4  # of a schema: it is read, and the validator is compiled
_TOO_COMPLEX: Final = "the schemas are too complex to compare"


@dataclass(frozen=True, slots=True)
class ContainmentBudget:
    """Limits of one comparison, as counts: the same input gets the same verdict on every machine."""

    steps: int = 20_000  # goals, branches and parts of values that are looked at
    effort: int = 700_000  # parts of the schemas, and formulas that are looked at


CONTAINMENT_BUDGET: Final = ContainmentBudget()


def check_containment(
    narrow: Schema | bool,
    wide: Schema | bool,
    *,
    budget: ContainmentBudget = CONTAINMENT_BUDGET,
    effort: Effort | None = None,
) -> Containment:
    """Decide whether `wide` accepts every JSON value that `narrow` accepts.

    Both are whole documents: no reference leaves them. `$schema` names their draft, 2020-12 without one.
    Several comparisons may have one `effort` together.
    """
    if narrow is False or wide is True:
        return Contained()
    effort = effort or Effort(budget.effort)
    try:
        effort.spend(_COST_OF_PART * (count_parts(narrow) + count_parts(wide)))
        documents = Documents(narrow, wide)
        if documents.has_equal_roots() or _is_equal(narrow, wide):
            return Contained()
        return _Comparison(documents, budget, effort).decide()
    except BudgetSpentError:
        return Contained() if _is_equal(narrow, wide) else Unanalysed(_TOO_COMPLEX)
    except UnreadableError as error:
        return Unanalysed(error.reason, error.place.path, error.place.side)


def _is_equal(narrow: Schema | bool, wide: Schema | bool) -> bool:
    """True if the documents are equal: then what is not analysed does not matter."""
    try:
        return same_value(narrow, wide)
    except RecursionError:
        return False


class _Comparison:
    """Compares two schemas."""

    def __init__(self, documents: Documents, budget: ContainmentBudget, effort: Effort) -> None:
        self._is_valid = documents.is_valid
        formulas = Formulas(effort)
        translator = Translator(documents, formulas)
        evaluator = Evaluator(formulas, translator)
        self._tools = Tools(formulas, evaluator, Steps(budget.steps))
        self._search = ValueSearch(self._tools, Knowledge(formulas, translator, evaluator))
        self._goal: Goal = frozenset(
            (translator.schema(documents.narrow), -translator.schema(documents.wide))
        )

    def decide(self) -> Containment:
        """Return the verdict."""
        refused: list[Any] = []  # guesses that are no witness, as the validators say
        reason = Stuck("the validator reads the schemas in another way")
        while True:
            answer = self._find(refused, reason)
            if answer is EMPTY:  # so the guesses are all there is
                return Contained()
            if isinstance(answer, Stuck):
                reason = answer
            value = answer.value if isinstance(answer, Found) else answer.guess
            has_value = isinstance(answer, Found) or answer.has_guess()
            if has_value and self._is_valid["narrow"](value) and not self._is_valid["wide"](value):
                return NotContained(value)
            refused.append(value)
            if not has_value or isinstance(answer, Found) or len(refused) == _MOST_GUESSES:
                place = reason.place or Place("narrow", ())
                return Unanalysed(reason.reason, place.path, place.side)

    def _find(self, refused: list[Any], reason: Stuck) -> Answer:
        try:
            return self._search.find(self._goal | self._tools.differs_from(refused))
        except BudgetSpentError:
            return Stuck(reason.reason if refused else _TOO_COMPLEX, reason.place)
