"""Decide whether one schema accepts every JSON value that another accepts."""

from __future__ import annotations

from toolgen.proof.containment.results import Contained, Containment, NotContained, Unanalysed
from toolgen.proof.work import COMPARISON_EFFORT, WorkBudget
from toolgen.schema.document import Schema, SchemaDocument

__all__ = ["Contained", "Containment", "NotContained", "Unanalysed", "WorkBudget", "check_containment"]


def check_containment(
    narrow: Schema | SchemaDocument | bool,
    wide: Schema | SchemaDocument | bool,
    *,
    effort: WorkBudget | None = None,
) -> Containment:
    """Decide whether `wide` accepts every JSON value that `narrow` accepts.

    Both are whole documents: no reference leaves them. `$schema` names their draft, 2020-12 without one.
    Several comparisons may have one `effort` together.
    """
    # Here, for lint rules name this function in every process, and most specs never need it.
    from toolgen.proof.containment.verdict import decide_containment

    return decide_containment(narrow, wide, effort or WorkBudget(COMPARISON_EFFORT))
