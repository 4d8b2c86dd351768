"""Find null, a boolean, a number or a text that satisfies constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.evaluate import UndecidedError
from toolgen.proof.containment.formulas import Formula
from toolgen.proof.containment.numbers import NumberConstraints, exact_number, find_number
from toolgen.proof.containment.results import EMPTY, Answer, Found, Search, Stuck
from toolgen.proof.containment.steps import Tools
from toolgen.proof.containment.strings import StringConstraints, find_string
from toolgen.schema.document import Draft

_DRAFT: Final = Draft.DRAFT_2020_12  # formats that both drafts assert are read alike
_COST_OF_PATTERN: Final = 1_000  # in a search for texts, where looking at a formula costs one


def find_scalar(
    type_: str, constraints: Sequence[Formula], tools: Tools, *, values: frozenset[Any] | None = None
) -> Answer:
    """Find a value of `type_` that satisfies `constraints`, one of `values` (keys) if they are given."""
    if values is not None:
        keys = sorted(values, key=tools.formulas.position)
        return _first_that_holds((tools.formulas.values[key] for key in keys), constraints, tools)
    if type_ == "null":
        return _first_that_holds((None,), constraints, tools)
    if type_ == "boolean":
        return _first_that_holds((True, False), constraints, tools)
    find = _find_number if type_ == "number" else _find_text
    return find(constraints, tools)


def _first_that_holds(
    values: Iterable[Any], constraints: Sequence[Formula], tools: Tools, *, otherwise: Answer = EMPTY
) -> Answer:
    """Return the first of `values` that satisfies `constraints`, else `otherwise`."""
    answer = otherwise
    for value in values:
        tools.steps.spend()
        tools.formulas.effort.spend(len(constraints))
        undecided = None
        for constraint in constraints:
            try:
                if not tools.evaluator.holds(constraint, value):
                    break
            except UndecidedError:
                undecided = constraint
        else:
            if undecided is None:
                return Found(value)
            if not (isinstance(answer, Stuck) and answer.has_guess()):
                answer = stuck_at(undecided, tools, value)
    return answer


def stuck_at(constraint: Formula, tools: Tools, guess: Any) -> Stuck:
    """Return the answer that `constraint` is not analysed, but `guess` may satisfy it."""
    node = tools.formulas.node(constraint)
    reason = node.reason if isinstance(node, kinds.Opaque) else "the validator refuses a keyword"
    return Stuck(reason, tools.formulas.place(constraint), guess)


def _find_number(constraints: Sequence[Formula], tools: Tools) -> Answer:
    limits = NumberConstraints()
    for constraint in constraints:
        holds = constraint > 0
        match tools.formulas.node(constraint):
            case kinds.AtLeast(limit, inclusive) if holds:
                limits = limits.with_lower(exact_number(limit), inclusive=inclusive)
            case kinds.AtLeast(limit, inclusive):
                limits = limits.with_upper(exact_number(limit), inclusive=not inclusive)
            case kinds.MultipleOf(divisor) if holds:
                limits = replace(limits, multiples=(*limits.multiples, exact_number(divisor)))
            case kinds.MultipleOf(divisor):
                limits = replace(limits, not_multiples=(*limits.not_multiples, exact_number(divisor)))
            case kinds.Whole() if limits.integer in (None, holds):
                limits = replace(limits, integer=holds)
            case kinds.Whole():
                return EMPTY
            case kinds.Values(keys):
                excluded = frozenset(exact_number(key) for key in keys)
                limits = replace(limits, excluded=limits.excluded | excluded)
            case node:
                raise AssertionError(node)
    return _confirmed(find_number(limits), constraints, tools)


def _find_text(constraints: Sequence[Formula], tools: Tools) -> Answer:
    limits = StringConstraints()
    for constraint in constraints:
        holds = constraint > 0
        match tools.formulas.node(constraint):
            case kinds.LengthAtLeast(count) if holds:
                limits = replace(limits, least=max(limits.least, count))
            case kinds.LengthAtLeast(count):
                most = count - 1 if limits.most is None else min(limits.most, count - 1)
                limits = replace(limits, most=most)
            case kinds.Pattern(pattern) if holds:
                limits = replace(limits, patterns=(*limits.patterns, pattern))
            case kinds.Pattern(pattern):
                limits = replace(limits, not_patterns=(*limits.not_patterns, pattern))
            case kinds.HasFormat(format_) if holds:
                limits = replace(limits, formats=(*limits.formats, format_))
            case kinds.HasFormat(format_):
                limits = replace(limits, not_formats=(*limits.not_formats, format_))
            case kinds.Values(keys):
                limits = replace(limits, excluded=limits.excluded | keys)
            case node:
                raise AssertionError(node)
    if limits.most is not None and limits.least > limits.most:
        return EMPTY
    patterns = (*limits.patterns, *limits.not_patterns, *limits.formats, *limits.not_formats)
    tools.formulas.effort.spend(len(limits.excluded) + _COST_OF_PATTERN * len(patterns))
    return _confirmed(find_string(limits, draft=_DRAFT), constraints, tools)


def _confirmed(found: Search[Any], constraints: Sequence[Formula], tools: Tools) -> Answer:
    """Return what was found, with the keyword that stopped the search, or that the validator refuses."""
    if found is EMPTY:
        return EMPTY
    if isinstance(found, Stuck):
        places = (tools.formulas.place(constraint) for constraint in constraints)
        return replace(found, place=next((place for place in places if place is not None), None))
    otherwise = Stuck("the validator reads a number or text in another way")
    return _first_that_holds((found.value,), constraints, tools, otherwise=otherwise)
