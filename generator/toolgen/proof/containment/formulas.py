"""Schemas as formulas: constraints on one value, joined by and, not, exactly one and if.

A formula is a number; its negation is the negative number. Equal formulas have the same number, whichever
document they come from, so that `f and not f` is recognised at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from toolgen.proof.work import WorkBudget
from toolgen.schema.document import JsonPath, value_key

Formula = int
"""The number of a formula; the negative number is its negation."""

TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
"""The JSON types, cheapest search first. An integer is a number."""


Side = Literal["narrow", "wide"]


@dataclass(frozen=True, slots=True)
class Place:
    """A keyword of one of the two documents."""

    side: Side
    path: JsonPath


class Node:
    """What a formula says: one of the classes below."""

    __slots__ = ()


# Joined formulas


@dataclass(frozen=True, slots=True)
class Always(Node):
    """True of every value."""


@dataclass(frozen=True, slots=True)
class All(Node):
    """All parts hold. `or` is the negation of all negations."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class ExactlyOne(Node):
    """One part holds, the others do not. A part may occur twice."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    """`then` holds if `condition` does, else `otherwise`."""

    condition: Formula
    then: Formula
    otherwise: Formula


@dataclass(frozen=True, slots=True)
class OfType(Node):
    """The value is not of the JSON type `type`, or `part` holds."""

    type: str
    part: Formula


@dataclass(frozen=True, slots=True)
class AcceptedBy(Node):
    """The value is accepted by a class of equal subschemas; translated when it is looked at."""

    index: int


# Constraints: each is about one type, and looked at only for values of that type


@dataclass(frozen=True, slots=True)
class HasType(Node):
    """The value is of a JSON type, one of `TYPES`."""

    type: str


@dataclass(frozen=True, slots=True)
class Values(Node):
    """The value is one of these: null, booleans, numbers, texts, by `value_key`."""

    keys: frozenset[Any]


@dataclass(frozen=True, slots=True)
class Whole(Node):
    """A number without a fractional part."""


@dataclass(frozen=True, slots=True)
class AtLeast(Node):
    """A number not below `limit`; strictly above if not `inclusive`."""

    limit: Any
    inclusive: bool


@dataclass(frozen=True, slots=True)
class MultipleOf(Node):
    """A number that is a multiple of `divisor`."""

    divisor: Any


@dataclass(frozen=True, slots=True)
class LengthAtLeast(Node):
    """A text of at least `count` characters."""

    count: int


@dataclass(frozen=True, slots=True)
class Pattern(Node):
    """A text with a match of `pattern`."""

    pattern: str


@dataclass(frozen=True, slots=True)
class HasFormat(Node):
    """A text of a format that the validator asserts."""

    name: str


@dataclass(frozen=True, slots=True)
class ItemsAtLeast(Node):
    """An array of at least `count` items."""

    count: int


@dataclass(frozen=True, slots=True)
class Item(Node):
    """An array whose item at `index`, if it has one, satisfies `part`."""

    index: int
    part: Formula


@dataclass(frozen=True, slots=True)
class ItemsFrom(Node):
    """An array whose items from `index` on satisfy `part`."""

    index: int
    part: Formula


@dataclass(frozen=True, slots=True)
class ContainsAtLeast(Node):
    """An array of which at least `count` items satisfy `part`."""

    part: Formula
    count: int


@dataclass(frozen=True, slots=True)
class Distinct(Node):
    """An array without equal items."""


@dataclass(frozen=True, slots=True)
class PropertiesAtLeast(Node):
    """An object of at least `count` properties."""

    count: int


@dataclass(frozen=True, slots=True)
class Has(Node):
    """An object with a property `name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Property(Node):
    """An object whose property `name`, if it has one, satisfies `part`."""

    name: str
    part: Formula


@dataclass(frozen=True, slots=True)
class Matching(Node):
    """An object whose properties with a match of `pattern` in the name satisfy `part`."""

    pattern: str
    part: Formula


@dataclass(frozen=True, slots=True)
class Others(Node):
    """An object whose properties, but for `names` and matches of `patterns`, satisfy `part`."""

    names: frozenset[str]
    patterns: tuple[str, ...]
    part: Formula


@dataclass(frozen=True, slots=True)
class Names(Node):
    """An object whose property names, as texts, satisfy `part`."""

    part: Formula


@dataclass(frozen=True, slots=True)
class Opaque(Node):
    """A keyword that is not analysed: nothing is known of the values that it accepts.

    Two that say the same are equal.
    """

    says: Any  # hashable: what it says, or its place
    reason: str


TRUE: Final[Formula] = 1
FALSE: Final[Formula] = -1


class Formulas:
    """The formulas of one comparison, by number."""

    def __init__(self, effort: WorkBudget) -> None:
        self.effort = effort
        self._nodes: list[Node] = [Always(), Always()]  # 0 is not a formula: it has no negation
        self._numbers: dict[Node, int] = {}
        self._places: dict[int, Place] = {}
        self.values: dict[Any, Any] = {}  # of the keys in `Values`, in the order of the schemas
        self._positions: dict[Any, int] = {}

    def node(self, formula: Formula) -> Node:
        """Return what `formula`, or its negation, says."""
        self.effort.spend()
        return self._nodes[abs(formula)]

    def place(self, formula: Formula) -> Place | None:
        """Return the keyword that first gave `formula` or its negation."""
        return self._places.get(abs(formula))

    def position(self, key: Any) -> int:
        """Return where the value of `key` comes in the schemas, among the others."""
        return self._positions[key]

    # Hash-consing: Ershov, "On Programming of Arithmetic Operations", Comm. ACM 1(8), 1958.
    def add(self, node: Node, place: Place | None = None) -> Formula:
        """Return the number of a constraint or of a joined formula that is not simplified."""
        self.effort.spend()
        number = self._numbers.get(node)
        if number is None:
            number = self._numbers[node] = len(self._nodes)
            self._nodes.append(node)
            if place is not None:
                self._places[number] = place
        return number

    def all(self, parts: Iterable[Formula]) -> Formula:
        """Return the formula that all `parts` hold."""
        unique = dict.fromkeys(part for part in parts if part != TRUE)
        self.effort.spend(len(unique))
        # Equal formulas have one number, so that a contradiction needs no search.
        if FALSE in unique or any(-part in unique for part in unique):
            return FALSE
        if len(unique) < 2:
            return next(iter(unique), TRUE)
        return self.add(All(tuple(sorted(unique))))

    def any(self, parts: Iterable[Formula]) -> Formula:
        """Return the formula that at least one of `parts` holds."""
        return -self.all(-part for part in parts)

    def of_type(self, type_: str, part: Formula) -> Formula:
        """Return the formula that a value of a JSON type satisfies `part`."""
        return TRUE if part == TRUE else self.add(OfType(type_, part))

    def if_(self, condition: Formula, then: Formula, otherwise: Formula) -> Formula:
        """Return the formula of `if`, `then` and `else`."""
        if then == otherwise or condition == TRUE:
            return then
        if condition == FALSE:
            return otherwise
        return self.add(If(condition, then, otherwise))

    def property(self, name: str, part: Formula) -> Formula:
        """Return the constraint on one property of an object."""
        if part == FALSE:
            return -self.add(Has(name))
        return TRUE if part == TRUE else self.add(Property(name, part))

    def item(self, index: int, part: Formula) -> Formula:
        """Return the constraint on one item of an array."""
        if part == FALSE:
            return -self.add(ItemsAtLeast(index + 1))
        return TRUE if part == TRUE else self.add(Item(index, part))

    def items_from(self, index: int, part: Formula) -> Formula:
        """Return the constraint on all items of an array but the first."""
        if part == FALSE:
            return -self.add(ItemsAtLeast(index + 1))
        return TRUE if part == TRUE else self.add(ItemsFrom(index, part))

    def contains(self, part: Formula, count: int) -> Formula:
        """Return the constraint that `count` items of an array satisfy `part`."""
        if count == 0 or part == FALSE:
            return FALSE if count else TRUE
        return self.add(ItemsAtLeast(count) if part == TRUE else ContainsAtLeast(part, count))

    # Constants

    def one_of(self, values: Iterable[Any]) -> Formula:
        """Return the formula that a value equals one of `values`."""
        scalars, others = set(), []
        for value in values:
            self.effort.spend()
            if isinstance(value, dict | list):
                others.append(self.constant(value))
            else:
                self.values.setdefault(key := value_key(value), value)
                self._positions.setdefault(key, len(self._positions))
                scalars.add(key)
        texts = [self.add(Values(frozenset(scalars)))] if scalars else []
        return self.any([*texts, *others])

    def constant(self, value: Any) -> Formula:
        """Return the formula that a value equals `value`."""
        if isinstance(value, dict):
            parts = [self.add(Has(name)) for name in value]
            parts += [self.property(name, self.constant(inner)) for name, inner in value.items()]
            parts.append(self.add(Others(frozenset(value), (), FALSE)))
            return self.all([self.add(HasType("object")), self.of_type("object", self.all(parts))])
        if isinstance(value, list):
            length = [self.add(ItemsAtLeast(len(value)))] if value else []
            parts = [*length, -self.add(ItemsAtLeast(len(value) + 1))]
            parts += [self.add(Item(index, self.constant(inner))) for index, inner in enumerate(value)]
            return self.all([self.add(HasType("array")), self.of_type("array", self.all(parts))])
        return self.one_of([value])
