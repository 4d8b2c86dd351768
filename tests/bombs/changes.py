"""Two versions of a schema that are expensive to compare: one function per family, by name in `CHANGES`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .families import Schema

Change = tuple[Schema, Schema]
"""The old and the new version."""

CHANGES: dict[str, Callable[[], Change]] = {}
TEXT = {"type": "string"}
INTEGER = {"type": "integer"}


def change(make: Callable[[], Change]) -> Callable[[], Change]:
    """Register the function as a family under its name."""
    CHANGES[make.__name__] = make
    return make


def record(properties: Schema, **keywords: Any) -> Schema:
    return {"type": "object", "properties": properties, **keywords}


def texts(names: Iterable[str]) -> Schema:
    return record(dict.fromkeys(names, TEXT))


def numbered(letter: str, count: int) -> list[str]:
    return [f"{letter}{number}" for number in range(count)]


def one(before: Any, after: Any) -> Change:
    """A required property of two versions, beside one that appears."""
    return record({"x": before}, required=["x"]), record({"x": after, "y": {"const": 1}}, required=["x"])


@change
def renamed_properties() -> Change:
    return texts(numbered("p", 4_000)), texts(numbered("q", 4_000))


@change
def replaced_enum() -> Change:
    return one({"enum": numbered("v", 5_000)}, {"enum": numbered("w", 5_000)})


@change
def diamond_of_required_properties() -> Change:
    def version(last: Schema) -> Schema:
        levels = {
            f"a{level}": record({key: {"$ref": f"#/$defs/a{level + 1}"} for key in "lr"}, required=["l", "r"])
            for level in range(40)
        }
        return record({"x": {"$ref": "#/$defs/a0"}}, required=["x"], **{"$defs": {**levels, "a40": last}})

    return version(TEXT), version(INTEGER)


@change
def branches_of_constants() -> Change:
    return one(*({"oneOf": [{"const": n} for n in range(at, at + 500)]} for at in (0, 250)))


@change
def nested_objects() -> Change:
    def version(inner: Schema) -> Schema:
        names = numbered("y", 50)
        for _ in range(70):
            inner = record({"x": inner, **dict.fromkeys(names, TEXT)}, required=["x", *names])
        return inner

    return version(TEXT), version(INTEGER)


@change
def long_constant() -> Change:
    return one({"const": "a" * 1_000_000}, {"const": "b" * 1_000_000})


@change
def patterns_of_names() -> Change:
    def version(most: int, inner: Schema) -> Schema:
        patterns = {f"^p{n}[a-z]{{0,{most}}}$": inner for n in range(1_000)}
        return {**texts(numbered("p", 5_000)), "patternProperties": patterns, "additionalProperties": False}

    return version(40, TEXT), version(41, INTEGER)


@change
def patterns_of_texts() -> Change:
    return one({"pattern": "(a|b)*a" + "(a|b)" * 18}, {"pattern": "(a|b)*b" + "(a|b)" * 18})
