"""Find requests near the examples of a tool that end in other ways: beyond a limit, with one value changed.

A request is kept if its outcome has a shape that no other one has: an error, a warning, a change of the
state, an empty list. Limits that only the implementation knows, such as the units in stock, are found by
bisection.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, zip_longest
from random import Random
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, value_key
from toolgen.testing.inputs.known_values import KnownValues
from toolgen.testing.inputs.near_values import edge_values, other_forms
from toolgen.testing.inputs.requests import changes_of, finite_changes, is_valid, requests, succeeding
from toolgen.testing.inputs.slots import Slot, general_path, slots, with_value
from toolgen.testing.outcomes.compact import pack
from toolgen.testing.subjects.subject import FAULTS
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

MAX_TRIES: Final = 220  # calls of one tool
MAX_NEIGHBOURS: Final = 64  # of one tool
_MAX_ALIKE: Final = 3  # neighbours of one example by one parameter, with outcomes of the same shape
_MAX_FORMS: Final = 8  # of one text
_MAX_LIMITS: Final = 3  # of one number, in one direction
_FIRST_ROUND: Final = 150  # requests, before values of their answers are used
_MAX_ABOUT: Final = 3  # examples that are called with the names of unusual records
_MAX_NAMES: Final = 16  # of parts of the state
_MAX_FINITE: Final = 50  # requests in which parameters with few values are changed, one or two at once
_MAX_CHANGED: Final = 4  # of them after the call of an example
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
        search.outcome(example.arguments)
    _add_limits(search, examples)
    for candidate in _other_names(tool, examples, known):
        search.add(candidate, always=True)
    for candidate in chain(_about_records(tool, examples, known), _forms(tool, examples)):
        search.add(candidate, always=candidate.is_form and candidate.is_rare)
    for candidate in islice(_changes(tool, examples, known), _FIRST_ROUND):
        search.add(candidate)
    for outcome in search.outcomes():  # answers give values for more requests
        known.add(outcome.get("output"))
    for candidate in _changes(tool, examples, known):
        if search.is_full:
            break
        search.add(candidate)
    return sorted(search.found, key=lambda each: [example.name for example in tool.examples].index(each.near))


def find_followers(
    tool: ToolUnderTest, neighbours: Sequence[Neighbour], make_call: Callable[[Neighbour], Outcome | None]
) -> list[Neighbour]:
    """Return calls that end in another way after the call of an example than with fresh data.

    Calls whose outcome has a new shape come first.
    """
    firsts = [each.name for each in tool.examples if each.error is None][:2]
    calls = [Neighbour(each.name, each.arguments, {}) for each in tool.examples]
    changes = [
        [Neighbour(each.name, other, {}) for other in finite_changes(tool, each)[:_MAX_CHANGED]]
        for each in tool.examples
    ]
    calls += [each for each in chain(*zip_longest(*changes)) if each is not None][: 4 * _MAX_CHANGED]
    calls += neighbours
    alone = [(each, make_call(each)) for each in calls[:_MAX_FOLLOWED]]
    shapes = {shape_of(each.arguments, outcome) for each, outcome in alone if outcome is not None}
    new: list[Neighbour] = []
    other: list[Neighbour] = []
    for each, outcome in alone:
        for first in firsts:
            after = make_call(replace(each, after=first))
            # What ends as it does with fresh data shows no effect of the first call.
            if outcome is None or after is None or after == outcome or is_fault(after):
                continue
            shape = shape_of(each.arguments, after)
            (other if shape in shapes else new).append(replace(each, after=first, outcome=after))
            shapes.add(shape)
    return [*new, *other][:_MAX_FOLLOWERS]


def is_fault(outcome: Outcome) -> bool:
    """True for the outcome of a call that failed against its contract; it is never recorded."""
    return outcome.get("error", {}).get("code") in _REFUSED


@dataclass(frozen=True, slots=True)
class _Candidate:
    near: ExpectedCall
    arguments: JsonObject
    changed: JsonPath = ()  # the parameter that is different, or several
    is_form: bool = False  # recorded even if its outcome is the example's
    is_rare: bool = False  # recorded even if there are several like it


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
    _groups: Counter[JsonPath] = field(default_factory=Counter)  # example and parameter → how many are kept

    @property
    def is_full(self) -> bool:
        """True if there are enough neighbours, or calls."""
        return self.tries >= MAX_TRIES or len(self.found) + len(self.tool.neighbours) >= MAX_NEIGHBOURS

    def know(self, arguments: JsonObject, outcome: Outcome) -> None:
        """Note a call that is recorded."""
        self._outcomes[value_key(arguments)] = outcome
        self._kept.add(value_key(arguments))
        self._shapes.add(shape_of(arguments, outcome))

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes so far."""
        return [each for each in self._outcomes.values() if each is not None]

    def outcome(self, arguments: JsonObject) -> Outcome | None:
        """Return the outcome of a request; None if it is not valid, or ends with a fault."""
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

    def add(self, candidate: _Candidate, *, always: bool = False) -> None:
        """Add a candidate if its outcome has a new shape, or is new itself and there are few like it."""
        key, arguments = value_key(candidate.arguments), candidate.arguments
        size = len(json.dumps(pack(arguments))) - len(json.dumps(candidate.near.arguments))
        if key in self._kept or size > _MAX_BYTES or self.is_full:
            return
        # Recorded with the example already; its shape makes other candidates superfluous.
        if any(value_key(example.arguments) == key for example in self.tool.examples):
            self._shapes.add(self.shape(arguments) or "")
            return
        outcome, shape = self.outcome(arguments), self.shape(arguments)
        if outcome is None or is_fault(outcome):
            return
        group = (candidate.near.name, *general_path(candidate.changed))
        is_same = candidate.is_form and outcome == self.outcome(candidate.near.arguments)
        if not always and not is_same and shape in self._shapes:
            text = json.dumps(outcome, sort_keys=True)
            has_enough = self._groups[group] >= _MAX_ALIKE and not candidate.is_rare
            if "error" in outcome or text in self._texts or has_enough:
                return
        self._groups[group] += 1
        self._texts.add(json.dumps(outcome, sort_keys=True))
        self._kept.add(key)
        self._shapes.add(shape or "")
        self.found.append(Neighbour(candidate.near.name, arguments, outcome))


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
                    search.add(_Candidate(example, changed), always=True)


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


def _forms(tool: ToolUnderTest, examples: Sequence[ExpectedCall]) -> Iterator[_Candidate]:
    """Yield requests that are recorded even if they make no difference: other forms, one item more."""
    done: set[JsonPath] = set()
    for example in succeeding(examples):
        for slot in slots(tool.input_schema, example.arguments):
            if slot.is_missing or general_path(slot.path) in done:
                continue
            forms: list[Any] = []
            if isinstance(slot.value, str) and slot.value.swapcase() != slot.value:
                forms = other_forms(slot.value)[:_MAX_FORMS]
            elif isinstance(slot.value, list) and slot.value:
                forms = [[*slot.value, slot.value[0]], slot.value[:-1]]
            done |= {general_path(slot.path)} if forms else set()
            edges = edge_values(slot.value)
            for number, value in enumerate([*forms, *edges]):
                request = with_value(example.arguments, slot.path, value)
                yield _Candidate(example, request, slot.path, is_form=True, is_rare=number >= len(forms))


def _other_names(
    tool: ToolUnderTest, examples: Sequence[ExpectedCall], known: KnownValues
) -> Iterator[_Candidate]:
    """Yield a request for each name of the state: a table or file may be open, or refused."""
    done: set[str] = set()
    for example in succeeding(examples)[:1]:
        for slot in slots(tool.input_schema, example.arguments):
            for text in known.with_other_names(slot.value) if isinstance(slot.value, str) else ():
                if text not in done and len(done) < _MAX_NAMES:
                    done.add(text)
                    yield _Candidate(example, with_value(example.arguments, slot.path, text), slot.path)


def _about_records(
    tool: ToolUnderTest, examples: Sequence[ExpectedCall], known: KnownValues
) -> Iterator[_Candidate]:
    """Yield requests that name an unusual record, and have a word of it if they have another text."""
    for example in succeeding(examples)[:_MAX_ABOUT]:
        texts = [
            slot
            for slot in slots(tool.input_schema, example.arguments)
            if isinstance(slot.value, str) and "enum" not in slot.schema
        ]
        for slot in texts:
            words = [each.path for each in texts if each is not slot and not known.unusual_records(each)]
            for record in known.unusual_records(slot):
                request = with_value(example.arguments, slot.path, record.name)
                if words and record.word:
                    request = with_value(request, words[0], record.word)
                yield _Candidate(example, request, slot.path, is_rare=True)


def _changes(
    tool: ToolUnderTest, examples: Sequence[ExpectedCall], known: KnownValues
) -> Iterator[_Candidate]:
    """Yield requests with one change, all parameters in turn; then generated ones, of which many have two."""
    for example in examples:
        for name in example.arguments:
            less = {key: value for key, value in example.arguments.items() if key != name}
            yield _Candidate(example, less, (name,))
    finite = [
        [_Candidate(each, other, is_form=each.error is None) for other in finite_changes(tool, each)]
        for each in succeeding(examples)
    ]
    in_turn = (each for row in zip_longest(*finite) for each in row if each is not None)
    yield from islice(in_turn, _MAX_FINITE)
    for near, request in reversed(changes_of(tool, examples, known, Random(tool.name))):
        changed = [name for name in request if request[name] != near.arguments.get(name)]
        yield _Candidate(near, request, tuple(changed))
    for request in requests(tool, seed="0", count=MAX_TRIES, known=known) if examples else ():
        yield _Candidate(_nearest(examples, request), request)


def _nearest(examples: Sequence[ExpectedCall], request: JsonObject) -> ExpectedCall:
    """Return the example that shares most arguments with a request."""

    def shared(example: ExpectedCall) -> int:
        return sum(request.get(name) == value for name, value in example.arguments.items())

    return max(examples, key=shared)
