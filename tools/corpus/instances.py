"""Random values for a schema: valid ones, and each of them again with one error.

They are good guesses; validators decide what is valid. The same schema always has the same values.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from toolgen.python_source.names import snake
from toolgen.schema.document import follow, subschemas
from toolgen.schema.instances.texts import FORMATS, like, text

_DEEPEST = 12
_ANYTHING: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 1.0, 0.5, -0.0, 2**53 + 1, 10**30, 1e20, 1e300, "", "1", "true", "null",
    "1.0", "é", "😀", "a\u0000b", " x ", "2026-01-02T03:04:05Z", [], [1, "1", None], [[]], {},
    {"a": 1}, {"": None}, {"a": {"b": [1.0]}},
)  # fmt: skip
_NAMES = ("", "a", "extra", "model_config", "__class__", "$ref", "self", "größe", "model_extra", "x y")
_KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
_HINTS = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "contains", "uniqueItems"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}


def instances(schema: Mapping[str, Any], seed: str, count: int) -> Iterator[Any]:
    """Return `2 * count` values: one that should be valid, then the same with an error, and so on."""
    random = Random(f"{seed} {count}")
    maker = _Maker(schema, random)
    for number in range(count):
        maker.greed = (0.0, 1.0, 0.5)[number % 3]  # share of optional properties
        value = maker.value(schema, 0)
        yield value
        yield _broken(copy.deepcopy(value), random, maker.names)


class _Maker:
    """Creates values for one schema document."""

    def __init__(self, root: Mapping[str, Any], random: Random) -> None:
        self.root, self.random, self.greed = root, random, 0.5
        nodes = [node for _, node in subschemas(root)]
        self.anchors = {
            f"#{name}": node for node in nodes for key in ("$anchor", "$id") if (name := node.get(key))
        }
        known = {name for node in nodes for name in _mapping(node.get("properties"))}
        self.names = [*_NAMES, *sorted(known), *sorted({snake(name, "field") for name in known})]

    def value(self, schema: Any, depth: int) -> Any:
        """Return a value that should be valid for `schema`, or any value if that is hard to tell."""
        if not isinstance(schema, Mapping) or depth > 2 * _DEEPEST:
            return copy.deepcopy(self.random.choice(_ANYTHING))
        schema = self.flat(schema, 0)
        if "const" in schema:
            return copy.deepcopy(schema["const"])
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return copy.deepcopy(self.random.choice(schema["enum"]))
        match self.kind(schema):
            case "object":
                return self.object(schema, depth)
            case "array":
                return self.array(schema, depth)
            case "string":
                return self.string(schema)
            case "integer":
                return self.number(schema, whole=True)
            case "number":
                return self.number(schema, whole=self.random.random() < 0.4)
            case "boolean":
                return self.random.random() < 0.5
            case "null":
                return None
        return copy.deepcopy(self.random.choice(_ANYTHING))

    def flat(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """Merge `schema` with its references, all of `allOf` and one branch of each choice."""
        flat = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
        if depth > _DEEPEST:
            return flat
        parts: list[Any] = list(schema.get("allOf", ()))
        if isinstance(ref := schema.get("$ref"), str):
            parts.append(self.target(ref))
        parts += [self.random.choice(schema[key]) for key in ("anyOf", "oneOf") if schema.get(key)]
        if "if" in schema:
            part = "then" if self.random.random() < 0.5 else "else"
            parts += [schema["if"]] * (part == "then") + [schema.get(part)]
        for part in parts:
            if isinstance(part, Mapping):
                flat = _merged(flat, self.flat(part, depth + 1))
        return flat

    def target(self, ref: str) -> Any:
        if ref in self.anchors:
            return self.anchors[ref]
        steps = tuple(part.replace("~1", "/").replace("~0", "~") for part in ref.split("/")[1:])
        try:
            return follow(self.root, steps) if ref.startswith("#") else None
        except LookupError:
            return None

    def kind(self, schema: Mapping[str, Any]) -> str:
        kinds = schema.get("type")
        if isinstance(kinds, list) and kinds:
            return str(self.random.choice(kinds))
        if isinstance(kinds, str):
            return kinds
        meant = [kind for kind, keys in _HINTS.items() if not schema.keys().isdisjoint(keys)]
        return self.random.choice(meant) if meant and self.random.random() < 0.8 else ""

    def object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties, required = _mapping(schema.get("properties")), set(schema.get("required", ()))
        greed = self.greed if depth < 4 else self.greed / 4
        names = [name for name in properties if name in required or self.random.random() < greed]
        names += [name for name in sorted(required) if name not in properties]
        if depth > _DEEPEST:
            names = [name for name in names if name in required]
        made = {name: self.value(properties.get(name, True), depth + 1) for name in names}
        for name, needed in _mapping(schema.get("dependentRequired")).items():
            if name in made:
                made |= {more: self.value(properties.get(more, True), depth + 1) for more in needed}
        for pattern, inner in _mapping(schema.get("patternProperties")).items():
            if self.random.random() < self.greed:
                made.setdefault(like(pattern, self.random), self.value(inner, depth + 1))
        rest = schema.get("additionalProperties", schema.get("unevaluatedProperties", True))
        wanted = int(schema.get("minProperties", 0))
        while rest is not False and (len(made) < wanted or self.random.random() < self.greed / 3):
            name = self.random.choice(self.names)
            if name not in made and name not in properties:
                made[name] = self.value(rest, depth + 1)
            wanted -= 1  # no more names
        order = list(made)
        self.random.shuffle(order)
        return {name: made[name] for name in order[: schema.get("maxProperties", len(order))]}

    def array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        items = schema.get("items", True)
        first = schema.get("prefixItems", items if isinstance(items, list) else [])
        rest = schema.get("additionalItems", True) if isinstance(items, list) else items
        least = int(schema.get("minItems", 0))
        most = int(schema.get("maxItems", max(least, len(first)) + 3))
        most = max(least, min(most, least + 3, 0 if depth > _DEEPEST else most))
        length = min(max(self.random.randint(least, most), len(first) if self.greed else least), most)
        made = [
            self.value(first[index] if index < len(first) else rest, depth + 1) for index in range(length)
        ]
        if "contains" in schema:
            made.append(self.value(schema["contains"], depth + 1))
        return made

    def string(self, schema: Mapping[str, Any]) -> str:
        if isinstance(schema.get("pattern"), str):
            return like(schema["pattern"], self.random)
        if known := FORMATS.get(str(schema.get("format"))):
            return self.random.choice(known)
        least = int(schema.get("minLength", 0))
        return text(self.random, least, int(schema.get("maxLength", least + 12)))

    def number(self, schema: Mapping[str, Any], whole: bool) -> int | float:
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        high = schema.get("maximum", schema.get("exclusiveMaximum"))
        choices: list[int | float] = [0, 1, -1, 7, 2**53 + 1, 10**20, -(2**63) - 1]
        choices += [
            bound + by for bound in (low, high) if isinstance(bound, int | float) for by in (0, 1, -1)
        ]
        if isinstance(step := schema.get("multipleOf"), int | float) and step:
            choices = [step * int(number / step) for number in choices if abs(number) < 2**53]
        fitting = [n for n in choices if (low is None or n >= low) and (high is None or n <= high)]
        number = self.random.choice(fitting or choices)
        if whole:
            number = int(number)
            return float(number) if self.random.random() < 0.15 and abs(number) < 2**53 else number
        return number + 0.5 if "multipleOf" not in schema and self.random.random() < 0.6 else number


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**one, **other}
    for key in ("properties", "patternProperties"):
        if key in one and key in other:
            merged[key] = {**one[key], **other[key]}
    if "required" in one and "required" in other:
        merged["required"] = [*one["required"], *other["required"]]
    return merged


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _broken(value: Any, random: Random, names: list[str]) -> Any:
    """Return `value` with one change somewhere in it, which may or may not make it invalid."""
    places = list(_places(value))
    if not places or random.random() < 0.15:
        if isinstance(value, dict):
            return {**value, random.choice(names): copy.deepcopy(random.choice(_ANYTHING))}
        return copy.deepcopy(random.choice(_ANYTHING))
    parent, key = random.choice(places)
    old = parent[key]
    if random.random() < 0.2:
        del parent[key]
    elif isinstance(old, dict) and random.random() < 0.5:
        parent[key] = {**old, random.choice(names): copy.deepcopy(random.choice(_ANYTHING))}
    else:
        parent[key] = copy.deepcopy(random.choice([*_near(old), *random.sample(_ANYTHING, 4)]))
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict | list):
            for key in node if isinstance(node, dict) else range(len(node)):
                yield node, key
                waiting.append(node[key])


def _near(value: Any) -> list[Any]:
    """Return values that are easily confused with `value`."""
    match value:
        case bool():
            return [int(value), float(value), str(value).lower()]
        case int() | float():
            return [str(value), value + 1, value - 1, -value, value * 10, value + 0.5, [value], bool(value)]
        case str():
            return [value + "x", value[:-1], value.upper(), f" {value}", value + "\n", [value], value * 20]
        case list():
            return [[*value, *value], value[:1], dict.fromkeys(map(str, value)), "[]", [*value, None]]
        case dict():
            return [[value], "{}", list(value)]
    return ["null", [], {}, 0, False]
