"""Random author's schemas, their instances, and the strict form of instances."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, reject, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.samples import examples

JsonObject = dict[str, Any]
NAMES = ["a", "b", "c"]


def patient(number: int) -> settings:
    """Return settings for tests whose examples take long to find; `make test-slow` generates `number`."""
    slow = [HealthCheck.filter_too_much, HealthCheck.too_slow]
    return settings(max_examples=examples(number), deadline=None, suppress_health_check=slow)


def _scalars() -> st.SearchStrategy[JsonObject]:
    values = st.sampled_from(["x", "y", 1, 2.5, True, None])
    return st.one_of(
        st.sampled_from(["string", "integer", "number", "boolean"]).map(lambda name: {"type": name}),
        st.just({"type": "null"}),
        st.lists(values, min_size=1, max_size=3, unique_by=repr).map(lambda found: {"enum": found}),
        st.lists(
            st.sampled_from(["string", "integer", "null", "boolean"]), min_size=2, max_size=3, unique=True
        ).map(lambda types: {"type": types, "minimum": 1, "pattern": "^[xy]"}),
        st.sampled_from(["x", "y", 1]).map(lambda value: {"const": value}),
        st.just({"type": "integer", "minimum": 0, "maximum": 3, "default": 2}),
    )


def _objects(child: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    def build(properties: JsonObject, required: set[str]) -> JsonObject:
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": properties,
            "required": [name for name in properties if name in required],
        }

    properties = st.dictionaries(st.sampled_from(NAMES), child, max_size=3)
    return st.builds(build, properties, st.sets(st.sampled_from(NAMES)))


def _grow(child: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    branches = st.lists(child, min_size=1, max_size=3)
    return st.one_of(
        _objects(child),
        _objects(child),
        child.map(lambda items: {"type": "array", "items": items, "maxItems": 3}),
        branches.map(lambda found: {"anyOf": found}),
        branches.map(lambda found: {"oneOf": found, "description": "one of them"}),
        child.map(lambda one: {"allOf": [one, {"minimum": 1}]}),
    )


def schemas() -> st.SearchStrategy[JsonObject]:
    """Root objects with two definitions, all of which may refer to each other."""
    references = st.sampled_from(
        [{"$ref": "#"}, {"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B", "description": "a B"}]
    )
    child = st.recursive(st.one_of(_scalars(), _scalars(), references), _grow, max_leaves=6)
    return st.builds(
        lambda root, a, b: {**root, "$defs": {"A": a, "B": b}}, _objects(child), _objects(child), child
    )


def _alike(names: list[str], depth: int) -> st.SearchStrategy[JsonObject]:
    """Objects with the same properties: optional, nullable, or distinguished by a constant."""
    optional = st.sampled_from([{"type": "integer"}, {"const": "x"}, {"enum": ["x", "y"]}])
    required = st.sampled_from(
        [{"type": ["integer", "null"]}, {"type": "null"}, {"const": "x"}, {"const": "y"}]
    )
    if depth:
        optional = st.one_of(optional, _alike(names, depth - 1), _choice(names, depth - 1))

    def build(found: list[tuple[bool, JsonObject]]) -> JsonObject:
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {name: child for name, (_, child) in zip(names, found, strict=True)},
            "required": [name for name, (needed, _) in zip(names, found, strict=True) if needed],
        }

    state = st.one_of(st.tuples(st.just(False), optional), st.tuples(st.just(True), required))
    return st.lists(state, min_size=len(names), max_size=len(names)).map(build)


def _choice(names: list[str], depth: int) -> st.SearchStrategy[JsonObject]:
    objects = st.lists(_alike(names, depth), min_size=2, max_size=3)
    lists = objects.map(lambda found: [{"type": "array", "items": each} for each in found])
    return st.one_of(objects, objects, lists).map(lambda found: {"anyOf": found})


def unions() -> st.SearchStrategy[JsonObject]:
    """A union of similar objects, also inside an array, where added nulls are most ambiguous."""
    choice = st.sampled_from([["a"], ["a", "b"]]).flatmap(lambda names: _choice(names, 1))
    return choice.map(
        lambda found: {
            "type": "object",
            "additionalProperties": False,
            "properties": {"v": found},
            "required": ["v"],
            "$defs": {},
        }
    )


class Instances:
    """Values of one schema. A drawn value may be invalid: check it with `accepts`."""

    def __init__(self, schema: JsonObject) -> None:
        self.root = schema

    def accepts(self, schema: Any, value: Any) -> bool:
        """Whether `schema`, a part of the root, accepts `value`."""
        if schema is self.root:
            return Draft202012Validator(schema).is_valid(value)
        # `{"$ref": "#"}` below must still mean the root, so the part is put into a copy of it
        return (
            Draft202012Validator({**self.root, "$defs": {**self.root["$defs"], "part": schema}})
            .evolve(schema={"$ref": "#/$defs/part"})
            .is_valid(value)
        )

    def draw(self, draw: st.DrawFn, schema: JsonObject, depth: int = 0) -> Any:
        """Draw a value that is likely to be valid."""
        if depth > 8:
            reject()
        if "$ref" in schema:
            return self.draw(draw, self.target(schema["$ref"]), depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                return self.draw(draw, draw(st.sampled_from(schema[keyword])), depth)
        if "allOf" in schema:
            return self.draw(draw, schema["allOf"][0], depth)
        if "enum" in schema or "const" in schema:
            return draw(st.sampled_from(schema.get("enum", [schema.get("const")])))
        kind = schema["type"]
        kind = draw(st.sampled_from(kind)) if isinstance(kind, list) else kind
        if kind == "object":
            return {
                name: self.draw(draw, child, depth + 1)
                for name, child in schema["properties"].items()
                if name in schema["required"] or (depth < 5 and draw(st.booleans()))
            }
        if kind == "array":
            count = draw(st.integers(0, 2)) if depth < 4 else 0
            return [self.draw(draw, schema["items"], depth + 1) for _ in range(count)]
        samples = {"string": ["x", "y1"], "integer": [1, 2], "number": [0.5, 1], "boolean": [True, False]}
        return draw(st.sampled_from(samples.get(kind, [None])))

    def target(self, reference: str) -> Any:
        """The schema that `reference` names."""
        return self.root if reference == "#" else self.root["$defs"][reference.removeprefix("#/$defs/")]

    def encode(self, draw: st.DrawFn, schema: Any, value: Any) -> Any:
        """Return `value` as strict mode sends it, null for absent properties, by any matching branch."""
        if "$ref" in schema:
            return self.encode(draw, self.target(schema["$ref"]), value)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                fitting = [branch for branch in schema[keyword] if self.accepts(branch, value)]
                return self.encode(draw, draw(st.sampled_from(fitting)), value)
        if "allOf" in schema:
            return self.encode(draw, schema["allOf"][0], value)
        if isinstance(value, dict):
            return {
                name: self.encode(draw, child, value[name]) if name in value else None
                for name, child in schema["properties"].items()
            }
        if isinstance(value, list):
            return [self.encode(draw, schema["items"], each) for each in value]
        return value
