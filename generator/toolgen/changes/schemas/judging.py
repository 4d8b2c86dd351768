"""Judge the edits of a schema: each that breaks has a value of its own that shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import jsonschema_rs

from toolgen.changes.edit_space import Direction, Edit
from toolgen.changes.schemas.document import Document
from toolgen.changes.schemas.edits import SchemaEdit, find_edits
from toolgen.changes.schemas.substitution import Donor, substitute
from toolgen.proof.containment import (
    Contained,
    Containment,
    NotContained,
    Unanalysed,
    WorkBudget,
    check_containment,
)
from toolgen.proof.work import COMPARISON_EFFORT
from toolgen.schema.document import ASSERTED, Draft, Schema, SchemaDocument
from toolgen.schema.keywords import KEYWORDS
from toolgen.schema.validator import compiled

MAX_EDITS: Final = 200
"""Maximum number of edits of one schema that are judged one by one."""

EFFORT: Final = 700_000
"""Work that may be done for that: formulas, values and parts of schemas that are looked at."""

SHARE: Final = 2_000
"""What each comparison of a run may do whatever the others take: enough for most schemas."""

EFFORT_OF_RUN: Final = 1_400_000
"""What all comparisons of a run may do together, beyond the share of each."""

MAX_WITNESSES: Final = 4_000_000
"""Maximum number of characters of the values that show breaks of one schema, as JSON."""

TOO_MANY: Final = Unanalysed("only the first of so many edits are judged one by one")
"""The verdict on the others."""


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """An edit, and whether it breaks. None: it has no influence on which values are accepted."""

    edit: SchemaEdit
    verdict: Containment | None


@dataclass(frozen=True, slots=True)
class JudgedSchemas:
    """Two versions of a schema."""

    whole: Containment  # of all edits together: this decides
    edits: tuple[JudgedEdit, ...]

    @property
    def is_explained(self) -> bool:
        """True if the whole does not break, or an edit by itself does."""
        if isinstance(self.whole, Contained):
            return True
        verdicts = [each.verdict for each in self.edits]
        if isinstance(self.whole, NotContained):
            return any(isinstance(verdict, NotContained) for verdict in verdicts)
        return any(isinstance(verdict, NotContained | Unanalysed) for verdict in verdicts)


def work_of_run() -> WorkBudget:
    """Return what all comparisons of a run may do together."""
    return WorkBudget(EFFORT_OF_RUN)


def work_of_comparison(run: WorkBudget) -> WorkBudget:
    """Return what one comparison of a run may do."""
    return WorkBudget(COMPARISON_EFFORT, run, SHARE)


def judge_schemas(
    old: SchemaDocument, new: SchemaDocument, direction: Direction, run: WorkBudget | None = None
) -> JudgedSchemas:
    """Judge two versions of a schema. `run`: what all comparisons of the run may still do.

    Requests of callers that know the old one must be accepted by the new one; responses, by the new one, must
    be accepted by callers that know the old one. If they are, no edit breaks. If not, each edit is tried by
    itself.
    """
    run = run or work_of_run()
    versions = _Versions(Document(old), Document(new), direction, run)
    edits = [(edit, _can_break(edit, versions.old.draft)) for edit in find_edits(versions.old, versions.new)]
    whole = check_containment(
        versions.narrow.document, versions.wide.document, effort=work_of_comparison(run)
    )
    if isinstance(whole, Unanalysed) and run.is_spent:  # of edits that can break, nothing would be said
        return JudgedSchemas(
            whole, tuple(JudgedEdit(edit, None) for edit, can_break in edits if not can_break)
        )
    suspects = [edit for edit, can_break in edits if can_break]
    if isinstance(whole, Contained) or len(suspects) == 1:  # the verdict on the whole is the one on each
        verdicts: list[Containment] = [whole] * len(suspects)
    else:
        verdicts = versions.judge_each(suspects, whole)
    found = iter(verdicts)
    judged = [JudgedEdit(edit, next(found) if can_break else None) for edit, can_break in edits]
    return JudgedSchemas(whole, tuple(judged))


def _can_break(edit: SchemaEdit, draft: Draft) -> bool:
    """True if the edit may decide which values are accepted: not one of an annotation, or of an order."""
    return edit.keyword in KEYWORDS and edit.edit is not Edit.REORDERED and edit.keyword in ASSERTED[draft]


class _Versions:
    """Two versions of a schema, in one direction."""

    def __init__(self, old: Document, new: Document, direction: Direction, run: WorkBudget) -> None:
        self.old, self.new = old, new
        self.is_request = direction is Direction.REQUEST
        self._effort = WorkBudget(EFFORT, run, SHARE)

    @property
    def narrow(self) -> Document:
        """Return the version that describes the values which are sent."""
        return self.old if self.is_request else self.new

    @property
    def wide(self) -> Document:
        """Return the version that the other side knows."""
        return self.new if self.is_request else self.old

    @cached_property
    def _donor(self) -> Donor:
        return Donor(self.wide)

    def judge_each(self, edits: Sequence[SchemaEdit], whole: Containment) -> list[Containment]:
        """Return a verdict on each edit; `TOO_MANY` where effort, number or witnesses exceed a limit."""
        verdicts: list[Containment] = []
        length = 0
        for number, edit in enumerate(edits):
            is_over = number >= MAX_EDITS or length > MAX_WITNESSES or self._effort.is_spent
            verdict = TOO_MANY if is_over else self.judge(edit, whole)
            if isinstance(verdict, NotContained):
                length += len(json.dumps(verdict.witness))
            elif isinstance(verdict, Unanalysed) and self._effort.is_spent:
                verdict = TOO_MANY
            verdicts.append(verdict)
        return verdicts

    def judge(self, edit: SchemaEdit, whole: Containment) -> Containment:
        """Judge one edit: what is sent, against the same schema with the other version of the edit's place.

        A witness must be refused by the whole other version, too: another edit may make up for this one. Then
        the witness of the whole is tried.
        """
        schema = substitute(edit, base=self.narrow, donor=self._donor, base_is_old=self.is_request)
        if schema is None:
            return Unanalysed("its part of the schema cannot be compared by itself")
        found = check_containment(self.narrow.document, schema, effort=self._effort)
        if not isinstance(found, NotContained):
            return found
        if not self._wide_accepts(found.witness):  # no other edit makes up for this one
            return found
        if isinstance(whole, NotContained) and not _accepts(schema)(whole.witness):
            return whole
        return Unanalysed("other edits make up for it, as far as can be told")

    @cached_property
    def _wide_accepts(self) -> Callable[[Any], bool]:
        return _accepts(self.wide.schema)


def _accepts(schema: Schema) -> Callable[[Any], bool]:
    """Return a function that is true of values that `schema` accepts; of all if it cannot be compiled."""
    try:
        return compiled(schema).is_valid
    except (ValueError, jsonschema_rs.ReferencingError):
        return lambda value: True  # nothing is known: no witness counts as confirmed by this schema
