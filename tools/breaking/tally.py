"""What came out for the pairs of a cell."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Any

from tools.breaking.pairs import Pair


@dataclass(frozen=True, slots=True)
class Case:
    """A pair that is worth a look, with a value that shows why."""

    name: str  # of the pair
    said: str
    narrow: Any
    wide: Any
    value: Any = None

    @staticmethod
    def of(pair: Pair, said: str, value: Any = None) -> Case:
        return Case(pair.name, said, pair.narrow, pair.wide, value)

    @property
    def size(self) -> int:
        return len(_json(self.narrow)) + len(_json(self.wide))

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.said}: {_json(self.value)}\n"
            f"  narrow: {_json(self.narrow)}\n  wide:   {_json(self.wide)}"
        )


@dataclass(slots=True)
class Tally:
    """What came out for the pairs of one cell."""

    pairs: int = 0
    contained: int = 0
    broken: int = 0
    unanalysed: int = 0
    samples: int = 0
    accepted: int = 0  # samples that the narrow schema accepts: the wide one must accept them
    breaking_edits: int = 0  # of broken pairs, as the diff of two schemas finds edits
    unanalysed_edits: int = 0
    refutations: list[Case] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)  # of `unanalysed`
    examples: dict[str, Case] = field(default_factory=dict)  # reason → the smallest pair

    def add(self, other: Tally) -> None:
        """Add the figures of another cell."""
        for each in fields(self):
            count = getattr(self, each.name)
            if isinstance(count, int):
                setattr(self, each.name, count + getattr(other, each.name))
        self.refutations += other.refutations
        self.reasons += other.reasons
        for reason, case in other.examples.items():
            self.note_example(reason, case)

    def note_example(self, reason: str, case: Case) -> None:
        """Keep `case` if it is the smallest for this reason."""
        known = self.examples.get(reason)
        if known is None or case.size < known.size:
            self.examples[reason] = case


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
