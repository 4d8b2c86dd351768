"""Create values for a schema: choose parts, create the value by its kind, check it, try again."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Final

from toolgen.proof.instances.choices import Dice, Turns
from toolgen.proof.instances.conjunction import KINDS, Conjunction, Expansion, kind_of, kinds_of
from toolgen.proof.instances.containers import FRESH_NAMES, ArrayFacts, ObjectFacts, Requirements
from toolgen.proof.instances.numbers import NumberFacts
from toolgen.proof.instances.prepared_schema import PreparedSchema, RefusedBy, key_of
from toolgen.proof.instances.realistic import realistic_scalar
from toolgen.proof.instances.strings import StringFacts, matching_text
from toolgen.schema.document import Schema, value_key

MISSING: Final = object()
"""Returned where no value was found."""

_HINTS: Final = {
    "object": "properties required additionalProperties patternProperties minProperties maxProperties "
    "propertyNames dependentRequired dependentSchemas dependencies unevaluatedProperties",
    "array": "items prefixItems additionalItems minItems maxItems contains uniqueItems unevaluatedItems",
    "string": "minLength maxLength pattern format",
    "integer": "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf",
}
_RANDOM_TRIES: Final = 4  # random values at one place, before a known one is taken
_SOME: Final = 3  # of what there may be any number of
_FEW: Final = 24  # tries at a place inside of a value
_WORK: Final = 30_000  # places of one value that are tried, those of failed tries included
_SHALLOW: Final = 5  # levels on which optional properties are as frequent as at the top
# A schema that demands more has the value of an exact search, if any.
_PARTS: Final = 2_000  # objects, arrays and scalars of one value
_DEPTH: Final = 40  # nesting of objects and arrays
_CHARACTERS: Final = 5_000  # of one string
TRIES: Final = 40
"""Tries at one place, before a way to satisfy it is given up."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Boundary values of one kind, and what is known of others."""

    facts: StringFacts | NumberFacts
    values: list[Any]


@dataclass(frozen=True, slots=True)
class Style:
    """How many of the optional parts a value has."""

    optional: float  # share of optional properties
    fresh: float  # chance of properties that the schema does not name
    items: str  # "least", "some", "most"


STYLES: Final = (
    Style(0.0, 0.0, "least"),
    Style(1.0, 0.0, "most"),
    Style(0.5, 0.3, "some"),
    Style(0.5, 0.0, "some"),
)

EXAMPLE_STYLE: Final = Style(1.0, 0.0, "some")


class ExhaustedError(Exception):
    """The work for one value exceeds the limit."""


class ValueBuilder:
    """Creates values for one prepared schema. What it returns depends on the seed and on earlier values."""

    def __init__(self, prepared: PreparedSchema, seed: str, *, realistic: bool = False) -> None:
        self._prepared = prepared
        self._realistic = realistic
        self._dice = Dice(seed)
        self._turns = Turns(self._dice, avoids_null=realistic)
        self._style = STYLES[0]
        self._parts = 0
        self._work = 0
        self._fixed: dict[Hashable, Conjunction | None] = {}
        self._facts: dict[Hashable, Any] = {}
        self._words: dict[Hashable, list[str]] = {}

    def build(self, requirements: Requirements, style: Style, name: str = "") -> Any:
        """Return a value that satisfies the requirements, as far as they can be checked; or MISSING."""
        self._style = style
        self._parts = self._work = 0
        try:
            return self._build(requirements, 0, name)
        except ExhaustedError:
            return MISSING

    def _build(self, requirements: Requirements, depth: int, name: str) -> Any:
        self._count(depth)
        key = tuple(map(key_of, requirements))
        tries = TRIES if depth == 0 else _FEW
        for number in range(tries):
            self._turns.is_low = self._is_low(depth)
            made = self._conjunction(requirements, key, is_strict=number % 2 == 1)
            value = MISSING if made is None else self._value(made, requirements, depth, name)
            if value is not MISSING and self._prepared.satisfies(requirements, value):
                return value
            self._work += 1 if made is None else len(made.parts)
            # Scalars of one conjunction were tried: another try would begin with the same parts.
            if key in self._fixed and (made is None or made.kinds <= _FINAL_KINDS):
                return MISSING
        return MISSING

    def _count(self, depth: int) -> None:
        self._parts += 1
        self._work += 1
        if self._work > _WORK or depth > _DEPTH:
            raise ExhaustedError

    def _is_low(self, depth: int) -> bool:
        """True if nesting should end as soon as possible."""
        return depth > _SHALLOW or self._parts > _PARTS // 4

    def _conjunction(self, requirements: Requirements, key: Hashable, is_strict: bool) -> Conjunction | None:
        if key in self._fixed:
            return self._fixed[key]
        expansion = Expansion(self._prepared, self._turns, is_strict)
        made = expansion.expand(requirements)
        # Nothing was chosen, so it is the same each time.
        if not expansion.made.chosen:
            self._fixed[key] = made
        return made

    # One value

    def _value(self, made: Conjunction, requirements: Requirements, depth: int, name: str) -> Any:
        listed = self._listed(made, requirements)
        if listed is not None:
            return copy.deepcopy(self._take(("listed", *made.key), listed)) if listed else MISSING
        if self._realistic and (known := self._annotated(made, requirements)) is not MISSING:
            return copy.deepcopy(known)
        kind = self._kind(made, depth)
        if kind == "object":
            return self._object(made, depth)
        if kind == "array":
            return self._array(made, depth, name)
        return self._scalar(made, kind, requirements, name)

    def _listed(self, made: Conjunction, requirements: Requirements) -> list[Any] | None:
        """Return the listed values that satisfy all requirements; None without `enum` and `const`."""
        lists = [part for part in made.parts if "enum" in part or "const" in part]
        if not lists:
            return None
        key = ("listed", *made.key, *map(key_of, requirements))
        return self._prepared.derived(key, lambda: self._find_listed(lists, made, requirements))

    def _find_listed(
        self, lists: Sequence[Schema], made: Conjunction, requirements: Requirements
    ) -> list[Any]:
        keys = [frozenset(map(value_key, _values_of(schema))) for schema in lists]
        kinds = frozenset(KINDS).intersection(*(kinds_of(part) for part in made.parts))
        return [
            value
            for value in _values_of(lists[0])
            if kind_of(value) in kinds
            and all(value_key(value) in each for each in keys)
            and self._prepared.satisfies(requirements, value)
        ]

    def _annotated(self, made: Conjunction, requirements: Requirements) -> Any:
        """Return an example or a default of the schema that is valid; MISSING if there is none."""
        for part in made.parts:
            found = part.get("examples")
            known = list(found) if isinstance(found, list) else []
            known += [part[key] for key in ("example", "default") if key in part]
            valid = [
                value
                for value in known
                if value not in (None, "", [], {}) and self._prepared.satisfies(requirements, value)
            ]
            if valid:
                return self._dice.one_of(valid)
        return MISSING

    def _kind(self, made: Conjunction, depth: int) -> str:
        kinds = [kind for kind in KINDS if kind in made.kinds]
        hinted = self._fact(("hint", *made.key), lambda: _hinted(made))
        meant = [kind for kind in kinds if kind in hinted]
        if self._realistic:
            some = [kind for kind in meant or kinds if kind != "null"] or kinds
            # A schema that allows nearly everything says nothing: people would write a text.
            return some[0] if len(some) < len(KINDS) - 1 else "string"
        if self._is_low(depth) and len(kinds) > 1:
            kinds = [kind for kind in kinds if kind not in ("object", "array")] or kinds
        elif meant and len(meant) < len(kinds):
            kinds = meant * _SOME + kinds
        return kinds[self._turns.next(("kind", *made.key), len(kinds))]

    def _scalar(self, made: Conjunction, kind: str, requirements: Requirements, name: str) -> Any:
        if kind == "null":
            return None
        if kind == "boolean":
            return bool(self._turns.next(("boolean", *made.key), 2))
        if self._realistic:
            draft = self._prepared.draft
            for value in realistic_scalar(kind, made.parts, draft, name=name, dice=self._dice):
                if self._is_of(value, kind) and self._prepared.satisfies(requirements, value):
                    return value
        key = (kind, *map(key_of, requirements), *made.key)
        pool = self._prepared.derived(("pool", *key), lambda: self._boundaries(made, kind, requirements))
        if not pool.values or self._dice.chance(0.5):
            for _ in range(_RANDOM_TRIES):
                value = self._random(key, pool.facts, kind)
                if value is not MISSING and self._prepared.satisfies(requirements, value):
                    return value
        return self._take(key, pool.values) if pool.values else MISSING

    def _boundaries(self, made: Conjunction, kind: str, requirements: Requirements) -> Pool:
        """Return the values at boundaries that satisfy the requirements, the same for every seed."""
        facts: StringFacts | NumberFacts
        found: Iterable[Any]
        if kind == "string":
            facts = StringFacts.of(made.parts, self._prepared.draft)
            found = facts.boundaries(_CHARACTERS)
        else:
            facts = NumberFacts.of(made.parts)
            found = facts.boundaries(kind == "integer")
        distinct = {(type(value), repr(value)): value for value in found if self._is_of(value, kind)}
        values = [value for value in distinct.values() if self._prepared.satisfies(requirements, value)]
        if not values and isinstance(facts, NumberFacts):
            searched = facts.searched(kind == "integer")
            values = [value for value in searched if self._prepared.satisfies(requirements, value)]
        return Pool(facts, values)

    def _random(self, key: Hashable, facts: StringFacts | NumberFacts, kind: str) -> Any:
        if isinstance(facts, NumberFacts):
            value = facts.random(self._dice, kind == "integer")
            return value if self._is_of(value, kind) else MISSING
        if facts.is_plain:
            return facts.random(self._dice, _CHARACTERS)
        words = self._words.setdefault(key, [])
        if not words:
            words += facts.random_words(Random(f"{self._dice.fraction()}"))
        return words.pop() if words else MISSING

    @staticmethod
    def _is_of(value: Any, kind: str) -> bool:
        return isinstance(value, str) or (kind == kind_of(value))

    def _take(self, key: Hashable, values: Sequence[Any]) -> Any:
        if self._realistic:
            return self._dice.one_of(values)
        return values[self._turns.next(("take", key), len(values))]

    def _fact(self, key: Hashable, make: Any) -> Any:
        if key not in self._facts:
            self._facts[key] = make()
        return self._facts[key]

    # Objects

    def _object(self, made: Conjunction, depth: int) -> Any:
        facts: ObjectFacts = self._fact(("object", *made.key), lambda: ObjectFacts(self._prepared, made))
        names = facts.with_needed(facts.required)
        if len(names) > facts.most or not all(map(facts.allows, names)):
            return MISSING
        needed = frozenset(names)
        names = self._with_optional(facts, names, depth)
        built: dict[str, Any] = {}
        for name in names:
            value = self._build(facts.child(name), depth + 1, name)
            if value is not MISSING:
                built[name] = value
            elif name in needed:
                return MISSING
        if not self._complete(facts, built, depth):
            return MISSING
        # Another order than the schema's: no program may depend on that of properties.
        if self._style.items == "some" and not self._realistic:
            return {name: built[name] for name in self._dice.shuffled(list(built))}
        return built

    def _complete(self, facts: ObjectFacts, built: dict[str, Any], depth: int) -> bool:
        """Add properties until there are enough; False if none was found that can be added."""
        failed: set[str] = set()
        while len(built) < facts.least and len(failed) < _FEW:
            name = self._one_more(facts, built.keys() | failed)
            if name is None:
                return False
            value = self._build(facts.child(name), depth + 1, name)
            if value is MISSING:
                failed.add(name)
                # Other names that match the same pattern would fail as well, each after a search.
                facts.note_failure(name)
            else:
                built[name] = value
        return len(built) >= facts.least

    def _with_optional(self, facts: ObjectFacts, names: list[str], depth: int) -> list[str]:
        """Add optional properties to the required ones, as the style says."""
        share = self._style.optional if depth < _SHALLOW else self._style.optional / 4
        share = 0.0 if self._is_low(depth) else share
        chosen = dict.fromkeys(names)
        for name in facts.declared:
            if name in chosen or not (share == 1.0 or self._dice.chance(share)) or not facts.allows(name):
                continue
            more = facts.with_needed([name]) if name in facts.needs else [name]
            added = [each for each in more if each not in chosen]
            if len(chosen) + len(added) <= facts.most and all(map(facts.allows, added)):
                chosen |= dict.fromkeys(added)
        names = list(chosen)
        if not self._is_low(depth) and self._is_open(facts):
            for _ in range(1 + self._dice.below(2)):
                fresh = self._fresh_name(facts, names)
                if fresh is not None and len(names) < facts.most:
                    names = [*names, fresh]
        return names

    def _is_open(self, facts: ObjectFacts) -> bool:
        """True if the object should have properties that the schema does not name."""
        if self._realistic or self._style.items == "most":
            is_map = bool(facts.patterns) or any(
                isinstance(part.get("additionalProperties"), dict) for part in facts.parts
            )
            return is_map and (not facts.declared or not self._realistic)
        return self._dice.chance(self._style.fresh)

    def _one_more(self, facts: ObjectFacts, taken: Collection[str]) -> str | None:
        for name in facts.declared:
            if name not in taken and facts.allows(name):
                return name
        return self._fresh_name(facts, taken)

    def _fresh_name(self, facts: ObjectFacts, taken: Collection[str]) -> str | None:
        """Return a name that the schema does not list, and allows."""
        for name in self._fresh_names(facts, taken):
            if name not in taken and name not in facts.declared and facts.allows(name):
                return name
        return None

    def _fresh_names(self, facts: ObjectFacts, taken: Collection[str]) -> Iterator[str]:
        for pattern in facts.patterns:
            if pattern in facts.empty_patterns:
                continue
            yield matching_text(pattern)
            key = ("names", pattern)
            words = self._words.setdefault(key, [])
            if not words:
                given = StringFacts.of([{"pattern": pattern}], self._prepared.draft)
                words += given.random_words(Random(f"{self._dice.fraction()}"))
            yield from (words.pop() for _ in range(min(_SOME, len(words))))
        if facts.name_requirements:
            requirements = (*facts.name_requirements, _TEXT)
            for _ in range(_SOME):
                name = self._build(requirements, 1, "name")
                if isinstance(name, str):
                    yield name
        if self._realistic:
            yield from ("key", "other")
        else:
            yield from (snake for name in facts.declared[:_SOME] if (snake := _in_snake_case(name)) != name)
            yield from self._dice.shuffled(FRESH_NAMES)
        yield from (f"key{number}" for number in range(len(taken), 2 * len(taken) + 2))

    # Arrays

    def _array(self, made: Conjunction, depth: int, name: str) -> Any:
        facts: ArrayFacts = self._fact(("array", *made.key), lambda: ArrayFacts(self._prepared, made))
        least = max([facts.least, *(each.least for each in facts.contained)])
        if least > facts.most or least > _PARTS:
            return MISSING
        length = self._length(facts, least, depth)
        inside = self._positions_of_contained(facts, length)
        built: list[Any] = []
        seen: set[Any] = set()
        singular = name.removesuffix("s")
        for index in range(length):
            requirements = (*facts.child(index), *inside.get(index, ()))
            value = self._item(requirements, seen if facts.is_unique else None, depth, singular)
            if value is MISSING:
                return built if len(built) >= least and not facts.contained else MISSING
            built.append(value)
        return built

    def _item(self, requirements: Requirements, seen: set[Any] | None, depth: int, name: str) -> Any:
        for _ in range(1 if seen is None else _FEW):
            value = self._build(requirements, depth + 1, name)
            if seen is None or value is MISSING:
                return value
            key = value_key(value)
            if key not in seen:
                seen.add(key)
                return value
        return MISSING

    def _length(self, facts: ArrayFacts, least: int, depth: int) -> int:
        if self._is_low(depth) or self._style.items == "least":
            return least
        most = min(facts.most, max(least, facts.first) + _SOME, _PARTS)
        if self._realistic:
            return int(max(least, min(most, max(2, facts.first))))
        if self._style.items == "most":
            longest = facts.most if facts.most <= 20 and depth < _SOME else max(least, facts.first) + 2
            return int(max(least, min(facts.most, longest)))
        return self._dice.between(least, int(max(least, most)))

    def _positions_of_contained(self, facts: ArrayFacts, length: int) -> dict[int, list[Any]]:
        """Return what is required of single items so that the array contains enough and not too much."""
        found: dict[int, list[Any]] = {}
        for each in facts.contained:
            order = self._dice.shuffled(range(length))
            count = each.least
            for index in order[:count]:
                found.setdefault(index, []).append(each.schema)
            if each.most < length:
                refusing = self._prepared.derived(("not", id(each.schema)), partial(RefusedBy, each.schema))
                for index in order[int(max(each.least, min(each.most, length))) :]:
                    found.setdefault(index, []).append(refusing)
        return found


_TEXT: Final = {"type": "string"}
_FINAL_KINDS: Final = frozenset(("string", "integer", "fraction", "boolean", "null"))


def _values_of(schema: Schema) -> list[Any]:
    """Return the values that `const` or `enum` lists."""
    return [schema["const"]] if "const" in schema else list(schema["enum"])


def _in_snake_case(name: str) -> str:
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def _hinted(made: Conjunction) -> frozenset[str]:
    """Return the kinds that the keywords of the parts are about."""
    keywords = {keyword for part in made.parts for keyword in part}
    found = {kind for kind, words in _HINTS.items() if not keywords.isdisjoint(words.split())}
    return frozenset(found | {"fraction"} if "integer" in found else found)
