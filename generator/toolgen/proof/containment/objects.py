"""Find an object that satisfies constraints.

Names that the constraints mention are looked at one by one, all others by the patterns that they match. Some
constraints demand a property ("not" that of `additionalProperties`): it is one of the names, or a new one.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

from toolgen.proof.containment import formulas as kinds
from toolgen.proof.containment.evaluate import UndecidedError
from toolgen.proof.containment.formulas import FALSE, Formula, HasType, Matching, Others, Pattern
from toolgen.proof.containment.goals import Goal
from toolgen.proof.containment.results import EMPTY, Answer, Found, Stuck
from toolgen.proof.containment.steps import Attempt, Construction, Search, Tools, attempt_twice, find_several

_MOST_DEMANDS: Final = 100  # each is a level of recursion
_MOST_PATTERNS: Final = 6  # of `patternProperties`: names are sought for each combination
_MOST_FILLED: Final = 200  # properties that are made up for `minProperties`


@dataclass(frozen=True, slots=True)
class _Demand:
    """A property that an object must have: one whose name and value satisfy all this."""

    matched: frozenset[str] = frozenset()  # patterns with a match in the name
    unmatched: frozenset[str] = frozenset()
    not_among: frozenset[str] = frozenset()
    name: Goal = frozenset()
    value: Goal = frozenset()

    def __or__(self, other: _Demand) -> _Demand:
        return _Demand(
            self.matched | other.matched,
            self.unmatched | other.unmatched,
            self.not_among | other.not_among,
            self.name | other.name,
            self.value | other.value,
        )


@dataclass(slots=True)
class _Object:
    """The constraints on one object."""

    least: int = 0
    most: int | None = None
    required: dict[str, None] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    properties: dict[str, list[Formula]] = field(default_factory=dict)
    matching: list[Matching] = field(default_factory=list)
    others: list[Others] = field(default_factory=list)
    names: list[Formula] = field(default_factory=list)
    demands: list[_Demand] = field(default_factory=list)

    def mentioned(self) -> list[str]:
        """Return the names that constraints mention, required ones first."""
        excepted = (name for one in self.others for name in sorted(one.names))
        demanded = (name for one in self.demands for name in sorted(one.not_among))
        names = (*self.required, *self.properties, *sorted(self.absent), *excepted, *demanded)
        return list(dict.fromkeys(names))

    def patterns(self) -> list[str]:
        """Return the patterns that tell names apart."""
        found = [one.pattern for one in self.matching]
        found += [pattern for one in self.others for pattern in one.patterns]
        found += [pattern for one in self.demands for pattern in sorted(one.matched | one.unmatched)]
        return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class _New:
    """A property with a name that no constraint mentions, of which these patterns have a match."""

    matched: frozenset[str]
    demand: _Demand


def find_object(constraints: Sequence[Formula], tools: Tools) -> Search:
    """Find an object that satisfies `constraints`."""
    wanted = _read(constraints, tools)
    if wanted.most is not None and max(wanted.least, len(wanted.required)) > wanted.most:
        return EMPTY
    if any(name in wanted.absent for name in wanted.required):
        return EMPTY
    place = next((place for place in map(tools.formulas.place, constraints) if place is not None), None)
    if len(wanted.demands) > _MOST_DEMANDS:
        return Stuck("too many constraints on properties together", place)
    return (
        yield from attempt_twice(
            lambda attempt: _ObjectBuilder(wanted, tools, attempt, place=place).construct()
        )
    )


def _read(constraints: Sequence[Formula], tools: Tools) -> _Object:
    wanted = _Object()
    for constraint in constraints:
        holds = constraint > 0
        match tools.formulas.node(constraint):
            case kinds.PropertiesAtLeast(count) if holds:
                wanted.least = max(wanted.least, count)
            case kinds.PropertiesAtLeast(count):
                wanted.most = count - 1 if wanted.most is None else min(wanted.most, count - 1)
            case kinds.Has(name) if holds:
                wanted.required[name] = None
            case kinds.Has(name):
                wanted.absent.add(name)
            case kinds.Property(name, part):
                wanted.properties.setdefault(name, []).append(part if holds else -part)
                if not holds:
                    wanted.required[name] = None
            case kinds.Matching() as node if holds:
                wanted.matching.append(node)
            case kinds.Matching(pattern, part):
                wanted.demands.append(_Demand(matched=frozenset((pattern,)), value=_not(part)))
            case kinds.Others() as node if holds:
                wanted.others.append(node)
            case kinds.Others(names, patterns, part):
                demand = _Demand(unmatched=frozenset(patterns), not_among=names, value=_not(part))
                wanted.demands.append(demand)
            case kinds.Names(part) if holds:
                wanted.names.append(part)
            case kinds.Names(part):
                wanted.demands.append(_Demand(name=frozenset((-part,))))
            case node:
                raise AssertionError(node)
    return wanted


def _not(part: Formula) -> Goal:
    return frozenset() if part == FALSE else frozenset((-part,))


class _ObjectBuilder:
    """Constructs an object: required properties, then demanded ones, then as many as it needs."""

    def __init__(self, wanted: _Object, tools: Tools, attempt: Attempt, *, place: kinds.Place | None) -> None:
        self._wanted = wanted
        self._tools = tools
        self._attempt = attempt
        self._place = place
        self._mentioned = wanted.mentioned()
        self._patterns = wanted.patterns()

    def construct(self) -> Construction:
        """Construct the object."""
        for name in self._wanted.required:
            found = yield from self._property(name, _Demand())
            if found is EMPTY:
                return EMPTY
        return (yield from self._place_demands(self._wanted.demands, {}, ()))

    def _place_demands(
        self, demands: Sequence[_Demand], named: dict[str, _Demand], new: tuple[_New, ...]
    ) -> Construction:
        """Give each demand a property, of its own or one that others have: `named` or `new`."""
        self._tools.steps.spend()
        count = len({*self._wanted.required, *named}) + len(new)
        if self._wanted.most is not None and count > self._wanted.most:
            return EMPTY
        while demands and self._is_met(demands[0], named):
            demands = demands[1:]
        if not demands:
            return (yield from self._complete(named, new))
        demand, rest = demands[0], demands[1:]
        for name in self._mentioned:
            if name not in self._wanted.absent and self._suits(name, demand):
                shared = named.get(name, _Demand()) | demand
                answer = yield from self._property(name, shared)
                if isinstance(answer, Found):
                    found = yield from self._place_demands(rest, {**named, name: shared}, new)
                    if isinstance(found, Found):
                        return found
        for several in self._with_new(new, demand):
            answer = yield from self._attempt.ask(self._value_of_new(several[-1]))
            if isinstance(answer, Found):
                answer = yield from self._attempt.ask(self._name_goal(several[-1]))
            if isinstance(answer, Found):
                found = yield from self._place_demands(rest, named, several)
                if isinstance(found, Found):
                    return found
        return EMPTY

    def _with_new(self, new: tuple[_New, ...], demand: _Demand) -> Iterator[tuple[_New, ...]]:
        """Yield the new properties with one that suits `demand`, which comes last: an old or another one."""
        for at, one in enumerate(new):
            if demand.matched <= one.matched and demand.unmatched.isdisjoint(one.matched):
                yield (*new[:at], *new[at + 1 :], _New(one.matched, one.demand | demand))
        for one in self._new_properties(demand):
            yield (*new, one)

    def _is_met(self, demand: _Demand, named: Mapping[str, _Demand]) -> bool:
        """True if a property that the object has in any case satisfies a demand."""
        return any(
            demand.value <= {*self._wanted.properties.get(name, ()), *named.get(name, _Demand()).value}
            and demand.name <= named.get(name, _Demand()).name
            and self._suits(name, demand)
            for name in dict.fromkeys((*self._wanted.required, *named))
        )

    # Goals

    def _matches(self, pattern: str, name: str) -> bool:
        try:
            return self._tools.evaluator.matches(pattern, name)
        except UndecidedError:
            self._attempt.note(Stuck("a pattern is not analysed", self._place))
            return False

    def _suits(self, name: str, demand: _Demand) -> bool:
        return (
            name not in demand.not_among
            and all(self._matches(pattern, name) for pattern in demand.matched)
            and not any(self._matches(pattern, name) for pattern in demand.unmatched)
        )

    def _property(self, name: str, demand: _Demand) -> Construction:
        """Find a value for a property that the constraints mention."""
        goal = frozenset(self._wanted.names) | demand.name
        try:
            if not all(self._tools.evaluator.holds(part, name) for part in goal):
                return EMPTY
        except UndecidedError:
            self._attempt.note(Stuck("a name of a property is not analysed", self._place))
            return EMPTY
        matched = frozenset(pattern for pattern in self._patterns if self._matches(pattern, name))
        return (yield from self._attempt.ask(self._value_goal(name, matched, demand)))

    def _value_goal(self, name: str | None, matched: frozenset[str], demand: _Demand) -> Goal:
        goal = set(demand.value)
        if name is not None:
            goal.update(self._wanted.properties.get(name, ()))
        goal.update(one.part for one in self._wanted.matching if one.pattern in matched)
        for one in self._wanted.others:
            if name not in one.names and matched.isdisjoint(one.patterns):
                goal.add(one.part)
        return frozenset(goal)

    def _value_of_new(self, new: _New) -> Goal:
        return self._value_goal(None, new.matched, new.demand)

    def _name_goal(self, new: _New) -> Goal:
        add = self._tools.formulas.add
        goal = {add(HasType("string")), *self._wanted.names, *new.demand.name}
        for pattern in self._patterns:
            goal.add(add(Pattern(pattern)) * (1 if pattern in new.matched else -1))
        if self._mentioned:
            goal.add(-self._tools.formulas.one_of(self._mentioned))
        return frozenset(goal)

    def _new_properties(self, demand: _Demand) -> Iterator[_New]:
        """Yield properties that suit `demand`, by the patterns that their names match, few ones first."""
        free = [
            pattern
            for pattern in self._patterns
            if pattern not in demand.matched and pattern not in demand.unmatched
        ]
        # No name matches a pattern and does not.
        if demand.matched & demand.unmatched:
            return
        most = len(free) if len(self._patterns) <= _MOST_PATTERNS else 1
        for count in range(most + 1):
            for more in combinations(free, count):
                yield _New(demand.matched | frozenset(more), demand)
        if most < len(free):
            self._attempt.note(Stuck("too many patterns of names together", self._place))

    # Completion

    def _complete(self, named: dict[str, _Demand], new: tuple[_New, ...]) -> Construction:
        made: dict[str, Any] = {}
        for name in dict.fromkeys((*self._wanted.required, *named)):
            found = yield from self._property(name, named.get(name, _Demand()))
            if found is EMPTY:
                return EMPTY
            made[name] = found.value
        for one in new:
            added = yield from self._add_new(made, one, 1)
            if not added:
                # another name for the one before might have left one for this
                if len(new) > 1:
                    self._attempt.note(Stuck("names of properties are scarce", self._place))
                return EMPTY
        return (yield from self._fill(made))

    def _add_new(self, made: dict[str, Any], new: _New, count: int) -> Generator[Goal, Answer, int]:
        """Add up to `count` properties with new names to `made`; return how many."""
        value = yield from self._attempt.ask(self._value_of_new(new))
        if value is EMPTY:
            return 0
        goal = self._name_goal(new)
        if made:
            goal |= {-self._tools.formulas.one_of(made)}
        names = yield from find_several(goal, count, self._tools)
        self._attempt.note(names.rest)
        made.update((name, value.value) for name in names.values)
        return len(names.values)

    def _fill(self, made: dict[str, Any]) -> Construction:
        """Add properties until there are enough."""
        missing = self._wanted.least - len(made)
        if missing > _MOST_FILLED:
            self._attempt.note(Stuck("an object needs too many properties", self._place))
            return EMPTY
        for name in self._mentioned:
            if missing > 0 and name not in made and name not in self._wanted.absent:
                found = yield from self._property(name, _Demand())
                if isinstance(found, Found):
                    made[name] = found.value
                    missing -= 1
        if missing > 0:
            for new in self._new_properties(_Demand()):
                missing -= yield from self._add_new(made, new, missing)
                if missing <= 0:
                    break
        return EMPTY if missing > 0 else Found(made)
