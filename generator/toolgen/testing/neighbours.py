"""Find requests near the examples of a tool whose outcomes are worth recording.

Of many requests, those are kept that end in a way of their own (an error, a warning, an empty list), and of
every parameter a few that do not: values that are one more or less, or written in another form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from toolgen.schema.document import JsonObject, JsonPath, value_key
from toolgen.testing.json_diff import sorted_json
from toolgen.testing.requests import Change, KnownValues, changes_of, general_path, requests, succeeding
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour, ToolUnderTest

MAX_TRIES: Final = 220  # calls of one tool
_FIRST_ROUND: Final = 150  # of them with one change, before values of their answers are used
MAX_NEIGHBOURS: Final = 64  # of one tool
_MAX_ALIKE: Final = 3  # of one example, by one parameter, with outcomes of a known shape
_MAX_BYTES: Final = 400  # of a request, beyond those of its example: people read the records
_WORDS: Final = re.compile(r"\b[a-z]{2,}\b")  # no names and no numbers


def find_neighbours(
    tool: ToolUnderTest,
    examples: Sequence[ExpectedCall],
    known: KnownValues,
    make_call: Callable[[JsonObject], JsonObject | None],
) -> list[Neighbour]:
    """Return neighbours of some examples, beside those that the tool has.

    `make_call` makes a call with fresh data. It returns the outcome, None if that is not to be recorded.
    """
    made = {value_key(each.arguments) for each in tool.examples}
    made |= {value_key(each.arguments) for each in tool.neighbours}
    known_calls = [
        *tool.neighbours,
        *(Neighbour(each, each.arguments, make_call(each.arguments) or {}) for each in examples),
    ]
    shapes = {_shape(each.arguments, each.outcome) for each in known_calls}
    texts = {sorted_json(each.outcome) for each in known_calls}
    found: list[Neighbour] = []
    alike: Counter[JsonPath] = Counter()
    tries = 0
    for change in _changes(tool, examples, known):
        key, size = value_key(change.request), len(sorted_json(change.request))
        if key in made or size > len(sorted_json(change.example.arguments)) + _MAX_BYTES:
            continue
        if tries == MAX_TRIES or len(found) + len(tool.neighbours) >= MAX_NEIGHBOURS:
            break
        tries += 1
        made.add(key)
        outcome = make_call(change.request)
        if outcome is None:
            continue
        known.add(outcome.get("output"))
        shape, text = _shape(change.request, outcome), sorted_json(outcome)
        if shape in shapes:
            group = (change.example.name, *general_path(change.path))
            # One is recorded that makes no difference, and a few with other values in the outcome.
            if "error" in outcome or alike[group] >= (1 if text in texts else _MAX_ALIKE):
                continue
            alike[group] += 1
        shapes.add(shape)
        texts.add(text)
        found.append(Neighbour(change.example, change.request, outcome))
    return found


def _changes(tool: ToolUnderTest, examples: Sequence[ExpectedCall], known: KnownValues) -> Iterator[Change]:
    """Yield requests with one change, then with one or two, and from anywhere in the schema."""
    if not examples:
        return
    yield from islice(changes_of(tool, succeeding(examples), known), _FIRST_ROUND)
    for request in requests(tool, seed="0", count=MAX_TRIES, known=known):
        near = max(examples, key=lambda each: _shared(each.arguments, request))
        changed = (name for name in request if request[name] != near.arguments.get(name))
        yield Change(near, tuple(changed), request)


def _shared(one: JsonObject, other: JsonObject) -> int:
    return sum(name in other and other[name] == value for name, value in one.items())


def _shape(arguments: JsonObject, outcome: JsonObject) -> str:
    """Return an outcome without names and numbers: calls that run the same code have the same shape."""
    own = set(_WORDS.findall(sorted_json(arguments)))

    def shape(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: shape(inner, key) for key, inner in value.items() if key != "at"}
        if isinstance(value, list):
            return sorted({sorted_json(shape(each)) for each in value})
        if isinstance(value, str) and " " in value:
            return [word for word in _WORDS.findall(value) if word not in own]
        return value if name == "code" else bool(value)

    return sorted_json(shape(outcome))
