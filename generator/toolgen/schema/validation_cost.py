"""How much work a schema makes of validating a value: how often each part of the value is checked.

Where several branches apply to the same part of a value, as in `anyOf: [{items: A}, {items: A}]`, every
level of the value multiplies the work.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from toolgen.schema.budget import patterns_of
from toolgen.schema.document import MAX_VALUE_DEPTH
from toolgen.schema.graph import NO_NODES, ChildNodes, Graph, Node

MAX_CHECKS: Final = 2_000_000
"""Maximum number of checks of a part of a value by a subschema, in one call: about 0.1 s."""

_MAX_BACK_REFERENCE_TEXT: Final = 20_000  # characters; the time that such patterns take is quadratic
_BACK_REFERENCE: Final = re.compile(r"\\(?:[1-9]|k<)")
_MAX_LOOK_AROUND_TEXT: Final = 4_000  # characters; also quadratic, and each step is more expensive
_MAX_SCANNING_TEXT: Final = 500  # each of the engine's backtracks may read all of the text again
_LOOK_BEHIND: Final = re.compile(r"\(\?<[=!](?:[^()\\]|\\.)*?[(*+{?]")  # of varying length
_LOOK_AROUND: Final = re.compile(r"\(\?<?[=!]")
_POSSESSIVE: Final = re.compile(r"[*+?}]\+")
_BY_LINES: Final = re.compile(r"\(\?[a-z]*m")  # `^` matches at each line
_BACKTRACKING: Final = re.compile(r"\(\?<?[=!]|\\(?:[1-9]|k<)|[*+?}]\+")
_MANY: Final = re.compile(r"[*+]|\{\d*,\}|\{(?:\d*,)?\d{4,}\}")  # no limit, or a thousand and more
_NEGLIGIBLE: Final = 64  # checks of each part: not worth counting
_MAX_WORK: Final = 300_000  # entries compared for one schema

_NUMBERS: Final = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf")

_Counts = dict[int, int]  # node → how many times it is checked against a part
_Step = tuple[str, str | int | None]  # "property" or "item", and its name; None for any other


@dataclass(frozen=True, slots=True)
class ValidationCost:
    """How often each part of a value is checked at most, by its level in the value."""

    by_level: tuple[int, ...]
    below: int  # on the levels after those
    max_text: int = 0  # characters of a text; 0: no limit
    backtracking: tuple[str, ...] = ()  # the patterns whose work depends on the text
    literals: int = 0  # of the largest `enum`: objects and arrays, with which each part may be compared
    unique: bool = False  # some items must be unique
    divisor: float = 0  # the smallest `multipleOf` that is not an integer; 0: none
    numbers: int = 0  # keywords that a number is compared with, at most

    def without_numbers(self) -> ValidationCost | None:
        """Return the cost for values without long integers; None if it hardly grows."""
        cost = replace(self, numbers=0)
        return None if cost == ValidationCost((1,), 1) else cost

    @property
    def short_text(self) -> int:
        """The bytes of a JSON text up to which no integers in it can be too expensive.

        The worst is one integer: a keyword needs a fourth of the square of its words, of 19 digits each.
        """
        if not self.numbers:
            return sys.maxsize
        # the root of size + size² / 1,400 = checks
        return int((1_400 * MAX_CHECKS / self.numbers + 700**2) ** 0.5) - 700

    def checks(self, parts: list[int]) -> int:
        """Return the number of checks for a value with so many parts on each level."""
        known = len(self.by_level)
        return sum(
            count * (self.by_level[level] if level < known else self.below)
            for level, count in enumerate(parts)
        )


def validation_cost(graph: Graph) -> ValidationCost | None:
    """Return how the work for a value grows with its levels; None if it hardly does."""
    own, below = _checks_in_place(graph)
    cost = _cost_by_level(own, below)
    schemas = [node.schema for node in graph.nodes]
    patterns = list(dict.fromkeys(each for schema in schemas for each in patterns_of(schema)))
    limits = [limit for each in patterns if (limit := _max_text(each))]
    divisors = [abs(each) for schema in schemas if type(each := schema.get("multipleOf")) is float]
    special = ValidationCost(
        (1,),
        1,
        max_text=min(limits, default=0),
        backtracking=tuple(each for each in patterns if _BACKTRACKING.search(each)),
        literals=max(map(_literals, schemas), default=0),
        unique=any(schema.get("uniqueItems") is True for schema in schemas),
        divisor=min(divisors, default=0),
        numbers=min(max(map(_comparisons, schemas), default=0) * max(own), MAX_CHECKS),
    )
    if special == ValidationCost((1,), 1):
        return cost
    return special if cost is None else replace(special, by_level=cost.by_level, below=cost.below)


def _options(schema: Mapping[str, Any]) -> list[Any]:
    options = schema.get("enum")
    return options if isinstance(options, list) else []


def _literals(schema: Mapping[str, Any]) -> int:
    """Return how many values of an `enum` are objects or arrays; 0 if it has one value."""
    found = sum(isinstance(each, dict | list) for each in _options(schema))
    return found if found > 1 else 0


def _comparisons(schema: Mapping[str, Any]) -> int:
    """Return how many keywords of a schema compare or divide numbers, whatever their number is."""
    literals = (*_options(schema), schema.get("const"))
    found = any(isinstance(each, int | float) and not isinstance(each, bool) for each in literals)
    return found + sum(keyword in schema for keyword in _NUMBERS)


def _max_text(pattern: str) -> int:
    """Return how many characters a text may have to be matched with `pattern`; 0: no limit."""
    if _scans_again(pattern):
        return _MAX_SCANNING_TEXT
    if _LOOK_BEHIND.search(pattern):
        return _MAX_LOOK_AROUND_TEXT
    is_anchored = pattern.startswith("^") and "|" not in pattern and "(?m" not in pattern
    if _LOOK_AROUND.search(pattern) and _MANY.search(pattern) and not is_anchored:
        return _MAX_LOOK_AROUND_TEXT  # every repetition is tried from every character
    return _MAX_BACK_REFERENCE_TEXT if _BACK_REFERENCE.search(pattern) else 0


def _scans_again(pattern: str) -> bool:
    """True if `pattern` may read the rest of the text from many places.

    Look-around does, and a possessive quantifier, if what it reads has no limit. Those at the beginning, as
    in `^(?=.*[0-9])(?=.*[a-z])`, are tried once.
    """
    shape = _shape(pattern)
    if _POSSESSIVE.search(shape):
        return True
    opened: list[int] = []
    once = (
        1 if shape.startswith("^") and not _BY_LINES.search(shape) else -1
    )  # where a look-around is tried once
    for at, character in enumerate(shape):
        if character == "(":
            opened.append(at)
        elif character == ")" and opened:
            start = opened.pop()
            if not _LOOK_AROUND.match(shape, start):
                continue
            if start == once:
                once = at + 1
            elif _MANY.search(shape, start, at):
                return True
    return False


def _shape(pattern: str) -> str:
    """Return a pattern with one letter for each escape and each character class."""
    shape, at = [], 0
    while at < len(pattern):
        if pattern[at] == "[":
            at += 2 if pattern.startswith("[^", at) else 1
            at += pattern.startswith("]", at)  # as the first character, it is one of the class
            while at < len(pattern) and pattern[at] != "]":
                at += 2 if pattern[at] == "\\" else 1
        elif pattern[at] == "\\":
            at += 1
        else:
            shape.append(pattern[at])
            at += 1
            continue
        shape.append("x")
        at += 1
    return "".join(shape)


def _cost_by_level(own: list[int], below: list[dict[_Step, _Counts]] | None) -> ValidationCost | None:
    if below is None:
        powers = (min(2**level, MAX_CHECKS + 1) for level in range(MAX_VALUE_DEPTH))
        return ValidationCost(tuple(powers), MAX_CHECKS + 1)
    widest = max((sum(counts.values()) for steps in below for counts in steps.values()), default=0)
    if max(own) <= _NEGLIGIBLE and widest <= 1:
        return None
    by_level = [own[0]]
    now = own
    for _ in range(MAX_VALUE_DEPTH):
        after = [
            max(
                (sum(now[child] * times for child, times in counts.items()) for counts in steps.values()),
                default=0,
            )
            for steps in below
        ]
        after = [min(count, MAX_CHECKS + 1) for count in after]
        by_level.append(after[0])
        if after[0] > MAX_CHECKS or after == now or not after[0]:
            break
        now = after
    return ValidationCost(tuple(by_level), by_level[-1]) if max(by_level) > _NEGLIGIBLE else None


def _checks_in_place(graph: Graph) -> tuple[list[int], list[dict[_Step, _Counts]] | None]:
    """Return, for each node, how many nodes check the same value, and which check each part of it.

    The latter is None if there are too many to compare.
    """
    own = [1] * len(graph.nodes)
    below: list[dict[_Step, _Counts]] = [{} for _ in graph.nodes]
    work = 0
    for index in graph.bottom_up():
        node = graph.nodes[index]
        merged = _steps(node)
        for inner in node.in_place:
            own[index] = min(own[index] + own[inner], MAX_CHECKS + 1)
            work += sum(map(len, below[inner].values())) + len(merged)
            if work > _MAX_WORK:
                return own, None
            merged = _merge_steps(merged, below[inner])
        below[index] = merged
    return own, below


def _steps(node: Node) -> dict[_Step, _Counts]:
    return {**_steps_of("property", node.properties), **_steps_of("item", node.items)}


def _steps_of(kind: str, children: ChildNodes) -> dict[_Step, _Counts]:
    steps: dict[_Step, _Counts] = {}
    if children is NO_NODES:
        return steps
    for name, found in children.by_name.items():
        steps[kind, name] = dict.fromkeys((*found, *children.all), 1)
    if children.unnamed or children.all:
        steps[kind, None] = dict.fromkeys((*children.unnamed, *children.all), 1)
    return steps


def _merge_steps(one: dict[_Step, _Counts], other: dict[_Step, _Counts]) -> dict[_Step, _Counts]:
    """Return the steps of two schemas that apply to the same value."""
    if not one or not other:
        return one or other
    merged: dict[_Step, _Counts] = {}
    for step in {**one, **other}:
        counts = dict(one.get(step) or one.get((step[0], None)) or {})
        for child, times in (other.get(step) or other.get((step[0], None)) or {}).items():
            counts[child] = min(counts.get(child, 0) + times, MAX_CHECKS + 1)
        merged[step] = counts
    return merged
