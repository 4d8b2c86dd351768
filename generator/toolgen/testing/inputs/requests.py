"""Requests for the property tests: valid ones, near the examples and anywhere in the input schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random
from typing import Any, Final

from toolgen.proof.instances import InstanceGenerator
from toolgen.schema.document import JsonObject, JsonPath, Schema, value_key
from toolgen.schema.validator import compiled
from toolgen.testing.inputs.known_values import KnownValues
from toolgen.testing.inputs.near_values import near_values
from toolgen.testing.inputs.slots import slots, with_value
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

_MOST_VALUES: Final = 12  # of one source for one parameter of one example
MAX_BYTES: Final = 100_000
"""Longer requests are not made: they say little more, and take long."""


@dataclass(frozen=True, slots=True)
class Change:
    """A valid request that differs from an example in one place."""

    example: ExpectedCall
    path: JsonPath
    request: JsonObject


def requests(
    tool: ToolUnderTest, *, seed: str, count: int, known: KnownValues | None = None
) -> Iterator[JsonObject]:
    """Yield up to `count` different valid requests: two of three are an example with one or two changes.

    Changes are values that are known of the data, and values beside those of the example. The same tool, seed
    and known values always have the same requests.
    """
    known = known or KnownValues.of_tools([tool])
    generated = list(generated_requests(tool, seed, count))
    changes = changes_of(
        tool, succeeding(tool.examples), known, generated=generated, random=Random(f"{seed} {tool.name}")
    )
    seen = {value_key(each.arguments) for each in tool.examples}
    rows = zip_longest((each.request for each in changes), generated, _pairs(tool, changes))
    for request in (each for row in rows for each in row if each is not None):
        if count > 0 and value_key(request) not in seen:
            seen.add(value_key(request))
            count -= 1
            yield request


def with_defaults(tool: ToolUnderTest, example: ExpectedCall) -> JsonObject | None:
    """Return an example's request with the defaults of all missing parameters; None if there are none."""
    request = spelled_out(tool.input_schema, example.arguments)
    return request if request != example.arguments and is_valid(tool.input_schema, request) else None


def spelled_out(input_schema: Schema, arguments: Mapping[str, Any]) -> JsonObject:
    """Return arguments with the defaults of all missing parameters."""
    properties = input_schema.get("properties", {}) if isinstance(input_schema, Mapping) else {}
    defaults = {
        name: each["default"]
        for name, each in properties.items()
        if isinstance(each, Mapping) and "default" in each and name not in arguments
    }
    return {**arguments, **defaults}


def generated_requests(tool: ToolUnderTest, seed: str, count: int) -> Iterator[JsonObject]:
    """Yield valid requests from anywhere in the input schema."""
    for value in InstanceGenerator(tool.input_schema).valid_values(seed=f"{seed} {tool.name}", count=count):
        if isinstance(value, dict) and len(str(value)) <= MAX_BYTES:
            yield value


def changes_of(
    tool: ToolUnderTest,
    examples: Sequence[ExpectedCall],
    known: KnownValues,
    *,
    generated: Sequence[JsonObject] = (),
    random: Random | None = None,
) -> list[Change]:
    """Return valid requests with one change of an example, in an order that takes all parameters in turn.

    Values are beside the example's, known, or those of `generated` requests; `random` chooses among them.
    """
    groups: list[list[Change]] = []
    for example in examples:
        arguments = example.arguments
        groups += [[Change(example, (each,), _without(arguments, each))] for each in arguments]
        for slot in slots(tool.input_schema, arguments):
            others = [
                each[slot.name] for each in generated if slot.path == (slot.name,) and slot.name in each
            ]
            for values in (near_values(slot), known.of_slot(slot), others):
                if random is not None:
                    random.shuffle(values)
                changed = [with_value(arguments, slot.path, each) for each in values[:_MOST_VALUES]]
                groups.append([Change(example, slot.path, each) for each in changed])
    valid = [[each for each in group if is_valid(tool.input_schema, each.request)] for group in groups]
    # A group is one parameter of one example: each gets a change before any gets a second one.
    if random is not None:
        random.shuffle(valid)
    return [each for row in zip_longest(*valid) for each in row if each is not None]


def _without(arguments: JsonObject, name: str) -> JsonObject:
    return {key: value for key, value in arguments.items() if key != name}


def _pairs(tool: ToolUnderTest, changes: Sequence[Change]) -> Iterator[JsonObject]:
    """Yield examples with two changes: those that follow each other."""
    before: dict[str, JsonObject] = {}
    for change in changes:
        example = change.example
        second = {key: each for key, each in change.request.items() if example.arguments.get(key) != each}
        both = {**before.get(example.name, change.request), **second}
        before[example.name] = change.request
        if is_valid(tool.input_schema, both):
            yield both


def succeeding(examples: Sequence[ExpectedCall]) -> Sequence[ExpectedCall]:
    """Return the examples that end with a result; all of them if none does."""
    return [each for each in examples if each.error is None] or examples


def is_valid(input_schema: Schema, request: JsonObject) -> bool:
    """True if a schema accepts a request."""
    # A schema may be `true`, and only objects are compiled.
    schema = input_schema if isinstance(input_schema, Mapping) else {"allOf": [input_schema]}
    return compiled(schema).is_valid(request)
