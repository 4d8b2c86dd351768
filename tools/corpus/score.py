"""Counts of a corpus run, and their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """How many of how many succeeded, and each failure."""

    tried: int = 0
    held: int = 0
    misses: list[str] = field(default_factory=list)

    def note(self, what: str, problem: str | None) -> None:
        """Count one attempt; `problem` says why it failed."""
        self.tried += 1
        if problem is None:
            self.held += 1
        else:
            self.misses.append(f"{what}: {problem}")

    def __str__(self) -> str:
        if not self.tried:
            return "-"
        share = "100 %" if self.held == self.tried else f"{100 * self.held / self.tried:.2f} %"
        return f"{self.held:,} of {self.tried:,} ({share})"


MEASURES = (
    "imported",
    "published identical",
    "valid accepted",
    "invalid refused",
    "right path",
    "values unchanged",
    "validators agree",
)


@dataclass(slots=True)
class Score:
    """One corpus: its measures, and the losses that the importer reported."""

    corpus: str
    tools: int = 0
    notes: int = 0  # repairs and mapped names
    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in MEASURES})
    refused: dict[str, list[str]] = field(default_factory=dict)  # code → schemas that toolgen refuses

    # reason why the validators differ → locations
    differing: dict[str, list[str]] = field(default_factory=dict)

    def __getitem__(self, measure: str) -> Tally:
        return self.tallies[measure]

    def refuse(self, what: str, code: str) -> None:
        """Record a schema that toolgen refuses, by the code of its diagnostic. That is not a difference."""
        self.refused.setdefault(code, []).append(what)

    def differ(self, reason: str, where: str) -> None:
        """Record that two validators differ on a value, and the `reason` if it is known."""
        if reason:
            self.differing.setdefault(reason, []).append(where)

    @property
    def misses(self) -> list[str]:
        return [f"{name}: {miss}" for name, tally in self.tallies.items() for miss in tally.misses]


def table(scores: Iterable[Score]) -> str:
    """Return a table with a row for each corpus."""
    rows: list[Sequence[str]] = [("corpus", "tools", *MEASURES), ("---",) * (2 + len(MEASURES))]
    rows += [(s.corpus, f"{s.tools:,}", *_cells(s)) for s in scores]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _cells(score: Score) -> Iterable[str]:
    refused = sum(map(len, score.refused.values()))
    explained = sum(map(len, score.differing.values()))
    for name in MEASURES:
        notes = f", {refused} refused" if name == "imported" and refused else ""
        notes = f", {explained} explained" if name == "validators agree" and explained else notes
        yield f"{score[name]}{notes}"


def reasons(scores: Iterable[Score]) -> str:
    """Return counts of refused schemas, and of reasons why the validators differ."""
    refused: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    for score in scores:
        refused.update({f"{score.corpus}: {code}": len(found) for code, found in score.refused.items()})
        differing.update({reason: len(found) for reason, found in score.differing.items()})
    lines: list[str] = []
    for title, counts in (("refused by the language", refused), ("explained", differing)):
        if counts:
            lines += ["", f"{title}:", *(f"- {count} {what}" for what, count in counts.most_common())]
    return "\n".join(lines)
