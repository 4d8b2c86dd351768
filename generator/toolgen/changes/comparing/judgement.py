"""Judge what changed between another version and the project: what `toolgen breaking` finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from toolgen.changes.breaking_policy import read_policy
from toolgen.changes.comparing.sides import read_sides
from toolgen.changes.comparison import compare
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.policy import failing


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings of a comparison."""

    findings: tuple[Finding, ...]
    failed: tuple[Finding, ...]  # those for which the comparison fails
    level: Level  # from which it fails
    notes: tuple[str, ...]  # sentences for the user
    texts: Mapping[str, bytes | str]  # file of a finding → its content

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Return the findings without safe changes, unless these fail, too."""
        least = self.level if self.level is Level.INFO else Level.WARNING
        return tuple(each for each in self.findings if each.level.reaches(least))


def judge(
    against: str,
    start: str,
    *,
    today: date,
    categories: frozenset[Category],
    level: str | None = None,
    allow_unanalysed: bool = False,
) -> Judgement:
    """Return the findings in some categories about the project at `start`, compared with `against`.

    `today` decides about sunsets and expired entries. Raises `SpecErrors` and `UnableError`.
    """
    policy = read_policy(start)
    sides = read_sides(against, start)
    found = compare(sides.old, sides.new, policy=policy, today=today)
    findings = tuple(each for each in found if each.category in categories)
    least = Level(level) if level else policy.level
    failed = tuple(failing(findings, least, categories, allow_unanalysed=allow_unanalysed))
    texts = {**sides.old.texts, **sides.new.texts, **policy.texts}
    return Judgement(findings, failed, least, sides.notes, texts)
