"""Search for numbers that satisfy bounds and multiples, in exact arithmetic.

The validator takes a fraction as it is written: 0.3 is a multiple of 0.1. A float that is whole counts as the
integer that it is: 1e25 is 10000000000000000905969664.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce

from toolgen.proof.containment.results import EMPTY, Found, Search, Stuck

_TRIES = 1_000  # multiples looked at one after another
_DIGITS = sys.float_info.dig + 2  # of a float


@dataclass(frozen=True, slots=True)
class RangeEnd:
    """One end of a range."""

    value: Fraction
    inclusive: bool = True


@dataclass(frozen=True, slots=True)
class NumberConstraints:
    """Constraints on one number."""

    lower: RangeEnd | None = None
    upper: RangeEnd | None = None
    multiples: tuple[Fraction, ...] = ()  # it is a multiple of each of these, which are positive
    not_multiples: tuple[Fraction, ...] = ()  # and of none of these
    integer: bool | None = None  # None: either; 1.0 is an integer
    excluded: frozenset[Fraction] = frozenset()

    def with_lower(self, value: Fraction, *, inclusive: bool) -> NumberConstraints:
        """Return these constraints with one more lower bound: the higher one counts."""
        bound = RangeEnd(value, inclusive)
        if self.lower is not None:
            bound = max(bound, self.lower, key=lambda one: (one.value, not one.inclusive))
        return replace(self, lower=bound)

    def with_upper(self, value: Fraction, *, inclusive: bool) -> NumberConstraints:
        """Return these constraints with one more upper bound: the lower one counts."""
        bound = RangeEnd(value, inclusive)
        if self.upper is not None:
            bound = min(bound, self.upper, key=lambda one: (one.value, one.inclusive))
        return replace(self, upper=bound)


def exact_number(number: float) -> Fraction:
    """Return the value of a JSON number as the validator takes it: of 0.1, a tenth."""
    if isinstance(number, int) or number.is_integer():
        return Fraction(number)
    # `repr` is the shortest decimal that is read as this float: Steele and White, "How to Print
    # Floating-Point Numbers Accurately", PLDI 1990.
    return Fraction(Decimal(repr(number)))


def json_number(value: Fraction) -> int | float | None:
    """Return `value` as an int or a float; None if no float is written so."""
    if value.denominator == 1:
        return value.numerator
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if exact_number(number) == value else None


def find_number(constraints: NumberConstraints) -> Search[int | float]:
    """Find a number, a small and short one if there are several."""
    if any(step <= 0 for step in (*constraints.multiples, *constraints.not_multiples)):
        return Stuck("a multipleOf that is not positive")
    lower, upper = constraints.lower, constraints.upper
    if lower and upper and lower.value >= upper.value:
        # One number is left at most, so that there is nothing to search.
        point = lower.value == upper.value and lower.inclusive and upper.inclusive
        return _first(constraints, [lower.value] if point else [])
    if (step := _common_step(constraints)) is not None:
        return _find_multiple(constraints, step)
    found = _first(constraints, _decimals(constraints))
    return found if isinstance(found, Found) else Stuck("no float was found in a range")


def _first(constraints: NumberConstraints, candidates: Iterable[Fraction]) -> Search[int | float]:
    """Return the first candidate that satisfies the constraints; EMPTY: none does."""
    is_complete = True
    for value in candidates:
        if _satisfies(constraints, value):
            if (number := json_number(value)) is not None:
                return Found(number)
            is_complete = False
    return EMPTY if is_complete else Stuck("a number that no float is written as")


def _satisfies(constraints: NumberConstraints, value: Fraction) -> bool:
    lower, upper = constraints.lower, constraints.upper
    if lower and (value < lower.value or (value == lower.value and not lower.inclusive)):
        return False
    if upper and (value > upper.value or (value == upper.value and not upper.inclusive)):
        return False
    return (
        value not in constraints.excluded
        and all((value / step).denominator == 1 for step in constraints.multiples)
        and not any((value / step).denominator == 1 for step in constraints.not_multiples)
        and constraints.integer in (None, value.denominator == 1)
    )


# Multiples of a number


def common_multiple(one: Fraction, other: Fraction) -> Fraction:
    """Return the least number that is a multiple of both."""
    return Fraction(math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator))


def _common_step(constraints: NumberConstraints) -> Fraction | None:
    """Return the number that all candidates are multiples of."""
    steps = [*constraints.multiples, *([Fraction(1)] if constraints.integer else [])]
    if not steps:
        return None
    return reduce(common_multiple, steps)


def _find_multiple(constraints: NumberConstraints, step: Fraction) -> Search[int | float]:
    avoided = [*constraints.not_multiples, *([Fraction(1)] if constraints.integer is False else [])]
    if any((step / other).denominator == 1 for other in avoided):
        return EMPTY  # every multiple of `step` is one of the other
    least, most = _factors(constraints, step)
    tries = _TRIES + len(constraints.excluded)
    found = _first(constraints, (factor * step for factor in _from_zero(least, most, tries)))
    if not isinstance(found, Found) and (least is None or most is None or most - least >= tries):
        return Stuck("a multiple among very many")
    return found


def _factors(constraints: NumberConstraints, step: Fraction) -> tuple[int | None, int | None]:
    """Return the least and the greatest factor whose product with `step` is within the bounds."""
    least = most = None
    if lower := constraints.lower:
        least = math.ceil(lower.value / step)
        least += not lower.inclusive and least * step == lower.value
    if upper := constraints.upper:
        most = math.floor(upper.value / step)
        most -= not upper.inclusive and most * step == upper.value
    return least, most


def _from_zero(least: int | None, most: int | None, tries: int) -> Iterator[int]:
    """Yield at most `tries` integers of a range, those next to zero first."""
    if least is not None and least > 0:
        first = least
    elif most is not None and most < 0:
        first = most
    else:
        first = 0
    if (least is not None and first < least) or (most is not None and first > most):
        return
    yield first
    for distance in range(1, tries):
        inside = [
            number
            for number in (first + distance, first - distance)
            if (least is None or number >= least) and (most is None or number <= most)
        ]
        if not inside:
            return
        yield from inside


# Any number of a range


def _decimals(constraints: NumberConstraints) -> Iterator[Fraction]:
    """Yield numbers of a range that contains more than one, short ones first."""
    lower, upper = constraints.lower, constraints.upper
    low = lower.value if lower else None
    high = upper.value if upper else None
    needed = 8 + len(constraints.excluded)
    if low is None and high is None:
        low = Fraction(0)
    for exponent in _exponents(low, high):
        step = Fraction(10) ** exponent
        factors = _from_zero(
            None if low is None else math.ceil(low / step),
            None if high is None else math.floor(high / step),
            needed,
        )
        for factor in factors:
            yield factor * step
            yield factor * step + step / 2


def _exponents(low: Fraction | None, high: Fraction | None) -> Iterator[int]:
    """Yield powers of ten to step with through a range: from its width, or one, to the digits of a float."""
    width = high - low if low is not None and high is not None else Fraction(1)
    first = 0
    while Fraction(10) ** first > width:
        first -= 1
    yield from range(first, first - _DIGITS, -1)
