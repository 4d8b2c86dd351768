"""Random values of strict schemas, and the strict form of arguments."""

from __future__ import annotations

from random import Random
from typing import Any

from jsonschema import Draft202012Validator

JsonObject = dict[str, Any]
DEEPEST = 6


class Strict:
    """One strict schema, as `faults` of `strict_subset` has none in."""

    def __init__(self, schema: JsonObject) -> None:
        self.schema = schema
        self._validators: dict[int, Draft202012Validator] = {}

    def accepts(self, node: JsonObject, value: Any) -> bool:
        """Whether a part of the schema accepts `value`."""
        if id(node) not in self._validators:
            self._validators[id(node)] = Draft202012Validator(self.schema).evolve(schema=node)
        return self._validators[id(node)].is_valid(value)

    def target(self, node: JsonObject) -> JsonObject:
        """Resolve a reference; return any other node itself."""
        reference = node.get("$ref")
        if reference is None:
            return node
        found: JsonObject = self.schema
        if reference != "#":
            found = self.schema["$defs"][reference.removeprefix("#/$defs/")]
        return self.target(found)

    def encode(self, node: JsonObject, value: Any) -> Any:
        """Return `value` with null for each absent property, by the first branch that then accepts it."""
        node = self.target(node)
        if "anyOf" in node:
            encoded = [(branch, self.encode(branch, value)) for branch in node["anyOf"]]
            return next((each for branch, each in encoded if self.accepts(branch, each)), value)
        if isinstance(value, dict) and node.get("type") == "object":
            properties = node["properties"]
            absent = {name: None for name in properties if name not in value}
            given = {
                name: self.encode(properties[name], each) if name in properties else each
                for name, each in value.items()
            }
            return {**absent, **given}
        if isinstance(value, list) and node.get("type") == "array":
            return [self.encode(node["items"], each) for each in value]
        return value

    def sample(self, random: Random, node: JsonObject, depth: int = 0) -> Any:
        """Return a value that is likely to be accepted; null wherever possible at depth."""
        node = self.target(node)
        if "anyOf" in node:
            null = {"type": "null"}
            branch = null if null in node["anyOf"] and depth > DEEPEST else random.choice(node["anyOf"])
            return self.sample(random, branch, depth + 1)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return random.choice(node["enum"])
        kind = random.choice(node["type"]) if isinstance(node["type"], list) else node["type"]
        if kind == "object":
            return {name: self.sample(random, child, depth + 1) for name, child in node["properties"].items()}
        if kind == "array":
            least = node.get("minItems", 0)
            count = (
                least if depth > DEEPEST else random.randint(least, min(least + 2, node.get("maxItems", 9)))
            )
            return [self.sample(random, node["items"], depth + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            least = node.get("minimum", node.get("exclusiveMinimum", -1) + 1)
            return least if random.random() < 0.5 else max(least, min(5, node.get("maximum", 5)))
        texts = {"date": "2026-01-31", "date-time": "2026-01-31T10:00:00Z", "email": "a@example.org"}
        return {"string": texts.get(node.get("format", ""), random.choice(["", "x", "Ω y"]))}.get(
            kind, random.choice([True, False]) if kind == "boolean" else None
        )
