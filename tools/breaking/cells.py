"""The cells of the edit space: every edit of every keyword, in both directions."""

from __future__ import annotations

from dataclasses import dataclass

from toolgen.changes.edit_space import OTHER_KEYWORD, Direction, Edit, edits_of
from toolgen.schema.document import Draft
from toolgen.schema.keywords import DRAFT_7_ONLY, DRAFT_2020_12_ONLY, KEYWORDS


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of schema edit: what happens to which keyword, in which direction."""

    keyword: str
    edit: Edit
    direction: Direction

    def __str__(self) -> str:
        return f"{self.keyword} {self.edit.value} ({self.direction.value})"


def cells() -> tuple[Cell, ...]:
    """Return the whole space, in a fixed order."""
    return tuple(
        Cell(keyword, edit, direction)
        for keyword in (*sorted(KEYWORDS), OTHER_KEYWORD)
        for edit in edits_of(keyword)
        for direction in Direction
    )


def drafts_of_keyword(keyword: str) -> frozenset[Draft]:
    """Return the drafts that define `keyword`. (References into `$defs` are followed in draft-07, too.)"""
    if keyword in DRAFT_7_ONLY:
        return frozenset({Draft.DRAFT_7})
    return frozenset({Draft.DRAFT_2020_12} if keyword in DRAFT_2020_12_ONLY else Draft)
