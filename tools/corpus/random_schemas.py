"""Random schemas: every keyword of both drafts, in any combination, with unusual names."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

_NAMES = (
    "a", "b", "class", "fooBar", "foo-bar", "foo_bar", "_meta", "model_config", "model_fields",
    "model_dump_x", "json", "schema", "copy", "", "é", "ﬁ", "fi", "int", "x.y", "self", "$ref", "type",
    "properties", "Field", "🙂", "a b", "None", "__init__", "_", "1", "validate", "dict", "StartTime<",
    "StartTime>", "items", "list", "Any", "Literal",
)  # fmt: skip
_SCALARS = (None, True, False, 0, 1, -1, 1.0, 0.5, 2**60, 10**25, 1e20, "", "1", "true", "a", "é", "null")
_VALUES: tuple[Any, ...] = (*_SCALARS, [], [1], ["1", None], {}, {"a": 1}, {"a": 1.0, "b": [True]})
_FORMATS = (
    "date",
    "date-time",
    "email",
    "uri",
    "uuid",
    "ipv4",
    "regex",
    "int32",
    "password",
    "duration",
    "time",
)
_PATTERNS = (
    "^[a-z]+$", "[0-9]{2,}", "^(?!x).*$", r"^\p{L}+$", r"\d+", r"^\S+$", "^a|b$", r"^[\w.-]+$", "^.{1,3}$",
    r"\bx", "^$",
)  # fmt: skip
_KINDS = ("string", "integer", "number", "boolean", "null", "object", "array")


def schema_of(seed: int, draft7: bool) -> dict[str, Any]:
    """Return a schema of an object; the same for the same seed."""
    return _Writer(Random(seed), draft7).root()


class _Writer:
    """Writes one schema document."""

    def __init__(self, random: Random, draft7: bool) -> None:
        self.random, self.draft7 = random, draft7
        self.place = "definitions" if draft7 else "$defs"
        self.named = self.random.sample(["One", "Two", "a/b", "x~y", "list", "é"], 3)

    def root(self) -> dict[str, Any]:
        """Return an object with some properties, and the definitions to which they refer."""
        root: dict[str, Any] = {"$schema": "http://json-schema.org/draft-07/schema#"} if self.draft7 else {}
        root |= {
            "type": "object",
            **self.object(3),
            self.place: {name: self.schema(2) for name in self.named},
        }
        return root

    def some(self, chance: float) -> bool:
        return self.random.random() < chance

    def schema(self, depth: int) -> Any:
        """Return a schema of at most `depth` levels."""
        roll = self.random.random()
        if roll < 0.04:
            return self.some(0.8)
        if roll < 0.16:
            return self.reference(depth)
        if depth and roll < 0.36:
            return self.combined(depth)
        if roll < 0.46:
            return {"enum": self.random.sample(_VALUES, self.random.randint(1, 4))}
        if roll < 0.52:
            return {"const": self.random.choice(_VALUES)}
        kinds = self.random.sample(_KINDS, self.random.choice((1, 1, 1, 1, 2, 2, 3)))
        made: dict[str, Any] = {"type": kinds if len(kinds) > 1 else kinds[0]}
        if self.some(0.08):
            del made["type"]
        for kind in kinds:
            made |= self.keywords(kind, depth)
        if self.some(0.15):
            made["default"] = self.random.choice(_VALUES)
        if self.some(0.2):
            made["description"] = self.random.choice(("d", "", '"""', "two\nlines"))
        return made

    def reference(self, depth: int) -> dict[str, Any]:
        name = self.random.choice(self.named).replace("~", "~0").replace("/", "~1").replace("é", "%C3%A9")
        made: dict[str, Any] = {"$ref": f"#/{self.place}/{name}"}
        if self.some(0.3):
            made |= self.keywords(self.random.choice(_KINDS), depth - 1)
        return made

    def combined(self, depth: int) -> dict[str, Any]:
        def inner() -> Any:
            return self.schema(depth - 1)

        base = self.keywords(self.random.choice(_KINDS), depth - 1) if self.some(0.4) else {}
        if self.some(0.3):
            base["type"] = self.random.choice(_KINDS)
        match self.random.randint(0, 6):
            case 0 | 1:
                return {**base, "anyOf": [inner() for _ in range(self.random.randint(1, 3))]}
            case 2:
                return {**base, "oneOf": [inner() for _ in range(self.random.randint(1, 3))]}
            case 3 | 4:
                return {**base, "allOf": [inner() for _ in range(self.random.randint(1, 3))]}
            case 5:
                return {**base, "not": inner()}
        return {**base, "if": inner(), "then": inner(), "else": inner()}

    def keywords(self, kind: str, depth: int) -> dict[str, Any]:
        """Return keywords for values of type `kind`."""
        made: Callable[[int], dict[str, Any]] = {
            "object": self.object, "array": self.array, "string": self.string, "integer": self.number,
            "number": self.number,
        }.get(kind, lambda _: {})  # fmt: skip
        return made(max(depth, 0))

    def object(self, depth: int) -> dict[str, Any]:
        names = self.random.sample(_NAMES, self.random.randint(0, 4 if depth else 1))
        made: dict[str, Any] = (
            {"properties": {name: self.schema(max(depth - 1, 0)) for name in names}} if names else {}
        )
        if names and self.some(0.5):
            made["required"] = self.random.sample(names, self.random.randint(1, len(names)))
        if self.some(0.35):
            made["additionalProperties"] = self.random.choice(
                (False, True, {"type": "integer"}, {"type": "string"})
            )
        if self.some(0.12):
            made["patternProperties"] = {self.random.choice(_PATTERNS): self.schema(max(depth - 1, 0))}
        if self.some(0.06):
            made["propertyNames"] = {"maxLength": 6}
        if self.some(0.06):
            made["minProperties"] = self.random.randint(0, 2)
        if names and self.some(0.08):
            key = "dependencies" if self.draft7 else "dependentRequired"
            made[key] = {names[0]: [self.random.choice(names)]}
        if not self.draft7 and self.some(0.06):
            made["unevaluatedProperties"] = self.random.choice((False, {"type": "string"}))
        return made

    def array(self, depth: int) -> dict[str, Any]:
        inner = max(depth - 1, 0)
        made: dict[str, Any] = {"items": self.schema(inner)} if self.some(0.7) else {}
        if self.some(0.15):
            first = [self.schema(inner) for _ in range(self.random.randint(1, 2))]
            made |= (
                {"items": first, "additionalItems": self.schema(inner)}
                if self.draft7
                else {"prefixItems": first}
            )
        for key, value in (("minItems", 1), ("maxItems", 3), ("uniqueItems", True), ("minItems", 1.0)):
            if self.some(0.12):
                made[key] = value
        if self.some(0.06):
            made["contains"] = self.schema(inner)
        return made

    def string(self, _: int) -> dict[str, Any]:
        lengths = (("minLength", 1), ("maxLength", 5), ("maxLength", 3.0))
        made: dict[str, Any] = {key: value for key, value in lengths if self.some(0.15)}
        if self.some(0.2):
            made["pattern"] = self.random.choice(_PATTERNS)
        if self.some(0.2):
            made["format"] = self.random.choice(_FORMATS)
        return made

    def number(self, _: int) -> dict[str, Any]:
        bounds = (0, 1, -1, 2.5, 1e3, 2**53, 10**25, 1.0)
        keys = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        made: dict[str, Any] = {key: self.random.choice(bounds) for key in keys if self.some(0.15)}
        if self.some(0.12):
            made["multipleOf"] = self.random.choice((1, 2, 0.5, 0.01, 3.0, 1e-3))
        return made
