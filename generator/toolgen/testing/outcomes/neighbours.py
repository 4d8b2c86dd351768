"""Find requests near the examples of a tool that end in other ways: beyond a limit, with one value changed.

A request is kept if its outcome has a shape that no other one has: an error, a warning, a change of the
state, an empty list. Limits that only the implementation knows, such as the units in stock, are found by
bisection.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, value_key
from toolgen.schema.validator import compiled
from toolgen.testing.checks.answers import FAULTS
from toolgen.testing.inputs import requests
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

MAX_TRIES: Final = 120  # calls of one tool
MAX_NEIGHBOURS: Final = 16  # of one tool
_MAX_LIMITS: Final = 3  # of one number, in one direction
_MAX_FOLLOWED: Final = 16  # calls that are made after another one
_MAX_FOLLOWERS: Final = 6
_MAX_STEPS: Final = 14  # doublings of a number
_MAX_BYTES: Final = 2000  # of a request, beyond those of its example
_PLAIN_WORDS: Final = re.compile(r"\b[a-z]{2,}\b")  # no names and no numbers
_REFUSED: Final = FAULTS | {"invalid_request"}

Outcome = JsonObject
Try = Callable[[JsonObject], Outcome | None]
"""Makes a call with fresh data, and returns its outcome."""


def find_neighbours(tool: ToolUnderTest, examples: Sequence[ExpectedCall], make_call: Try) -> list[Neighbour]:
    """Return neighbours of some examples, beside those that the tool has."""
    search = _Search(tool, make_call)
    for each in tool.neighbours:
        search.know(each.arguments, each.outcome)
    for example in tool.examples:
        search.outcome(example.arguments)
    _add_limits(search, examples)
    for candidate in _other_forms(examples):
        search.add(candidate)
    for candidate in _changes(tool, examples):
        if search.is_full:
            break
        search.add(candidate)
    return sorted(search.found, key=lambda each: [example.name for example in tool.examples].index(each.near))


def find_followers(
    tool: ToolUnderTest, neighbours: Sequence[Neighbour], make_call: Callable[[Neighbour], Outcome | None]
) -> list[Neighbour]:
    """Return calls that end in another way after the call of an example than with fresh data.

    Those with a new shape come first, then those in which something else is different.
    """
    firsts = [each.name for each in tool.examples if each.error is None][:2]
    calls = [*(Neighbour(each.name, each.arguments, {}) for each in tool.examples), *neighbours]
    alone = [(each, make_call(each)) for each in calls[:_MAX_FOLLOWED]]
    shapes = {shape_of(each.arguments, outcome) for each, outcome in alone if outcome is not None}
    new: list[Neighbour] = []
    other: list[Neighbour] = []
    for each, outcome in alone:
        for first in firsts:
            after = make_call(replace(each, after=first))
            if outcome is None or after is None or after == outcome or _is_fault(after):
                continue
            shape = shape_of(each.arguments, after)
            (other if shape in shapes else new).append(replace(each, after=first, outcome=after))
            shapes.add(shape)
    return [*new, *other][:_MAX_FOLLOWERS]


def _is_fault(outcome: Outcome) -> bool:
    return outcome.get("error", {}).get("code") in _REFUSED


@dataclass(frozen=True, slots=True)
class _Candidate:
    near: ExpectedCall
    arguments: JsonObject
    is_other_case: bool = False  # kept in any case: capitals either matter or do not


@dataclass(slots=True)
class _Search:
    """The calls that were made, and the neighbours that were found among them."""

    tool: ToolUnderTest
    make_call: Try
    found: list[Neighbour] = field(default_factory=list)
    tries: int = 0
    _outcomes: dict[object, Outcome | None] = field(default_factory=dict)  # key of a request → outcome
    _kept: set[object] = field(default_factory=set)  # keys of requests
    _shapes: set[str] = field(default_factory=set)

    @property
    def is_full(self) -> bool:
        """True if there are enough neighbours, or calls."""
        return self.tries >= MAX_TRIES or len(self.found) + len(self.tool.neighbours) >= MAX_NEIGHBOURS

    def know(self, arguments: JsonObject, outcome: Outcome) -> None:
        """Note a call that is recorded."""
        self._outcomes[value_key(arguments)] = outcome
        self._kept.add(value_key(arguments))
        self._shapes.add(shape_of(arguments, outcome))

    def outcome(self, arguments: JsonObject) -> Outcome | None:
        """Return the outcome of a request; None if it is not valid, or ends with a fault."""
        key = value_key(arguments)
        if key not in self._outcomes:
            schema = self.tool.input_schema
            is_valid = compiled(schema if isinstance(schema, Mapping) else {}).is_valid(arguments)
            self.tries += is_valid
            may_call = is_valid and self.tries <= MAX_TRIES
            self._outcomes[key] = self.make_call(arguments) if may_call else None
        return self._outcomes[key]

    def shape(self, arguments: JsonObject) -> str | None:
        """Return the shape of the outcome of a request, if it has one."""
        outcome = self.outcome(arguments)
        return None if outcome is None else shape_of(arguments, outcome)

    def add(self, candidate: _Candidate, *, always: bool = False) -> None:
        """Keep a candidate if the shape of its outcome is new."""
        key, arguments = value_key(candidate.arguments), candidate.arguments
        size = len(json.dumps(arguments)) - len(json.dumps(candidate.near.arguments))
        if key in self._kept or size > _MAX_BYTES or self.is_full:
            return
        if any(value_key(example.arguments) == key for example in self.tool.examples):
            self._shapes.add(self.shape(arguments) or "")
            return
        outcome, shape = self.outcome(arguments), self.shape(arguments)
        if outcome is None or _is_fault(outcome):
            return
        if always or shape not in self._shapes or candidate.is_other_case:
            self._kept.add(key)
            self._shapes.add(shape or "")
            self.found.append(Neighbour(candidate.near.name, arguments, outcome))


def shape_of(arguments: JsonObject, outcome: Outcome) -> str:
    """Return an outcome without names and numbers: calls that take the same road have the same shape."""
    own = sorted({text for text in _texts(arguments) if len(text) > 1}, key=len, reverse=True)
    return json.dumps(_shape(outcome, own), sort_keys=True)


def _shape(value: Any, own: Sequence[str]) -> Any:
    if isinstance(value, str):
        if " " not in value:
            return bool(value)
        for text in own:
            value = value.replace(text, "")
        return _PLAIN_WORDS.findall(value)[:8]
    if isinstance(value, list):
        if value and value[-1] == "":
            return len(value) > 2  # lines of a text
        return [min(len(value), 2), sorted({json.dumps(_shape(each, own)) for each in value})[:3]]
    if isinstance(value, dict):
        return {key: value[key] if key == "code" else _shape(value[key], own) for key in value if key != "at"}
    return value if isinstance(value, bool) or value is None else bool(value)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
    elif isinstance(value, str | int):
        yield str(value)


def _add_limits(search: _Search, examples: Iterable[ExpectedCall]) -> None:
    """Add both sides of each number where the outcome changes its shape."""
    done: set[JsonPath] = set()
    for example in examples:
        if example.error is not None:
            continue
        for path, value in _leaves(example.arguments):
            if isinstance(value, bool) or not isinstance(value, int) or _general(path) in done:
                continue
            done.add(_general(path))
            for direction in (1, -1):
                for number in _limits(search, example, path, direction):
                    changed = _with(example.arguments, path, number)
                    search.add(_Candidate(example, changed), always=True)


def _limits(search: _Search, example: ExpectedCall, path: JsonPath, direction: int) -> Iterator[int]:
    """Yield the numbers on both sides of the next limits, in one direction from the example's number."""
    number: int = _at(example.arguments, path)

    def shape(number: int) -> str | None:
        return search.shape(_with(example.arguments, path, number))

    for _ in range(_MAX_LIMITS):
        same, other = number, _beyond(shape, number, direction)
        if other is None:
            return
        own = shape(same)
        while abs(other - same) > 1:
            middle = (same + other) // 2
            if shape(middle) == own:
                same = middle
            else:
                other = middle
        yield same
        yield other
        number = other


def _beyond(shape: Callable[[int], str | None], number: int, direction: int) -> int | None:
    """Return a number whose outcome has another shape; None if there is none, or it is not valid."""
    own = shape(number)
    for step in range(_MAX_STEPS):
        other = number + direction * (1 << step)
        found = shape(other)
        if found is None:
            return None
        if found != own:
            return other
    return None


def _other_forms(examples: Sequence[ExpectedCall]) -> Iterator[_Candidate]:
    """Yield each text of the requests that succeed in the other case of all letters, and many lines of it."""
    done: set[JsonPath] = set()
    for example in examples:
        for path, value in _leaves(example.arguments) if example.error is None else ():
            if isinstance(value, str) and value.swapcase() != value and _general(path) not in done:
                done.add(_general(path))
                yield _Candidate(example, _with(example.arguments, path, value.swapcase()), True)
                yield _Candidate(example, _with(example.arguments, path, "\n".join([value] * 25)))


def _changes(tool: ToolUnderTest, examples: Sequence[ExpectedCall]) -> Iterator[_Candidate]:
    """Yield requests with one change, the examples in turn; then generated ones."""
    roads = [iter(_changes_of(tool, example)) for example in examples]
    while roads:
        for road in list(roads):
            candidate = next(road, None)
            if candidate is None:
                roads.remove(road)
            else:
                yield candidate
    for request in requests(tool, seed="0", count=MAX_TRIES) if examples else ():
        yield _Candidate(_nearest(examples, request), request)


def _changes_of(tool: ToolUnderTest, example: ExpectedCall) -> list[_Candidate]:
    found = []
    for path, value in _leaves(example.arguments):
        found += [_with(example.arguments, path, each) for each in _variants(value)]
        found += [
            _with(example.arguments, path, other)
            for each in tool.examples
            if (other := _at(each.arguments, path)) is not None and other != value
        ]
    for each in tool.examples:
        found += [{**example.arguments, name: value} for name, value in each.arguments.items()]
    found += [_without(example.arguments, name) for name in example.arguments]
    Random(example.name).shuffle(found)
    return [_Candidate(example, each) for each in found if each != example.arguments]


def _variants(value: Any) -> list[Any]:
    """Return values beside one: what off-by-one errors and forgotten cases confuse with it."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value - 1, value + 1]
    if isinstance(value, str):
        digits = re.search(r"\d+(?=\D*$)", value)
        numbers = [] if digits is None else [int(digits[0]) - 1, int(digits[0]) + 1]
        width = 0 if digits is None else len(digits[0])
        cut = (0, 0) if digits is None else digits.span()
        near = [f"{value[: cut[0]]}{number:0{width}}{value[cut[1] :]}" for number in numbers if number >= 0]
        return [
            *near,
            value[:-1],
            value[1:],
            f"{value}\n",
            f"{value} {value}",
        ]
    if isinstance(value, list) and value:
        return [value[:-1], value[1:], [*value, value[0]], value[::-1]]
    return []


def _leaves(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Yield every part of a request with its path, arrays too."""
    if path and not isinstance(value, dict):
        yield path, value
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(inner, (*path, key))


def _general(path: JsonPath) -> JsonPath:
    return tuple("*" if isinstance(step, int) else step for step in path)


def _at(value: Any, path: JsonPath) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _with(request: JsonObject, path: JsonPath, value: Any) -> JsonObject:
    changed = copy.deepcopy(request)
    place = _at(changed, path[:-1])
    place[path[-1]] = value
    return changed


def _without(request: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in request.items() if key != name}


def _nearest(examples: Sequence[ExpectedCall], request: JsonObject) -> ExpectedCall:
    """Return the example that shares most arguments with a request."""

    def shared(example: ExpectedCall) -> int:
        return sum(request.get(name) == value for name, value in example.arguments.items())

    return max(examples, key=shared)
