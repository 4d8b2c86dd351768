"""Judge pairs, and try to refute the verdicts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from toolgen.schema.containment import Containment, NotContained, Unanalysed, check_containment
from toolgen.schema.document import Schema
from toolgen.schema.validator import compiled

from tools.breaking.pairs import Pair
from tools.breaking.rephrased import witnesses_of_rephrased
from tools.breaking.samples import samples
from tools.breaking.second_validator import Opinion, opinion_on

Check = Callable[[Schema, Schema], Containment]

_ATTACKED: Final = 4  # one of so many broken pairs is sampled, too: would the samples have shown it?


@dataclass(frozen=True, slots=True)
class Refutation:
    """A verdict that is wrong: a value that shows it."""

    pair: Pair
    said: str
    value: Any

    def __str__(self) -> str:
        return (
            f"{self.pair.name}: {self.said}, refuted by {_json(self.value)}\n"
            f"  narrow: {_json(self.pair.narrow)}\n  wide:   {_json(self.pair.wide)}"
        )


_COUNTS: Final = (
    "pairs", "contained", "broken", "unanalysed", "samples", "accepted", "sampled_breaks", "shown_breaks",
)  # fmt: skip


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
    refutations: list[Refutation] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Pair] = field(default_factory=dict)  # reason → the smallest pair
    opinions: Counter[Opinion] = field(default_factory=Counter)
    disagreements: list[Refutation] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Add the figures of another cell."""
        for name in _COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.refutations += other.refutations
        self.disagreements += other.disagreements
        self.reasons += other.reasons
        self.opinions += other.opinions
        for reason, pair in other.examples.items():
            self._keep_example(reason, pair)

    def _keep_example(self, reason: str, pair: Pair) -> None:
        known = self.examples.get(reason)
        if known is None or _size(pair) < _size(known):
            self.examples[reason] = pair


def judge(pair: Pair, tally: Tally, *, sample_count: int, check: Check = check_containment) -> None:
    """Compare the schemas of `pair`, try to refute the verdict, and count."""
    tally.pairs += 1
    verdict = check(pair.narrow, pair.wide)
    if isinstance(verdict, Unanalysed):
        tally.unanalysed += 1
        tally.reasons[verdict.reason] += 1
        tally._keep_example(verdict.reason, pair)
    elif isinstance(verdict, NotContained):
        tally.broken += 1
        _check_witness(pair, verdict.witness, tally)
        if tally.broken % _ATTACKED == 0:
            tally.sampled_breaks += 1
            tally.shown_breaks += _counterexample(pair, sample_count, Tally()) is not None
    else:
        tally.contained += 1
        found = _counterexample(pair, sample_count, tally)
        if found is not None:
            tally.refutations.append(Refutation(pair, "contained", found[0]))


def _check_witness(pair: Pair, witness: Any, tally: Tally) -> None:
    if not compiled(pair.narrow).is_valid(witness) or compiled(pair.wide).is_valid(witness):
        tally.refutations.append(Refutation(pair, "not contained", witness))
        return
    opinion = opinion_on(witness, narrow=pair.narrow, wide=pair.wide)
    tally.opinions[opinion] += 1
    if opinion is Opinion.DISAGREES:
        tally.disagreements.append(Refutation(pair, "not contained", witness))


def _counterexample(pair: Pair, count: int, tally: Tally) -> list[Any] | None:
    """Return, in a list, a sample that only the narrow schema accepts; None if none is."""
    narrow, wide = compiled(pair.narrow), compiled(pair.wide)
    for value in chain(witnesses_of_rephrased(pair), samples(pair, count=count)):
        tally.samples += 1
        if narrow.is_valid(value):
            tally.accepted += 1
            if not wide.is_valid(value):
                return [value]
    return None


def _size(pair: Pair) -> int:
    return len(_json(pair.old)) + len(_json(pair.new))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
