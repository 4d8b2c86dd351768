"""Numbers at, beside and between bounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from toolgen.proof.containment.numbers import (
    NumberConstraints,
    common_multiple,
    exact_number,
    find_numbers,
    json_number,
)
from toolgen.proof.containment.results import Found
from toolgen.proof.instances.choices import Dice

_ORDINARY: Final = (0, 1, -1, 7, 42, 2**31, 2**53 + 1, -(2**63) - 1, 10**20)
_WRITTEN_AS_FLOAT: Final = (1.0, -0.0, 2.0, 1e15)
_FRACTIONS: Final = (0.5, -0.5, 0.1, 2.25, 1e-7, 3.14159, -12345.678, 99999999.5)


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
        step = None
        for each in steps:
            step = each if step is None else common_multiple(step, each)
        low = None if given.lower is None else given.lower.value
        high = None if given.upper is None else given.upper.value
        return cls(replace(given, multiples=tuple(steps)), low, high, step)

    def searched(self, whole: bool) -> list[int | float]:
        """Return numbers that an exact search finds."""
        found = find_numbers(replace(self.constraints, integer=whole), 1)
        return found.value if isinstance(found, Found) else []

    def boundaries(self, whole: bool) -> Iterator[int | float]:
        """Yield numbers at and beside bounds, and usual edge cases; some of them may be outside."""
        low, high = self.low, self.high
        unit = self.step or (Fraction(1) if whole else Fraction(1, 2))
        if self.step is not None and whole:
            unit = common_multiple(self.step, Fraction(1))
        on_step = self.step is not None or whole
        for bound in (low, high):
            if bound is None:
                continue
            near = unit * math.ceil(bound / unit) if on_step else bound
            for by in (0, 1, -1, 2):
                yield as_number(near + by * unit)
            if not on_step:
                yield from (as_number(bound + by) for by in (Fraction(1, 100), -Fraction(1, 100)))
        if low is not None and high is not None and low < high:
            middle = (low + high) / 2
            yield as_number(unit * math.floor(middle / unit) if on_step else middle)
            if not on_step:
                yield from (as_number(low + (high - low) * part / 1000) for part in (1, 999))
        if self.step is not None:
            yield from (as_number(unit * times) for times in (0, 1, -1, 3, 1000))
        yield from (*_ORDINARY, *_WRITTEN_AS_FLOAT) if whole else _FRACTIONS
        # An integer may be written with a point: 1.0 satisfies `type: integer`.
        if whole and low is not None and abs(low) < 2**53:
            yield float(math.ceil(low))

    def random(self, dice: Dice, whole: bool) -> int | float:
        """Return a number that is probably within the bounds."""
        low, high = self._range()
        if self.step is not None or whole:
            unit = self.step or Fraction(1)
            unit = common_multiple(unit, Fraction(1)) if whole else unit
            first, last = math.ceil(low / unit), math.floor(high / unit)
            return as_number(unit * dice.between(first, max(first, last)))
        digits = 10 ** dice.between(1, 4)
        made = low + (high - low) * Fraction(dice.fraction())
        return as_number(Fraction(round(made * digits), digits))

    def _range(self) -> tuple[Fraction, Fraction]:
        """Return the bounds; a thousand or the size of the other bound away where one is missing."""
        low, high = self.low, self.high
        if low is None:
            low = Fraction(-1000) if high is None else high - max(abs(high), Fraction(1000))
        return low, low + max(abs(low), Fraction(1000)) if high is None else high


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
