"""What was tried and what held, and the table of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """How many of how many, and each one that is not among them."""

    tried: int = 0
    held: int = 0
    misses: list[str] = field(default_factory=list)

    def note(self, what: str, problem: str | None) -> None:
        """One more tried; `problem` says why it did not hold."""
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
)


@dataclass(slots=True)
class Score:
    """One corpus: every measure of it, and the losses that the importer told."""

    corpus: str
    tools: int = 0
    told: int = 0  # repairs and mapped names
    tallies: dict[str, Tally] = field(default_factory=lambda: {name: Tally() for name in MEASURES})

    def __getitem__(self, measure: str) -> Tally:
        return self.tallies[measure]

    @property
    def misses(self) -> list[str]:
        return [f"{name}: {miss}" for name, tally in self.tallies.items() for miss in tally.misses]


def table(scores: Iterable[Score]) -> str:
    """The table of docs/fidelity.md."""
    rows: list[Sequence[str]] = [("corpus", "tools", *MEASURES), ("---",) * (2 + len(MEASURES))]
    rows += [(s.corpus, f"{s.tools:,}", *(str(s[name]) for name in MEASURES)) for s in scores]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)
