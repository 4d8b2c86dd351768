"""Numbers at, beside and between bounds."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any, Final

from toolgen.proof.containment.numbers import (
    NumberConstraints,
    common_multiple,
    exact_number,
    find_number,
    json_number,
)
from toolgen.proof.containment.results import Found
from toolgen.proof.instances.choices import Dice
from toolgen.schema.document import EXACT

_AWAY: Final = Fraction(1000)  # from the only bound
_ORDINARY: Final = (0, 1, -1, EXACT + 1, -sys.maxsize - 2, 10**20)  # and just beyond floats and 64 bits
_WRITTEN_AS_FLOAT: Final = (1.0, -0.0, 1e15)  # integers of JSON Schema, and floats of Python
_FRACTIONS: Final = (0.5, -0.5, 0.1, 1e-7, -12345.678)  # exact and inexact in binary, small and long


@dataclass(frozen=True, slots=True)
class NumberFacts:
    """Bounds and divisors of a number."""

    constraints: NumberConstraints
    low: Fraction | None
    high: Fraction | None
    step: Fraction | None  # the number is a multiple of it

    @classmethod
    def of(cls, schemas: Iterable[Mapping[str, Any]]) -> NumberFacts:
        """Collect the bounds and divisors of all schema objects that apply."""
        given = NumberConstraints()
        steps: list[Fraction] = []
        for schema in schemas:
            for keyword, inclusive in (("minimum", True), ("exclusiveMinimum", False)):
                for bound in _exact(schema, keyword):
                    given = given.with_lower(bound, inclusive=inclusive)
            for keyword, inclusive in (("maximum", True), ("exclusiveMaximum", False)):
                for bound in _exact(schema, keyword):
                    given = given.with_upper(bound, inclusive=inclusive)
            steps += _exact(schema, "multipleOf")
        step = reduce(common_multiple, steps) if steps else None
        low = None if given.lower is None else given.lower.value
        high = None if given.upper is None else given.upper.value
        return cls(replace(given, multiples=tuple(steps)), low, high, step)

    def searched(self, whole: bool) -> list[int | float]:
        """Return numbers that an exact search finds."""
        found = find_number(replace(self.constraints, integer=whole))
        return [found.value] if isinstance(found, Found) else []

    def boundaries(self, whole: bool) -> Iterator[int | float]:
        """Yield numbers at and beside bounds, and usual edge cases; some of them may be outside."""
        low, high, step = self.low, self.high, self._step(whole)
        unit = step or Fraction(1, 2)
        for bound in (low, high):
            if bound is not None:
                near = unit * math.ceil(bound / unit) if step else bound
                yield from (as_number(near + by * unit) for by in (0, 1, -1))
        if low is not None and high is not None:
            middle = (low + high) / 2
            yield as_number(unit * math.floor(middle / unit) if step else middle)
        if self.step is not None:
            yield from (as_number(times * unit) for times in (0, 1, -1))
        yield from (*_ORDINARY, *_WRITTEN_AS_FLOAT) if whole else _FRACTIONS
        # An integer may be written with a point: 1.0 satisfies `type: integer`.
        if whole and low is not None and abs(low) < EXACT:
            yield float(math.ceil(low))

    def _step(self, whole: bool) -> Fraction | None:
        """Return the number of which the number is a multiple."""
        if self.step is None:
            return Fraction(1) if whole else None
        return common_multiple(self.step, Fraction(1)) if whole else self.step

    def random(self, dice: Dice, whole: bool) -> int | float:
        """Return a number that is probably within the bounds."""
        low, high = self._range()
        if (unit := self._step(whole)) is not None:
            first, last = math.ceil(low / unit), math.floor(high / unit)
            return as_number(unit * dice.between(first, max(first, last)))
        digits = 10 ** dice.between(1, 4)
        made = low + (high - low) * Fraction(dice.fraction())
        return as_number(Fraction(round(made * digits), digits))

    def _range(self) -> tuple[Fraction, Fraction]:
        """Return the bounds; a thousand or the size of the other bound away where one is missing."""
        low, high = self.low, self.high
        if low is None:
            low = -_AWAY if high is None else high - max(abs(high), _AWAY)
        return low, low + max(abs(low), _AWAY) if high is None else high


def as_number(exact: Fraction) -> int | float:
    """Return a number as JSON has it; the nearest one if it is not written exactly."""
    number = json_number(exact)
    if number is not None:
        return number
    try:
        return float(exact)
    except OverflowError:
        return exact.numerator // exact.denominator


def _exact(schema: Mapping[str, Any], keyword: str) -> Iterator[Fraction]:
    value = schema.get(keyword)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        yield exact_number(value)
