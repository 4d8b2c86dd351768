"""What came out for the pairs of a cell, and a file of it, so that a long run can be continued."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolgen.changes.edit_space import Cell, cells

from tools.breaking.pairs import Pair

_COUNTS: Final = (
    "pairs", "contained", "broken", "unanalysed", "samples", "accepted", "sampled_breaks", "shown_breaks",
    "breaking_edits", "unanalysed_edits",
)  # fmt: skip


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
    sampled_breaks: int = 0
    shown_breaks: int = 0  # sampled breaks for which a sample was a witness, too
    breaking_edits: int = 0  # of broken pairs, as the diff of two schemas finds edits
    unanalysed_edits: int = 0
    refutations: list[Case] = field(default_factory=list)
    disagreements: list[Case] = field(default_factory=list)
    opinions: Counter[str] = field(default_factory=Counter)  # of the second validator
    reasons: Counter[str] = field(default_factory=Counter)  # of `unanalysed`
    examples: dict[str, Case] = field(default_factory=dict)  # reason → the smallest pair

    def add(self, other: Tally) -> None:
        """Add the figures of another cell."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refutations += other.refutations
        self.disagreements += other.disagreements
        self.reasons += other.reasons
        self.opinions += other.opinions
        for reason, case in other.examples.items():
            self.note_example(reason, case)

    def note_example(self, reason: str, case: Case) -> None:
        """Keep `case` if it is the smallest for this reason."""
        known = self.examples.get(reason)
        if known is None or case.size < known.size:
            self.examples[reason] = case


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of tallies."""
    together = Tally()
    for tally in tallies:
        together.add(tally)
    return together


def write_tallies(file: Path, seed: int, tallies: Mapping[Cell, Tally]) -> None:
    """Write the figures of a run into a file."""
    by_cell = {str(cell): _plain(tally) for cell, tally in tallies.items()}
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".new")
    draft.write_text(json.dumps({"seed": seed, "cells": by_cell}), encoding="utf-8")
    draft.replace(file)  # a run that is killed leaves the former figures


def read_tallies(file: Path, seed: int) -> dict[Cell, Tally]:
    """Return the figures of an earlier run. Raises ValueError if it had another seed."""
    if not file.exists():
        return {}
    written = json.loads(file.read_text(encoding="utf-8"))
    if written["seed"] != seed:
        raise ValueError(f"{file} is of a run with seed {written['seed']}")
    by_name = {str(cell): cell for cell in cells()}
    return {by_name[name]: _tally(of) for name, of in written["cells"].items()}


def _plain(tally: Tally) -> dict[str, Any]:
    return {
        **{name: getattr(tally, name) for name in _COUNTS},
        "refutations": [dataclasses.asdict(case) for case in tally.refutations],
        "disagreements": [dataclasses.asdict(case) for case in tally.disagreements],
        "opinions": dict(tally.opinions),  # `asdict` cannot copy a Counter
        "reasons": dict(tally.reasons),
        "examples": {reason: dataclasses.asdict(case) for reason, case in tally.examples.items()},
    }


def _tally(of: Mapping[str, Any]) -> Tally:
    return Tally(
        **{name: of[name] for name in _COUNTS},
        refutations=[Case(**case) for case in of["refutations"]],
        disagreements=[Case(**case) for case in of["disagreements"]],
        opinions=Counter(of["opinions"]),
        reasons=Counter(of["reasons"]),
        examples={reason: Case(**case) for reason, case in of["examples"].items()},
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
