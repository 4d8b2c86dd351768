"""Requests for the property tests: valid ones, near the examples and anywhere in the input schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from random import Random
from typing import Any, Final

from toolgen.schema.document import JsonObject, Schema, value_key
from toolgen.schema.instances import InstanceGenerator
from toolgen.schema.validator import compiled
from toolgen.testing.tool_under_test import ExpectedCall, ToolUnderTest

MAX_BYTES: Final = 100_000
"""Longer requests are not made: they say little more, and take long."""


def requests(tool: ToolUnderTest, *, seed: str, count: int) -> Iterator[JsonObject]:
    """Yield up to `count` different valid requests: each second one is an example with one change.

    The same tool and seed always have the same requests.
    """
    random = Random(f"{seed} {tool.name}")
    generated = list(_generated(tool, seed, count))
    seen = {value_key(each.arguments) for each in tool.examples}
    yielded = 0
    for request in _alternating(_neighbours(tool, generated, random), generated):
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
    return request if request != example.arguments and _is_valid(tool, request) else None


def spelled_out(input_schema: Schema, arguments: Mapping[str, Any]) -> JsonObject:
    """Return arguments with the defaults of all missing parameters."""
    properties = input_schema.get("properties", {}) if isinstance(input_schema, Mapping) else {}
    defaults = {
        name: each["default"]
        for name, each in properties.items()
        if isinstance(each, Mapping) and "default" in each and name not in arguments
    }
    return {**arguments, **defaults}


def _generated(tool: ToolUnderTest, seed: str, count: int) -> Iterator[JsonObject]:
    for value in InstanceGenerator(tool.input_schema).valid_values(seed=f"{seed} {tool.name}", count=count):
        if isinstance(value, dict) and len(str(value)) <= MAX_BYTES:
            yield value


def _neighbours(tool: ToolUnderTest, generated: list[JsonObject], random: Random) -> Iterator[JsonObject]:
    """Yield examples in which one parameter is left out, or has a generated value or another example's."""
    if not tool.examples:
        return
    is_valid = compiled(_as_mapping(tool.input_schema)).is_valid
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
    yield from filter(is_valid, changes)


def _alternating(first: Iterator[JsonObject], second: Iterable[JsonObject]) -> Iterator[JsonObject]:
    for pair in zip_longest(first, second):
        yield from (request for request in pair if request is not None)


def _is_valid(tool: ToolUnderTest, request: JsonObject) -> bool:
    return compiled(_as_mapping(tool.input_schema)).is_valid(request)


def _as_mapping(schema: Any) -> Mapping[str, Any]:
    return schema if isinstance(schema, Mapping) else {"allOf": [schema]}
