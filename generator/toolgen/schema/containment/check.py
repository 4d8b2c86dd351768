"""Decide whether one schema contains another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolgen.schema.containment.results import Contained, Containment, Unanalysed
from toolgen.schema.document import Schema, same_value


@dataclass(frozen=True, slots=True)
class ContainmentBudget:
    """Limits of one comparison, as counts: the same input gets the same verdict on every machine."""

    steps: int = 50_000  # goals and branches that are looked at


CONTAINMENT_BUDGET: Final = ContainmentBudget()


def check_containment(
    narrow: Schema | bool, wide: Schema | bool, *, budget: ContainmentBudget = CONTAINMENT_BUDGET
) -> Containment:
    """Decide whether `wide` accepts every JSON value that `narrow` accepts.

    Both are whole documents: no reference leaves them. `$schema` names their draft, 2020-12 without one.
    """
    if same_value(narrow, wide) or narrow is False or wide is True:
        return Contained()
    if budget.steps < 1:
        return Unanalysed("the schemas are too complex to compare")
    return Unanalysed("these schemas are not compared yet")
