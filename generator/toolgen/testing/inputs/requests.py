"""Requests for the property tests: valid ones, near the examples and anywhere in the input schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from random import Random
from typing import Any, Final

from toolgen.proof.instances import InstanceGenerator
from toolgen.schema.document import JsonObject, Schema, value_key
from toolgen.schema.validator import compiled
from toolgen.testing.inputs.known_values import KnownValues
from toolgen.testing.inputs.near_values import near_values
from toolgen.testing.inputs.slots import slots, with_value
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

_MOST_VALUES: Final = 12  # for one parameter of one example
_PAIRED: Final = 20  # changes among which a second one is looked for
MAX_BYTES: Final = 100_000
"""Longer requests are not made: they say little more, and take long."""


def requests(
    tool: ToolUnderTest, *, seed: str, count: int, known: KnownValues | None = None
) -> Iterator[JsonObject]:
    """Yield up to `count` different valid requests: two of three are an example with one or two changes.

    Changes are values that are known of the data, and values beside those of the example. The same tool, seed
    and known values always have the same requests.
    """
    random = Random(f"{seed} {tool.name}")
    generated = list(generated_requests(tool, seed, count))
    seen = {value_key(each.arguments) for each in tool.examples}
    yielded = 0
    changed = _changed(tool, known or KnownValues.of_tools([tool]), random)
    for request in _alternating(_neighbours(tool, generated, random), generated, changed):
        key = value_key(request)
        if key not in seen:
            seen.add(key)
            yielded += 1
            yield request
        if yielded == count:
            return


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


def _neighbours(tool: ToolUnderTest, generated: list[JsonObject], random: Random) -> Iterator[JsonObject]:
    """Yield examples in which one parameter is left out, or has a generated value or another example's."""
    if not tool.examples:
        return
    values: dict[str, list[Any]] = {}
    for source in [*(each.arguments for each in tool.examples), *generated]:
        for name, value in source.items():
            values.setdefault(name, []).append(value)
    changes = [
        {**example.arguments, name: value}
        for example in tool.examples
        for name, found in values.items()
        for value in found
    ]
    changes += [
        {key: value for key, value in example.arguments.items() if key != name}
        for example in tool.examples
        for name in example.arguments
    ]
    random.shuffle(changes)
    yield from (change for change in changes if is_valid(tool.input_schema, change))


def _changed(tool: ToolUnderTest, known: KnownValues, random: Random) -> Iterator[JsonObject]:
    """Yield examples with one change, or two, until there are no others."""
    changes = changes_of(tool, succeeding(tool.examples), known, random)
    while changes:
        example, request = changes.pop()
        yield request
        others = [each for near, each in changes[-_PAIRED:] if near is example]
        for other in others[:1]:
            second = {key: value for key, value in other.items() if example.arguments.get(key) != value}
            both = {**request, **second}
            if is_valid(tool.input_schema, both):
                yield both


def changes_of(
    tool: ToolUnderTest, examples: Sequence[ExpectedCall], known: KnownValues, random: Random
) -> list[tuple[ExpectedCall, JsonObject]]:
    """Return valid requests with one change of an example, in an order that takes all parameters in turn."""
    groups: list[list[tuple[ExpectedCall, JsonObject]]] = []
    for example in examples:
        for slot in slots(tool.input_schema, example.arguments):
            best = known.of_slot(slot)
            for values in (near_values(slot), best[:_MOST_VALUES], best[_MOST_VALUES:]):
                random.shuffle(values)
                found = [with_value(example.arguments, slot.path, value) for value in values[:_MOST_VALUES]]
                valid = [(example, each) for each in found if is_valid(tool.input_schema, each)]
                groups += [valid] if valid else []
    # A group is one parameter of one example: each gets a change before any gets a second one.
    random.shuffle(groups)
    return [each for row in zip_longest(*groups) for each in row if each is not None][::-1]


def finite_changes(tool: ToolUnderTest, example: ExpectedCall) -> list[JsonObject]:
    """Return valid requests in which parameters with few values have others: one of them, or two at once.

    Of a text, the other case of its letters is such a value: options say whether it matters.
    """
    found = []
    for slot in slots(tool.input_schema, example.arguments):
        listed = slot.schema.get("enum")
        if isinstance(listed, list) or slot.schema.get("type") == "boolean" or isinstance(slot.value, bool):
            usual = slot.schema.get("default") if slot.is_missing else None
            values = [each for each in near_values(slot) if usual is None or each != usual][:_MOST_VALUES]
            found.append([with_value(example.arguments, slot.path, each) for each in values])
        elif isinstance(slot.value, str) and slot.value.swapcase() != slot.value:
            found.append([with_value(example.arguments, slot.path, slot.value.swapcase())])
    single = [each for group in found for each in group]
    double = [
        {**one, **{name: value for name, value in other.items() if example.arguments.get(name) != value}}
        for index, group in enumerate(found)
        for one in group
        for others in found[index + 1 :]
        for other in others
    ]
    return [each for each in _alternating(single, double) if is_valid(tool.input_schema, each)]


def succeeding(examples: Sequence[ExpectedCall]) -> Sequence[ExpectedCall]:
    """Return the examples that end with a result; all of them if none does."""
    return [each for each in examples if each.error is None] or examples


def _alternating(*roads: Iterable[JsonObject]) -> Iterator[JsonObject]:
    for row in zip_longest(*roads):
        yield from (request for request in row if request is not None)


def is_valid(input_schema: Schema, request: JsonObject) -> bool:
    """True if a schema accepts a request."""
    # A schema may be `true`, and only objects are compiled.
    schema = input_schema if isinstance(input_schema, Mapping) else {"allOf": [input_schema]}
    return compiled(schema).is_valid(request)
