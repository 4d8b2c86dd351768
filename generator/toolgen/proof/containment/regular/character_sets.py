"""Sets of characters as ranges of code points, without surrogates.

Sets that the regex engine defines (`\\p{L}`) are asked of the validator, so that they are the same.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolgen.schema.validator import compiled

_LAST = sys.maxunicode
_SURROGATES = (ord("\ud800"), ord("\udfff"))
_BLOCK = 2048  # characters in one text for the engine


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """Characters, as ranges of code points: sorted, apart, both ends included."""

    ranges: tuple[tuple[int, int], ...] = ()

    def __contains__(self, code: int) -> bool:
        at = bisect_right(self.ranges, (code, _LAST)) - 1
        return at >= 0 and self.ranges[at][0] <= code <= self.ranges[at][1]

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.ranges)

    def __or__(self, other: CharacterSet) -> CharacterSet:
        return of_ranges([*self.ranges, *other.ranges])

    def __invert__(self) -> CharacterSet:
        found: list[tuple[int, int]] = []
        start = 0
        for first, last in (*self.ranges, (_LAST + 1, _LAST + 1)):
            if first > start:
                found.append((start, first - 1))
            start = last + 1
        return of_ranges(found)

    def at(self, index: int) -> int:
        """Return the code point of the member at `index`."""
        for first, last in self.ranges:
            if index <= last - first:
                return first + index
            index -= last - first + 1
        raise IndexError(index)


def of_ranges(ranges: Iterable[tuple[int, int]]) -> CharacterSet:
    """Return the set of the characters in `ranges`, which may overlap; surrogates are left out."""
    low, high = _SURROGATES
    parts: list[tuple[int, int]] = []
    for first, last in ranges:
        parts += [(first, min(last, low - 1)), (max(first, high + 1), last)]
    merged: list[tuple[int, int]] = []
    for first, last in sorted(part for part in parts if part[0] <= part[1]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return CharacterSet(tuple(merged))


def of_text(text: str) -> CharacterSet:
    """Return the set of the characters of `text`."""
    return of_ranges((ord(character), ord(character)) for character in text)


ALL: Final = of_ranges([(0, _LAST)])
NONE: Final = CharacterSet()


@lru_cache
def of_engine(text: str) -> CharacterSet:
    """Return the characters that the class `text` of a pattern stands for, as the validator takes it.

    Raises ValueError if the engine does not know the class.
    """
    every, some = compiled({"pattern": f"^(?:{text})*$"}), compiled({"pattern": f"(?:{text})"})
    found: list[tuple[int, int]] = []
    waiting = list(reversed(_blocks()))
    while waiting:
        block = waiting.pop()
        if every.is_valid(block):
            found.append((ord(block[0]), ord(block[-1])))
        # The engine is asked of whole blocks, which are halved where it takes a part of them.
        elif some.is_valid(block):
            middle = len(block) // 2
            waiting += [block[middle:], block[:middle]]
    return of_ranges(found)


@lru_cache
def _blocks() -> list[str]:
    """Return all characters in texts of equal length."""
    low, high = _SURROGATES
    starts = [*range(0, low, _BLOCK), *range(high + 1, _LAST + 1, _BLOCK)]
    return ["".join(map(chr, range(start, start + _BLOCK))) for start in starts]
