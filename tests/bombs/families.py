"""Small or valid schemas that are expensive to process: one function per family, by name in `FAMILIES`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]

STEPS = 60  # of a diamond: 2**60 paths through it
CHAIN = 3_000
DEEP = 10_000


@dataclass(frozen=True, slots=True)
class Family:
    """A bomb: the function that creates its schema, and whether it must be refused."""

    make: Callable[[], Schema]
    quick: bool = False  # part of `make test`
    refused: bool = True  # False: valid, and must be handled in time


FAMILIES: dict[str, Family] = {}


def family(
    *, quick: bool = False, refused: bool = True
) -> Callable[[Callable[[], Schema]], Callable[[], Schema]]:
    """Register the function as a family under its name."""

    def register(make: Callable[[], Schema]) -> Callable[[], Schema]:
        FAMILIES[make.__name__] = Family(make, quick, refused)
        return make

    return register


def ref(index: int) -> Schema:
    return {"$ref": f"#/$defs/a{index}"}


def stepwise(step: Callable[[Schema], Schema], steps: int = STEPS, last: Schema | None = None) -> Schema:
    """An object with a property whose definitions lead from a0 to the last; `step` gets the next one's `$ref`."""
    definitions = {f"a{index}": step(ref(index + 1)) for index in range(steps)}
    definitions[f"a{steps}"] = last or {"type": "object", "properties": {"name": {"type": "string"}}}
    return {"type": "object", "properties": {"x": ref(0)}, "$defs": definitions}


def nested(step: Callable[[Any], Any], depth: int = DEEP) -> Schema:
    """An object with a property that nests `depth` times."""
    inner: Any = {"type": "string"}
    for _ in range(depth):
        inner = step(inner)
    return {"type": "object", "properties": {"x": inner}}


@family(quick=True)
def any_of_diamond() -> Schema:
    return stepwise(lambda following: {"anyOf": [following, following]})


@family()
def one_of_diamond() -> Schema:
    return stepwise(lambda following: {"oneOf": [following, following]})


@family()
def all_of_diamond() -> Schema:
    return stepwise(lambda following: {"allOf": [following, following]})


@family()
def dynamic_ref_diamond() -> Schema:
    made = stepwise(lambda following: {"anyOf": [following, following]})
    for index in range(STEPS + 1):
        made["$defs"][f"a{index}"]["$dynamicAnchor"] = f"a{index}"
        if index < STEPS:
            made["$defs"][f"a{index}"]["anyOf"] = [{"$dynamicRef": f"#a{index + 1}"}] * 2
    return made


@family(refused=False, quick=True)
def properties_diamond() -> Schema:
    return stepwise(
        lambda following: {"type": "object", "properties": {"left": following, "right": following}}
    )


@family(refused=False)
def all_of_unions() -> Schema:
    """Every level multiplies: 12**12 combinations."""
    union = [{"properties": {f"p{n}": {"type": "string"}}, "required": [f"p{n}"]} for n in range(12)]
    return {"type": "object", "properties": {"x": {"type": "object", "allOf": [{"anyOf": union}] * 12}}}


@family(quick=True)
def ref_chain() -> Schema:
    return stepwise(lambda following: following, CHAIN)


@family(quick=True)
def deep_properties() -> Schema:
    return nested(lambda inner: {"type": "object", "properties": {"x": inner}})


@family(quick=True)
def long_enum() -> Schema:
    return {"type": "object", "properties": {"x": {"enum": [f"value {n}" for n in range(100_000)]}}}


@family()
def many_properties() -> Schema:
    return {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(100_000)}}


@family()
def many_branches() -> Schema:
    return {"type": "object", "properties": {"x": {"anyOf": [{"const": n} for n in range(20_000)]}}}


@family()
def many_definitions() -> Schema:
    """All refer to all."""
    names = [f"d{n}" for n in range(250)]
    properties = {name: {"$ref": f"#/$defs/{name}"} for name in names}
    return {
        "type": "object",
        "properties": properties,
        "$defs": {name: {"type": "object", "properties": properties} for name in names},
    }


@family(refused=False, quick=True)
def odd_property_names() -> Schema:
    names = [
        "İ",
        "ẞ",
        "ß",
        "ŉ",
        "ǰ",
        "ﬃ",
        "ΐ",
        "\u0345",
        "㎏",
        "\uff11",
        "ª",
        "İ" * 80,
        "",
        " ",
        "\x00",
        "\U0001d4b3",
        "def",
        "__init__",
    ]
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}}


@family()
def patterns_of_many_counts() -> Schema:
    """Each pattern is within the engine's limit, but not all together."""
    patterns = [f"^[a-z]{{0,3000}}{n}$" for n in range(400)]
    return {"type": "object", "properties": {f"p{n}": {"pattern": each} for n, each in enumerate(patterns)}}


@family(refused=False)
def defaults_of_unions() -> Schema:
    """An invalid default with thousands of faults."""
    made = stepwise(lambda following: {"anyOf": [following, following]}, 12)
    made["properties"]["x"] = {**ref(1), "default": {"name": 1}}
    del made["$defs"]["a0"]
    return made


@family(refused=False)
def ids_and_references() -> Schema:
    properties = {
        f"p{n}": {"$id": f"https://example.com/{n}", "$ref": f"https://example.com/t{n}"}
        for n in range(1_500)
    }
    targets = {f"t{n}": {"$id": f"https://example.com/t{n}", "type": "string"} for n in range(1_500)}
    return {"type": "object", "properties": properties, "$defs": targets}
