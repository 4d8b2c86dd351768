"""Find an array that satisfies constraints.

Some schemas are counted: that of `contains`, or "not" that of `items` where one item has to violate it. Each
item gets a role, which says for which of them it is counted. Items are added until all counts are reached.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.formulas import Formula
from toolgen.proof.containment.goals import Goal
from toolgen.proof.containment.results import EMPTY, Answer, Found, Stuck
from toolgen.proof.containment.steps import (
    Attempt,
    Construction,
    Search,
    Several,
    Tools,
    attempt_twice,
    find_several,
)
from toolgen.schema.document import value_key

_MOST_COUNTED: Final = 6  # schemas of `contains`: a search combines them
_MOST_ITEMS: Final = 10_000  # of an array that shows a difference
_MOST_DISTINCT: Final = 100  # of them if no two may be equal: each is compared with all


@dataclass(frozen=True, slots=True)
class _Counted:
    """A schema; the items from `first` on that satisfy it are counted."""

    part: Formula
    first: int
    least: int = 0
    most: int | None = None

    def demands(self, *, is_counted: bool) -> tuple[Formula, ...]:
        """Return what an item satisfies that is counted, or is not."""
        if is_counted:
            return (self.part,) if self.least else ()
        return () if self.most is None else (-self.part,)


@dataclass(frozen=True, slots=True)
class _Array:
    """The constraints on one array."""

    least: int = 0
    most: int | None = None
    items: tuple[tuple[int, Formula], ...] = ()  # of the item at an index
    tails: tuple[tuple[int, Formula], ...] = ()  # of all items from an index on
    counted: tuple[_Counted, ...] = ()
    distinct: bool | None = None

    def with_counted(self, counted: _Counted) -> _Array:
        """Return these constraints with one more."""
        for at, other in enumerate(self.counted):
            if (other.part, other.first) == (counted.part, counted.first):
                mosts = [most for most in (other.most, counted.most) if most is not None]
                merged = replace(
                    other, least=max(other.least, counted.least), most=min(mosts) if mosts else None
                )
                return replace(self, counted=(*self.counted[:at], merged, *self.counted[at + 1 :]))
        return replace(self, counted=(*self.counted, counted))

    def first_common(self) -> int:
        """Return the first position that has the same constraints as all after it."""
        own = (index + 1 for index, _ in self.items)
        tails = (index for index, _ in self.tails)
        return max([0, *own, *tails, *(one.first for one in self.counted)])

    def at(self, index: int) -> Goal:
        """Return what the item at `index` satisfies, whatever its role."""
        own = [part for at, part in self.items if at == index]
        return frozenset((*own, *(part for first, part in self.tails if first <= index)))


def find_array(constraints: Sequence[Formula], tools: Tools) -> Search:
    """Find an array that satisfies `constraints`."""
    array = _read(constraints, tools)
    place = next((place for place in map(tools.formulas.place, constraints) if place is not None), None)
    if array.distinct is False:
        array = replace(array, least=max(array.least, 2))
    if array.most is not None and array.least > array.most:
        return EMPTY
    if len(array.counted) > _MOST_COUNTED:
        return Stuck("too many schemas count the items of an array", place)
    if _longest(array) > (_MOST_DISTINCT if array.distinct is True else _MOST_ITEMS):
        return Stuck("an array needs too many items", place)
    return (yield from attempt_twice(lambda attempt: _ArrayBuilder(array, tools, attempt).construct()))


def _longest(array: _Array) -> int:
    """Return a length beyond which no item is needed: it could be left out."""
    longest = max(array.least, array.first_common() + 2) + sum(one.least for one in array.counted)
    return longest if array.most is None else min(longest, array.most)


def _read(constraints: Sequence[Formula], tools: Tools) -> _Array:
    array = _Array()
    for constraint in constraints:
        holds = constraint > 0
        match tools.formulas.node(constraint):
            case kinds.ItemsAtLeast(count) if holds:
                array = replace(array, least=max(array.least, count))
            case kinds.ItemsAtLeast(count):
                most = count - 1 if array.most is None else min(array.most, count - 1)
                array = replace(array, most=most)
            case kinds.Item(index, part) if holds:
                array = replace(array, items=(*array.items, (index, part)))
            case kinds.Item(index, part):
                least = max(array.least, index + 1)
                array = replace(array, items=(*array.items, (index, -part)), least=least)
            case kinds.ItemsFrom(index, part) if holds:
                array = replace(array, tails=(*array.tails, (index, part)))
            case kinds.ItemsFrom(index, part):
                array = array.with_counted(_Counted(-part, index, least=1))
            case kinds.ContainsAtLeast(part, count) if holds:
                array = array.with_counted(_Counted(part, 0, least=count))
            case kinds.ContainsAtLeast(part, count):
                array = array.with_counted(_Counted(part, 0, most=count - 1))
            case kinds.Distinct():
                array = replace(array, distinct=holds)
            case node:
                raise AssertionError(node)
    return array


_Role = tuple[bool, ...]
"""Of each counted schema, whether an item is counted for it."""


@dataclass(frozen=True, slots=True)
class _Twins:
    """Two positions with equal items, the smaller one first."""

    first: int
    second: int


@dataclass(frozen=True, slots=True)
class _Placed:
    """An item, and the items before it."""

    before: _Placed | None
    role: _Role
    goal: Goal
    value: Any


@dataclass(frozen=True, slots=True)
class _Prefix:
    """The first items of an array."""

    length: int
    missing: tuple[int, ...]  # of each counted schema: items that are still needed
    room: tuple[int | None, ...]  # and items that may still be counted
    last: _Placed | None

    def placed(self) -> list[_Placed]:
        """Return the items in order."""
        found, one = list[_Placed](), self.last
        while one is not None:
            found.append(one)
            one = one.before
        return found[::-1]


class _ArrayBuilder:
    """Constructs an array, item by item."""

    def __init__(self, array: _Array, tools: Tools, attempt: Attempt) -> None:
        self._array = array
        self._tools = tools
        self._attempt = attempt
        self._common = array.first_common()
        self._different: dict[Goal, Several] = {}

    def construct(self) -> Construction:
        """Construct the array."""
        if self._array.distinct is True:
            for one in self._array.counted:
                several = yield from find_several(frozenset((one.part,)), one.least, self._tools)
                if several.rest is EMPTY:
                    return EMPTY
        if self._array.distinct is not False:
            return (yield from self._construct(None))
        for second in range(1, self._common + 2):
            for first in range(min(second, self._common + 1)):
                found = yield from self._construct(_Twins(first, second))
                if isinstance(found, Found):
                    return found
        return EMPTY

    def _construct(self, twins: _Twins | None) -> Construction:
        array, counted = self._array, self._array.counted
        least = max(array.least, twins.second + 1 if twins else 0)
        longest = _longest(array)
        start = _Prefix(0, tuple(one.least for one in counted), tuple(one.most for one in counted), None)
        stack, seen = [start], set[Any]()
        while stack:
            prefix = stack.pop()
            self._tools.steps.spend()
            different = (yield from self._choose(prefix)) if array.distinct is True else None
            if array.distinct is True and different is None:
                continue
            if prefix.length >= least and not any(prefix.missing):
                return Found(different or [one.value for one in prefix.placed()])
            if prefix.length < longest:
                longer = yield from self._lengthen(prefix, twins)
                for one in reversed(longer):
                    key = (one.length, one.missing, one.room)
                    if array.distinct or twins or key not in seen:
                        seen.add(key)
                        stack.append(one)
        return EMPTY

    def _lengthen(self, prefix: _Prefix, twins: _Twins | None) -> Generator[Goal, Answer, list[_Prefix]]:
        """Return the prefix with one more item, in each of its possible roles."""
        index = prefix.length
        if twins is not None and index == twins.second:
            twin = prefix.placed()[twins.first]
            longer = self._with(prefix, twin)
            return [] if longer is None else [longer]
        where = twins.second if twins is not None and index == twins.first else index
        base = self._array.at(index) | self._array.at(where)
        found = []
        for role in self._roles(prefix, where):
            demands = [
                demand
                for one, is_counted in zip(self._array.counted, role, strict=True)
                if one.first <= where
                for demand in one.demands(is_counted=is_counted)
            ]
            longer = self._with(prefix, _Placed(None, role, base | frozenset(demands), None))
            if longer is None or longer.last is None:
                continue
            answer = yield from self._attempt.ask(longer.last.goal)
            if isinstance(answer, Found):
                found.append(replace(longer, last=replace(longer.last, value=answer.value)))
        return found

    def _roles(self, prefix: _Prefix, index: int) -> Iterator[_Role]:
        """Yield the roles of the item at `index`, first those that are needed, or that demand nothing.

        If items have to be different, all arrays are tried, but not the same roles in another order.
        """
        if self._array.distinct is True and index > self._common and prefix.last is not None:
            most = prefix.last.role
        else:
            most = (True,) * len(prefix.missing)
        choices = list[tuple[bool, ...]]()
        for one, missing in zip(self._array.counted, prefix.missing, strict=True):
            if one.first > index:
                choices.append((False,))
            else:
                choices.append((True, False) if missing or not one.least else (False, True))
        yield from (role for role in product(*choices) if role <= most)

    def _with(self, prefix: _Prefix, placed: _Placed) -> _Prefix | None:
        """Return `prefix` with one more item, None if it would be counted too often."""
        missing, room = list(prefix.missing), list(prefix.room)
        for at, (one, is_counted) in enumerate(zip(self._array.counted, placed.role, strict=True)):
            if not is_counted or one.first > prefix.length:
                continue
            missing[at] = max(0, missing[at] - 1)
            left = room[at]
            if left is not None:
                if left == 0:
                    return None
                room[at] = left - 1
        last = replace(placed, before=prefix.last)
        return _Prefix(prefix.length + 1, tuple(missing), tuple(room), last)

    # Different items

    def _choose(self, prefix: _Prefix) -> Generator[Goal, Answer, list[Any] | None]:
        """Return values for the items that are all different; None if there are none."""
        placed = prefix.placed()
        for goal in (one.goal for one in placed):
            several = self._different.setdefault(goal, Several(rest=Found(None)))
            if len(several.values) < len(placed) and isinstance(several.rest, Found):
                yield from find_several(goal, len(placed), self._tools, found=several)
                self._attempt.note(several.rest)
        return _choose_different([self._different[one.goal].values for one in placed])


# Augmenting paths in a bipartite graph: Berge, "Two Theorems in Graph Theory", PNAS 43(9), 1957.
def _choose_different(choices: list[list[Any]]) -> list[Any] | None:
    """Return one value of each list, all different; None if there is no such choice."""
    owners = dict[Any, int]()  # of the chosen values
    chosen = dict[int, Any]()

    def choose(position: int, tried: set[Any]) -> bool:
        for value in choices[position]:
            key = value_key(value)
            if key in tried:
                continue
            tried.add(key)
            if key not in owners or choose(owners[key], tried):
                owners[key] = position
                chosen[position] = value
                return True
        return False

    if not all(choose(position, set()) for position in range(len(choices))):
        return None
    return [chosen[position] for position in range(len(choices))]
