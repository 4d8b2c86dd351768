"""Estimate the work of validating a value, and of enumerating its faults.

Both block the interpreter and cannot be cancelled. The validator reports every fault of every branch of an
`anyOf` or `oneOf`, each in 20 µs or more, with a copy of the part that has the fault, so that explaining can
take far longer than validating, and many times the memory of the value.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from time import thread_time
from typing import Any, Final

from toolgen.schema.document import SchemaDocument
from toolgen.schema.keywords import ALL_REFERENCES, IN_PLACE_LISTS, IN_PLACE_MAPS, IN_PLACE_SINGLE
from toolgen.schema.validation_cost import MAX_CHECKS, ValidationCost
from toolgen.schema.validator import compiled

from .json_value import WORD

STEPS: Final = 3_000
"""Limit for enumerating the faults of one value: checks of a part by a subschema, and work of that size."""

CHECKS: Final = 10_000
"""Limit for validating one value: checks of a part by a subschema. Counting them is slower than checking."""

_HOPS: Final = 50  # consecutive references
_TYPES: Final[Mapping[type, tuple[str, ...]]] = {
    dict: ("object",),
    list: ("array",),
    str: ("string",),
    int: ("integer", "number"),
    float: ("integer", "number"),
    bool: ("boolean",),
    type(None): ("null",),
}
_BACKTRACKS: Final = re.compile(r"\(\?[=!<>]|\\[1-9kbB]")  # patterns that backtrack
_MATCHING_SECONDS: Final = 0.1  # of processor time, for all texts of a call
_BACKTRACK_STEPS: Final = 200  # work of the engine's limit of backtracks
_SHORT: Final = 16  # characters for which such a pattern takes no time
# Parts of a value that the validator copies into an error in the time of a step.
_COPIED_IN_A_STEP: Final = 100
_TEXT_IN_A_PART: Final = 50  # characters
_LONG_NUMBERS_IN_A_STEP: Final = 400  # squares of 64 bits of an integer, which is converted by its digits
_NUMBERED_IN_A_STEP: Final = 300  # names that are compared with a number, for every fault of a few parts
_DIGITS: Final = frozenset("+0123456789")
_OTHERS: Final = ("additionalProperties", "unevaluatedProperties")
_LONG_NUMBER: Final = 400  # checks: what one beyond 64 bits costs, beside a machine word
_LONG_PAIR: Final = 20  # checks in the time of comparing two such numbers
_COMPARISON: Final = 10  # checks: comparing such a number with a bound
_SMALL_DIVISOR: Final = 1e-15  # of `multipleOf`: each number divided by it is large
_CLOSING: Final = frozenset(
    ("additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems")
)
_COPYING: Final = frozenset(
    {
        "anyOf", "oneOf", "not", "enum", "const", "contains", "uniqueItems", "minItems", "maxItems",
        "minProperties", "maxProperties", "propertyNames", "dependentRequired", "dependencies",
    }
)  # fmt: skip
_ITEMS: Final = ("contains", "additionalItems", "unevaluatedItems")


def is_too_expensive(
    cost: ValidationCost, document: SchemaDocument, value: Any, matching: Matching | None = None
) -> bool:
    """True if validating a JSON value with a schema would take too long.

    `matching` has the texts of the same call that were matched before.
    """
    is_special = cost.literals or cost.divisor or cost.unique or (cost.numbers and _has_long_number(value))
    if is_special and _special_checks(cost, value) > MAX_CHECKS:
        return True
    if len(cost.by_level) == 1 and cost.below <= 1 and not cost.max_text and not cost.backtracking:
        return False
    counts: list[int] = []
    level: list[Any] = [value]
    while level:
        counts.append(len(level))
        if cost.max_text and any(_has_longer_text(part, cost.max_text) for part in level):
            return True
        level = [
            inner
            for part in level
            if type(part) in (dict, list)
            for inner in (part.values() if type(part) is dict else part)
        ]
    if cost.backtracking and (matching or Matching()).takes_long(cost.backtracking, value):
        return True
    return cost.checks(counts) > MAX_CHECKS and not Effort(document).checks(value)


class Matching:
    """Matches the texts of one call with the patterns of one schema that backtrack, up to a time of a thread.

    No estimate tells texts that backtrack apart from harmless ones, so each is matched here alone, and once,
    however often values with it are validated.
    """

    __slots__ = ("_left", "_matched", "_value")

    def __init__(self) -> None:
        self._left = _MATCHING_SECONDS
        self._value: Any = None  # whose texts were matched last
        # of earlier values: a text counts as often as it occurs in one
        self._matched: Counter[str] | None = None

    @property
    def seconds_left(self) -> float:
        """The processor time that the call has left."""
        return max(self._left, 0.0)

    def takes_long(self, patterns: tuple[str, ...], value: Any) -> bool:
        """True if matching the texts of a JSON value takes too long, or the call has no time left."""
        if self._left < 0 or value is self._value:
            return self._left < 0
        texts = _texts(value)
        if self._value is not None:
            before = Counter(_texts(self._value))
            self._matched = before if self._matched is None else self._matched | before
            texts = (Counter(texts) - self._matched).elements()
        self._value = value
        matchers = [matcher(pattern) for pattern in patterns]
        now = thread_time()
        end = now + self._left
        for text in texts:
            for matches in matchers:
                matches(text)
            now = thread_time()
            if now > end:
                break
        self._left = end - now
        return self._left < 0


@lru_cache(1_000)
def matcher(pattern: str) -> Callable[[str], bool]:
    return compiled({"pattern": pattern}).is_valid


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts and property names in a JSON value that are long enough to be backtracked in."""
    stack = [[value]]
    for items in stack:  # grows
        for item in items:
            kind = type(item)
            if kind is str:
                if len(item) > _SHORT:
                    yield item
            elif kind is list:
                stack.append(item)
            elif kind is dict:
                stack.append([*item.values(), *item])


def _has_long_number(value: Any) -> bool:
    """True if an integer in a JSON value has more than 64 bits."""
    stack: list[Any] = [[value]]
    for part in stack:  # grows
        for item in part.values() if type(part) is dict else part:
            kind = type(item)
            if kind is int:
                if not -WORD < item < WORD:
                    return True
            elif kind is dict or kind is list:
                stack.append(item)
    return False


def _special_checks(cost: ValidationCost, value: Any) -> int:
    """Return the work for large literals and long numbers, in checks of a part by a subschema.

    The validator computes with numbers of more than 64 bits digit by digit, and compares all those of an
    array in pairs.
    """
    parts = long_numbers = work = longest = 0
    stack = [value]
    while stack:
        part = stack.pop()
        items = part.values() if type(part) is dict else part if type(part) is list else (part,)
        parts += len(items)
        for item in items:
            kind = type(item)
            if kind is int:
                if not -WORD < item < WORD:
                    words = item.bit_length() // 64
                    long_numbers += 1
                    longest = max(longest, words)
                    if cost.divisor or cost.unique:
                        work += _LONG_NUMBER + words * words
                    work += cost.numbers * (_COMPARISON + words * words // 4)
                elif 0 < cost.divisor < _SMALL_DIVISOR:
                    work += _LONG_NUMBER
            elif kind is float:
                if cost.divisor and (cost.divisor < _SMALL_DIVISOR or not -WORD < item < WORD):
                    work += _LONG_NUMBER
            elif kind is dict or kind is list:
                stack.append(item)
    if cost.unique:
        work += long_numbers**2 // 2 * (_LONG_PAIR + longest**2 // 4)
    return work + parts * cost.literals


def _has_longer_text(part: Any, most: int) -> bool:
    """True if a part of a value is a string, or has a property name, of more than `most` characters."""
    if type(part) is str:
        return len(part) > most
    return type(part) is dict and any(len(name) > most for name in part)


class Effort:
    """Counts the steps that the validator takes for values, for one schema."""

    def __init__(self, document: SchemaDocument) -> None:
        self._document = document.plain

    def explains(self, value: Any, part: Any = None) -> bool:
        """True if all faults of a JSON value can be found in time, by the schema or a `part` of it."""
        return self._takes(value, STEPS, self._document.schema if part is None else part, everything=True)

    def checks(self, value: Any, part: Any = None) -> bool:
        """True if a JSON value can be validated in time. A branch for another tag costs nothing."""
        return self._takes(value, CHECKS, self._document.schema if part is None else part, everything=False)

    def _takes(self, value: Any, most: int, schema: Any, *, everything: bool) -> bool:
        """True if `value` takes at most `most` steps; `everything` includes branches for other values."""
        steps = 0
        stack: list[tuple[Any, Any]] = [(schema, value)]
        while stack:
            schema, part = stack.pop()
            steps += 1
            if isinstance(schema, dict):
                steps += _own_steps(schema, part) if everything else 0
                for below in self._below(schema, part, everything):
                    stack.append(below)
                    if len(stack) > most:
                        return False
            elif schema is False and everything:
                steps += size(part, STEPS * _COPIED_IN_A_STEP) // _COPIED_IN_A_STEP
            if steps > most:
                return False
        return True

    def _below(self, schema: dict[str, Any], part: Any, everything: bool) -> Iterator[tuple[Any, Any]]:
        for keyword, inner in schema.items():
            if keyword in ALL_REFERENCES:
                yield self._target(inner, keyword), part
            elif keyword in IN_PLACE_SINGLE:
                yield inner, part
            elif keyword in IN_PLACE_LISTS and isinstance(inner, list):
                for each in inner:
                    if everything or keyword == "allOf" or not self.is_other(each, part):
                        yield each, part
            elif keyword in IN_PLACE_MAPS and isinstance(inner, dict) and isinstance(part, dict):
                for name, each in inner.items():
                    if name in part:
                        yield each, part
        if isinstance(part, dict):
            yield from _properties(schema, part)
        elif isinstance(part, list):
            yield from _items(schema, part)

    def is_other(self, branch: Any, part: Any) -> bool:
        """True if a branch is for another type, or another tag, than that of `part`."""
        for _ in range(_HOPS):
            if not isinstance(branch, dict):
                return False
            if not _is_type(branch.get("type"), part) or not _is_one(branch, part):
                return True
            if isinstance(part, dict):
                required, named = branch.get("required"), branch.get("properties")
                if isinstance(required, list) and not all(name in part for name in required):
                    return True
                for name in named if isinstance(named, dict) else ():
                    tag = branch["properties"][name]
                    if name in part and isinstance(tag, dict) and not _is_one(tag, part[name]):
                        return True
            branch = self._target(branch.get("$ref"), "$ref")
        return False

    def _target(self, reference: Any, keyword: str) -> Any:
        """Return the target of a reference; None if there is none."""
        return self._document.target(reference, (), keyword).value


def _is_type(kinds: Any, part: Any) -> bool:
    if not isinstance(kinds, str | list):
        return True
    own = _TYPES.get(type(part), ())
    return any(kind in own for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _is_one(schema: Mapping[str, Any], part: Any) -> bool:
    """True unless `part` is a string that `const` or `enum` of `schema` excludes."""
    if not isinstance(part, str):
        return True
    options = [schema["const"]] if "const" in schema else schema.get("enum")
    return not isinstance(options, list) or part in options


def size(part: Any, most: int) -> int:
    """Return the number of parts of a JSON value and itself; if there are more than `most`, one above.

    A long text, or property name, is as many parts as it takes memory.
    """
    counted = 1
    stack = [part]
    while stack and counted <= most:
        inner = stack.pop()
        if type(inner) is str:
            counted += len(inner) // _TEXT_IN_A_PART
        elif type(inner) in (dict, list):
            counted += len(inner)
            if counted <= most:
                stack.extend([*inner, *inner.values()] if type(inner) is dict else inner)
    return counted


def copying_steps(schema: Mapping[str, Any], part: Any) -> int:
    """Return the steps to copy `part` into each fault that keywords of one schema may find in it."""
    faults = 0
    for keyword, wanted in schema.items():
        if keyword == "required" and isinstance(wanted, list):
            faults += sum(name not in part for name in wanted) if isinstance(part, dict) else 0
        elif keyword in _CLOSING:
            faults += wanted is False
        elif keyword == "type":
            faults += not _is_type(wanted, part)
        elif keyword in _COPYING:
            faults += 1
    return faults * size(part, STEPS * _COPIED_IN_A_STEP // faults) // _COPIED_IN_A_STEP if faults else 0


def _path_steps(schema: Mapping[str, Any], part: dict[str, Any]) -> int:
    """Return the steps to find the real names in the paths of errors: a name like 007 is a number there."""
    if not _NUMBERED_IN_A_STEP // 6 < len(part) < STEPS * 50:
        return 0  # a short search, or one that is refused anyway
    named = schema.get("properties")
    known = named if isinstance(named, dict) else {}
    if "patternProperties" in schema or any(isinstance(schema.get(keyword), dict) for keyword in _OTHERS):
        known = part
    most = STEPS * _NUMBERED_IN_A_STEP // len(part)
    below = 0
    for name in known:
        if name[:1] in _DIGITS and name in part and below <= most:
            below += size(part[name], most)
    return below * len(part) // _NUMBERED_IN_A_STEP


def _own_steps(schema: Mapping[str, Any], part: Any) -> int:
    """Return the steps for keywords of one schema: missing properties, options, patterns that backtrack."""
    steps = 0
    if isinstance(part, dict):
        steps += len(part) // 50
        required = schema.get("required")
        steps += sum(name not in part for name in required) if isinstance(required, list) else 0
        steps += copying_steps(schema, part) + _path_steps(schema, part)
    elif type(part) is int:
        steps += (part.bit_length() // 64) ** 2 // _LONG_NUMBERS_IN_A_STEP
    elif isinstance(part, list):
        steps += len(part) // 50
        steps += len(part) // 5 if schema.get("uniqueItems") is True else 0
        steps += copying_steps(schema, part)
    elif isinstance(part, str):
        steps += len(part) // 10_000
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and len(part) > _SHORT and _BACKTRACKS.search(pattern):
            steps += _BACKTRACK_STEPS
    options = schema.get("enum")
    return steps + (len(options) // 50 if isinstance(options, list) else 0)


def _properties(schema: Mapping[str, Any], part: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    named, patterns = schema.get("properties"), schema.get("patternProperties")
    known = named if isinstance(named, dict) else {}
    rest = [schema[keyword] for keyword in _OTHERS if keyword in schema]
    rest += patterns.values() if isinstance(patterns, dict) else ()
    if rest or len(part) < len(known):
        for name, inner in part.items():
            if name in known:
                yield known[name], inner
            for each in rest:
                yield each, inner
    else:
        for name, each in known.items():
            if name in part:
                yield each, part[name]
    if "propertyNames" in schema:
        for name in part:
            yield schema["propertyNames"], name


def _items(schema: Mapping[str, Any], part: list[Any]) -> Iterator[tuple[Any, Any]]:
    first = schema.get("prefixItems", schema.get("items"))
    listed = first if isinstance(first, list) else []
    yield from zip(listed, part, strict=False)
    each = [schema["items"]] if "items" in schema and schema["items"] is not listed else []
    each += [schema[keyword] for keyword in _ITEMS if keyword in schema]
    for inner in part[len(listed) :] if each else ():
        for found in each:
            yield found, inner
