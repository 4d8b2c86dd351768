"""Find requests near the examples of a tool that end in other ways: beyond a limit, with one value changed.

A request is kept if its outcome has a shape that no other one has (an error, a warning, a change of the
state, an empty list), and of every parameter a few that have none. Limits that only the implementation
knows, such as the units in stock, are found by bisection.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, value_key
from toolgen.testing.inputs.known_values import KnownValues
from toolgen.testing.inputs.requests import Change, changes_of, is_valid, requests, succeeding
from toolgen.testing.inputs.slots import Slot, general_path, slots, with_value
from toolgen.testing.subjects.subject import FAULTS
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

MAX_TRIES: Final = 220  # calls of one tool
MAX_NEIGHBOURS: Final = 64  # of one tool
_MAX_ALIKE: Final = 3  # neighbours of one example by one parameter, with outcomes of a known shape
_MAX_LIMITS: Final = 3  # of one number, in one direction
_FIRST_ROUND: Final = 150  # requests, before values of their answers are used
_MAX_FOLLOWED: Final = 36  # calls that are made after another one
_MAX_FOLLOWERS: Final = 24
_MAX_STEPS: Final = 14  # doublings of a number
_MAX_BYTES: Final = 400  # of a request, beyond those of its example
_PLAIN_WORDS: Final = re.compile(r"\b[a-z]{2,}\b")  # no names and no numbers
_REFUSED: Final = FAULTS | {"invalid_request"}

Outcome = JsonObject
Try = Callable[[JsonObject], Outcome | None]
"""Makes a call with fresh data, and returns its outcome."""


def find_neighbours(
    tool: ToolUnderTest, examples: Sequence[ExpectedCall], make_call: Try, known: KnownValues
) -> list[Neighbour]:
    """Return neighbours of some examples, beside those that the tool has."""
    search = _Search(tool, make_call)
    for each in tool.neighbours:
        search.know(each.arguments, each.outcome)
    for example in tool.examples:
        search.know(example.arguments, search.outcome(example.arguments))
    _add_limits(search, examples)
    for change in islice(changes_of(tool, succeeding(examples), known), _FIRST_ROUND):
        search.add(change)
    for outcome in search.outcomes():  # answers give values for more requests
        known.add(outcome.get("output"))
    for request in requests(tool, seed="0", count=MAX_TRIES, known=known) if examples else ():
        if search.is_full:
            break
        near = _nearest(examples, request)
        changed = [name for name in request if request[name] != near.arguments.get(name)]
        search.add(Change(near, tuple(changed), request))
    return sorted(search.found, key=lambda each: [example.name for example in tool.examples].index(each.near))


def find_followers(
    tool: ToolUnderTest, neighbours: Sequence[Neighbour], make_call: Callable[[Neighbour], Outcome | None]
) -> list[Neighbour]:
    """Return calls that end in another way after the call of an example than with fresh data."""
    firsts = [each.name for each in tool.examples if each.error is None][:2]
    calls = [*(Neighbour(each.name, each.arguments, {}) for each in tool.examples), *neighbours]
    found: list[Neighbour] = []
    for each in calls[:_MAX_FOLLOWED]:
        outcome = make_call(each)
        for first in firsts:
            after = make_call(replace(each, after=first))
            # What ends as it does with fresh data shows no effect of the first call.
            if outcome is not None and after is not None and after != outcome and not is_fault(after):
                found.append(replace(each, after=first, outcome=after))
    return found[:_MAX_FOLLOWERS]


def is_fault(outcome: Outcome) -> bool:
    """True for the outcome of a call that failed against its contract; it is never recorded."""
    return outcome.get("error", {}).get("code") in _REFUSED


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
    _texts: set[str] = field(default_factory=set)  # outcomes as JSON
    _alike: Counter[JsonPath] = field(default_factory=Counter)  # example and parameters → how many are kept

    @property
    def is_full(self) -> bool:
        """True if there are enough neighbours, or calls."""
        return self.tries >= MAX_TRIES or len(self.found) + len(self.tool.neighbours) >= MAX_NEIGHBOURS

    def know(self, arguments: JsonObject, outcome: Outcome | None) -> None:
        """Note a call that is recorded."""
        self._outcomes[value_key(arguments)] = outcome
        self._kept.add(value_key(arguments))
        if outcome is not None:
            self._shapes.add(shape_of(arguments, outcome))
            self._texts.add(json.dumps(outcome, sort_keys=True))

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes so far."""
        return [each for each in self._outcomes.values() if each is not None]

    def outcome(self, arguments: JsonObject) -> Outcome | None:
        """Return the outcome of a request; None if it is not valid, or there were enough calls."""
        key = value_key(arguments)
        if key not in self._outcomes:
            valid = is_valid(self.tool.input_schema, arguments)
            self.tries += valid
            may_call = valid and self.tries <= MAX_TRIES
            self._outcomes[key] = self.make_call(arguments) if may_call else None
        return self._outcomes[key]

    def shape(self, arguments: JsonObject) -> str | None:
        """Return the shape of the outcome of a request, if it has one."""
        outcome = self.outcome(arguments)
        return None if outcome is None else shape_of(arguments, outcome)

    def add(self, change: Change, *, always: bool = False) -> None:
        """Add a request if its outcome has a new shape, or if there are few changes of its parameter."""
        request = change.request
        size = len(json.dumps(request)) - len(json.dumps(change.example.arguments))
        if value_key(request) in self._kept or size > _MAX_BYTES or self.is_full:
            return
        outcome = self.outcome(request)
        if outcome is None or is_fault(outcome):
            return
        if not always and shape_of(request, outcome) in self._shapes:
            group = (change.example.name, *general_path(change.path))
            # One is recorded that makes no difference, and a few with other values in the outcome.
            most = 1 if json.dumps(outcome, sort_keys=True) in self._texts else _MAX_ALIKE
            if "error" in outcome or self._alike[group] >= most:
                return
            self._alike[group] += 1
        self.know(request, outcome)
        self.found.append(Neighbour(change.example.name, request, outcome))


def shape_of(arguments: JsonObject, outcome: Outcome) -> str:
    """Return an outcome without names and numbers: calls that run the same code have the same shape."""
    texts = {text for text in _texts(arguments) if len(text) > 1}
    own = sorted(texts, key=lambda text: (-len(text), text))  # a longer one may contain another
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
            return len(value) > 2  # a text that ended with a line break, divided into lines
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
        for slot in slots(search.tool.input_schema, example.arguments):
            path, value = slot.path, slot.value
            if isinstance(value, bool) or not isinstance(value, int) or general_path(path) in done:
                continue
            done.add(general_path(path))
            for direction in (1, -1):
                for number in _limits(search, example, slot, direction):
                    changed = with_value(example.arguments, path, number)
                    search.add(Change(example, path, changed), always=True)


def _limits(search: _Search, example: ExpectedCall, slot: Slot, direction: int) -> Iterator[int]:
    """Yield the numbers on both sides of the next limits, in one direction from the example's number."""
    number: int = slot.value

    def shape(number: int) -> str | None:
        return search.shape(with_value(example.arguments, slot.path, number))

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
        # Not valid, or out of calls: a limit beyond it is the schema's, not the implementation's.
        if found is None:
            return None
        if found != own:
            return other
    return None


def _nearest(examples: Sequence[ExpectedCall], request: JsonObject) -> ExpectedCall:
    """Return the example that shares most arguments with a request."""

    def shared(example: ExpectedCall) -> int:
        return sum(request.get(name) == value for name, value in example.arguments.items())

    return max(examples, key=shared)
