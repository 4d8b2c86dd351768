"""Measure how long a refused call, whose faults are expensive to describe, blocks the event loop.

Prints JSON: seconds of the slowest call in each round, and the limit.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from toolgen.runtime.coercion.coerce import coerce
from toolgen.runtime.validation.compiled_schema import CompiledSchema, compile_schema
from toolgen.runtime.validation.complexity import Matching
from toolgen.runtime.validation.faults import find_faults

LIMIT = 0.2  # seconds
Schema = dict[str, Any]


def diamond(keyword: str) -> Schema:
    """Return a schema that is reached on 2,048 paths."""
    steps = {f"a{n}": {keyword: [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(11)}
    last = {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}}
    return {"type": "object", "$ref": "#/$defs/a0", "$defs": {**steps, "a11": last}}


def holding(names: tuple[str, ...], tagged: bool) -> Schema:
    """Return recursive unions, with and without a tag."""
    forms = [
        {
            "properties": {
                "of": {"$ref": "#"},
                **({"k": {"const": name}} if tagged else {name: {"type": "null"}}),
            }
        }
        for name in names
    ]
    return {"type": "object", "oneOf": forms}


def deep(levels: int) -> Any:
    """Return nested objects of this depth."""
    value: Any = {"k": "z"}
    for _ in range(levels):
        value = {"k": "a", "of": value}
    return value


def bombs() -> Iterator[tuple[Schema, Any]]:
    """Return schemas, and values that they refuse."""
    for keyword in ("anyOf", "oneOf", "allOf"):
        for value in ({}, {"x": "a"}, {"x": "a", **{f"y{n}": n for n in range(3_000)}}):
            yield diamond(keyword), value
    for tagged in (True, False):
        for levels in (2, 5, 8, 12, 40, 150):
            yield holding(("a", "b", "c"), tagged), deep(levels)
    branches = [
        {
            "type": "object",
            "properties": {"kind": {"const": f"k{n}"}, "v": {"type": "integer"}},
            "required": ["v"],
        }
        for n in range(30)
    ]
    for size in (10, 40, 100, 3_000, 100_000):
        yield {"properties": {"of": {"items": {"anyOf": branches}}}}, {"of": [{"kind": "z"}] * size}
        yield {"properties": {"of": {"items": {"type": "integer"}}}}, {"of": ["x"] * size}
        yield (
            {"properties": {"of": {"items": {"pattern": r"^(\w+\s?)*$(?<!x)"}}}},
            {"of": ["a" * 50 + "!"] * size},
        )
    yield {"properties": {"of": {"items": {"enum": [f"v{n}" for n in range(9_000)]}}}}, {"of": ["x"] * 500}
    yield {"properties": {"of": {"uniqueItems": True}}}, {"of": [{"n": n} for n in range(20_000)] * 2}
    yield {"additionalProperties": False}, {f"p{n}": n for n in range(50_000)}
    yield {"required": [f"p{n}" for n in range(5_000)]}, {}


def refuse(schema: CompiledSchema, value: Any) -> None:
    """Refuse invalid arguments as the runtime does."""
    schema = schema.for_call(Matching())
    if schema.is_valid(value):
        raise SystemExit("a value fits that must be refused")
    if schema.is_too_expensive(value):
        return  # nobody looks for its faults
    coerce(schema, value)
    if not find_faults(schema, value):
        raise SystemExit("a value is refused without a fault")


def main(rounds: int, clock: str) -> None:
    now = time.process_time if clock == "cpu" else time.perf_counter
    prepared = [(compile_schema(schema), value) for schema, value in bombs()]
    worst: list[float] = []
    for _ in range(rounds):
        longest = 0.0
        for schema, value in prepared:
            started = now()
            refuse(schema, value)
            longest = max(longest, now() - started)
        worst.append(longest)
    print(json.dumps({"refused call, the worst": worst, "0.2 seconds": [LIMIT] * rounds}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
