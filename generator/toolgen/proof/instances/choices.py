"""Decide between alternatives while a value is created: in turn, then at random."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AlternativeFacts:
    """Facts about an alternative, before it is tried."""

    size: int  # subschemas that it leads to: the fewer, the sooner a value ends
    is_null: bool = False  # only null satisfies it


# https://docs.python.org/3/library/random.html#notes-on-reproducibility
class Dice:
    """Random numbers that are the same in every version of Python: `Random.random` alone promises that."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random.random() < probability

    def below(self, end: int) -> int:
        """Return a whole number from 0 to `end - 1`."""
        return int(self._random.random() * end)

    def between(self, first: int, last: int) -> int:
        """Return a whole number from `first` to `last`, both included."""
        return first + self.below(last - first + 1)

    def fraction(self) -> float:
        """Return a number from 0 to below 1."""
        return self._random.random()

    def one_of(self, values: Sequence[T]) -> T:
        """Return one of the values."""
        return values[self.below(len(values))]

    def shuffled(self, values: Sequence[T]) -> list[T]:
        """Return the values in a random order."""
        keyed = sorted((self._random.random(), index) for index in range(len(values)))
        return [values[index] for _, index in keyed]


class Turns:
    """Takes the alternatives of each place in turn at first, and then at random."""

    def __init__(self, dice: Dice, *, avoids_null: bool = False) -> None:
        self._dice = dice
        self._avoids_null = avoids_null
        self._counts: dict[Hashable, int] = {}
        self.is_low = False  # prefer alternatives that end the nesting

    def pick(self, place: Hashable, alternatives: Sequence[AlternativeFacts]) -> int:
        """Return the next alternative at `place`, a random one after each was returned."""
        if self.is_low:
            least = min(each.size for each in alternatives)
            return self._dice.one_of([at for at, each in enumerate(alternatives) if each.size == least])
        if self._avoids_null:
            known = [at for at, each in enumerate(alternatives) if not each.is_null]
            return self._dice.one_of(known or range(len(alternatives)))
        return self.next(place, len(alternatives))

    def next(self, place: Hashable, count: int) -> int:
        """Return each number below `count` once, then random ones."""
        if count == 1:
            return 0
        turn = self._counts.get(place, 0)
        self._counts[place] = turn + 1
        return turn if turn < count else self._dice.below(count)
