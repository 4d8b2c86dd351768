"""Decide whether one schema accepts every JSON value that another accepts.

The narrow schema is contained in the wide one if no value satisfies "narrow and not wide". Such a value is
searched for, and the validators of both schemas confirm it before it is reported.

The question as a search for a witness: Attouche and others, "Witness Generation for JSON Schema", PVLDB
15(13), 2022.
"""

from __future__ import annotations

from typing import Any, Final

from toolgen.proof.containment.documents import Documents, UnreadableError
from toolgen.proof.containment.evaluate import Evaluator
from toolgen.proof.containment.formulas import Formulas, Place
from toolgen.proof.containment.goals import Goal, Knowledge
from toolgen.proof.containment.results import (
    EMPTY,
    Answer,
    Contained,
    Containment,
    Found,
    NotContained,
    Stuck,
    Unanalysed,
)
from toolgen.proof.containment.search import ValueSearch
from toolgen.proof.containment.steps import Tools
from toolgen.proof.containment.translate import Translator
from toolgen.proof.work import COMPARISON_STEPS, BudgetSpentError, WorkBudget
from toolgen.schema.document import Schema, SchemaDocument, count_parts, same_value

_MOST_GUESSES: Final = 6  # values that the validator refuses, before the search is given up
_COST_OF_PART: Final = 4  # of a schema: it is read, and the validator is compiled


def decide_containment(
    narrow: Schema | SchemaDocument | bool,
    wide: Schema | SchemaDocument | bool,
    effort: WorkBudget,
) -> Containment:
    """Return the verdict of `check_containment`."""
    if narrow is False or wide is True:
        return Contained()
    schemas = [each.schema if isinstance(each, SchemaDocument) else each for each in (narrow, wide)]
    try:
        effort.spend(_COST_OF_PART * sum(map(count_parts, schemas)))
        documents = Documents(narrow, wide)
        if documents.has_equal_roots() or _is_equal(*schemas):
            return Contained()
        return _compare(documents, effort)
    except BudgetSpentError:
        return Contained() if _is_equal(*schemas) else Unanalysed(effort.reason)
    except UnreadableError as error:
        return Unanalysed(error.reason, error.place.path, error.place.side)


def _is_equal(narrow: Schema | bool, wide: Schema | bool) -> bool:
    """True if the documents are equal: then what is not analysed does not matter."""
    try:
        return same_value(narrow, wide)
    except RecursionError:
        return False


def _compare(documents: Documents, effort: WorkBudget) -> Containment:
    """Search for a witness."""
    formulas = Formulas(effort)
    translator = Translator(documents, formulas)
    evaluator = Evaluator(formulas, translator)
    tools = Tools(formulas, evaluator, WorkBudget(COMPARISON_STEPS))
    search = ValueSearch(tools, Knowledge(formulas, translator, evaluator))
    goal: Goal = frozenset((translator.schema(documents.narrow), -translator.schema(documents.wide)))
    refused: list[Any] = []  # guesses that are no witness, as the validators say
    reason = Stuck("the validator reads the schemas in another way")
    while True:
        answer: Answer
        try:
            answer = search.find(goal | tools.differs_from(refused))
        except BudgetSpentError:
            answer = Stuck(reason.reason if refused else effort.reason, reason.place)
        if answer is EMPTY:  # so the guesses are all there is
            return Contained()
        if isinstance(answer, Stuck):
            reason = answer
        value = answer.value if isinstance(answer, Found) else answer.guess
        has_value = isinstance(answer, Found) or answer.has_guess()
        if has_value and documents.is_valid["narrow"](value) and not documents.is_valid["wide"](value):
            return NotContained(value)
        refused.append(value)
        if not has_value or isinstance(answer, Found) or len(refused) == _MOST_GUESSES:
            place = reason.place or Place("narrow", ())
            return Unanalysed(reason.reason, place.path, place.side)
