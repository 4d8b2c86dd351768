"""Small random schemas around few numbers, names and texts, so that constraints meet often."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any, Final

from toolgen.changes.edit_space import OTHER_KEYWORD, ValueKind, value_kinds
from toolgen.schema.document import Draft, Schema, draft_of
from toolgen.schema.keywords import FORMATS, TYPES

from tools.breaking.cells import drafts_of_keyword

NAMES: Final = ("a", "b", "c", "x-a", "é", "", "a/b", "~", "$ref", "%25", "type")
WORDS: Final = ("", "a", "b", "ab", "abc", "A", "1", "2024-02-29", "é", "🙂", "a b", "a\n", "ß", "\x00")
PATTERNS: Final = (
    "^[a-z]+$", "^[a-zA-Z]+$", "^[a-z]*$", "^a", "b$", "^.{0,3}$", r"^\d+$", "^[0-9]{2,4}$", "^(a|b)c?$",
    "^$", "a|b", "^[^a]*$", r"^\S+$", r"^\w+$", "[A-Z]", "^(?:ab)*$", r"^-?\d+(\.\d+)?$",
    "^é$", "^[a-c]{1,2}$", "^x-", "",
)  # fmt: skip
RARE_PATTERNS: Final = (
    "^(?!x)[a-z]+$", r"^\p{L}+$", r"\bx", r"^(a)\1$", "^.$", r"\s$", r"^\D", r"^\W*$", r"^[\w-]+$", "^a{2,}$",
    r"^[\s\S]{2}$", "^(a|ab)(c|bcd)?$", r"\u0041", "^[^\n]*$", "(?=a)", "^x$|^y$", "^(?:a?){3}$",
)  # fmt: skip
SCALARS: Final = (None, True, False, 0, 1, -1, 2, 1.5, 1.0, 10**20, 0.1, -0.0, 2**53 + 1, 1e308, *WORDS)
VALUES: Final[tuple[Any, ...]] = (
    *SCALARS, [], [1], ["a"], [1, 1], [1, 1.0], [True, 1], [[], []], {}, {"a": 1}, {"a": 1.0},
    {"a": "a", "b": None},
)  # fmt: skip

_NUMBERS: Final = ("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum")
_TEXTS: Final = (
    "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType", "contentSchema",
)  # fmt: skip
_ARRAYS: Final = (
    "items", "prefixItems", "additionalItems", "contains", "minContains", "maxContains", "minItems",
    "maxItems", "uniqueItems", "unevaluatedItems",
)  # fmt: skip
_OBJECTS: Final = (
    "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "minProperties",
    "maxProperties", "dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties",
)  # fmt: skip
_HOSTS: Final[dict[str, str]] = {
    **dict.fromkeys((*_NUMBERS, "multipleOf"), "number"),
    **dict.fromkeys(_TEXTS, "string"),
    **dict.fromkeys(_ARRAYS, "array"),
    **dict.fromkeys(_OBJECTS, "object"),
}
"""The JSON type of the values that a keyword constrains; other keywords constrain all."""


class SchemaWriter:
    """Writes the schemas of one pair. `boundary` keeps all numbers within one step of each other."""

    def __init__(self, random: Random, draft: Draft, *, boundary: bool) -> None:
        self.random, self.draft, self.boundary = random, draft, boundary
        self.anchor = (
            random.choice((0, 1, 2, 5, -1, 0.5, 0.1, 10**17, 2**53)) if boundary else random.randint(-5, 20)
        )
        self.count_anchor = random.choice((0, 1, 1, 2, 3))
        self.place = "definitions" if draft is Draft.DRAFT_7 or self.some(0.1) else "$defs"
        self.head = {"$schema": draft.value} if draft is Draft.DRAFT_7 or self.some(0.2) else {}
        self.definitions: dict[str, Any] = {}

    def some(self, chance: float) -> bool:
        """True with this probability."""
        return self.random.random() < chance

    def choice(self, of: Any) -> Any:
        """Return one of the values, as a copy."""
        return copy.deepcopy(self.random.choice(of))

    def has(self, keyword: str) -> bool:
        """True if the draft defines `keyword`."""
        return self.draft in drafts_of_keyword(keyword)

    # numbers

    def number(self) -> Any:
        if self.boundary:
            return self.anchor + self.choice((-1, 0, 0, 1, 0.5))
        return self.choice(
            (self.random.randint(-20, 40), self.random.randint(-100, 100) / 4, 10**25, 0, 1e-3)
        )

    def count(self) -> int:
        if self.boundary:
            return max(0, self.count_anchor + int(self.choice((-1, 0, 0, 1))))
        return self.random.choice((0, 1, 2, 3, 4, 6, 20))

    def divisor(self) -> Any:
        return self.choice(
            (1, 2, 3, 0.5, 0.1, 0.25, 1.5) if self.boundary else (4, 5, 6, 7, 10, 0.01, 100, 2.5)
        )

    # values of keywords

    def value(self, keyword: str, depth: int = 1) -> Any:
        """Return a value for `keyword`."""
        special: dict[str, Callable[[], Any]] = {
            "pattern": self.pattern,
            "format": lambda: self.choice((*sorted(FORMATS), "date", "email", "uri", "int32", "password")),
            "contentEncoding": lambda: self.choice(("base64", "base64url", "utf-8")),
            "contentMediaType": lambda: self.choice(("application/json", "text/plain")),
            "patternProperties": lambda: {
                self.pattern(): self.schema(depth) for _ in range(self.random.randint(1, 2))
            },
        }
        if keyword in special:
            return special[keyword]()
        kinds = value_kinds(keyword)
        kind = kinds[0] if self.draft is not Draft.DRAFT_7 and keyword == "items" else self.choice(kinds)
        return self._of_kind(keyword, kind, depth)

    def _of_kind(self, keyword: str, kind: ValueKind, depth: int) -> Any:
        makers: dict[ValueKind, Callable[[], Any]] = {
            ValueKind.BOUND: self.number if keyword in _NUMBERS else self.count,
            ValueKind.DIVISOR: self.divisor,
            ValueKind.FLAG: lambda: self.some(0.7),
            ValueKind.TEXT: lambda: self.choice(("Order", "Text", "item")),
            ValueKind.VALUE: lambda: self.choice(VALUES),
            ValueKind.VALUES: self.values,
            ValueKind.TYPES: self.types,
            ValueKind.NAMES: lambda: self.names(1),
            ValueKind.NAME_LISTS: lambda: {name: self.names(1) for name in self.names(1)},
            ValueKind.SCHEMA: lambda: self.schema_or_constant(depth),
            ValueKind.SCHEMA_LIST: lambda: [self.schema(depth) for _ in range(self.random.randint(1, 3))],
            ValueKind.SCHEMA_MAP: lambda: {name: self.schema(depth) for name in self.names(1)},
            ValueKind.PROPERTIES: lambda: {name: self.schema(depth) for name in self.names(1)},
            ValueKind.REFERENCE: lambda: self.reference(depth),
        }
        if keyword == OTHER_KEYWORD:
            return self.choice(VALUES)
        return makers[kind]()

    def pattern(self) -> str:
        return str(self.choice(RARE_PATTERNS if self.some(0.12) else PATTERNS))

    def values(self) -> list[Any]:
        pool = VALUES if self.some(0.5) else WORDS if self.some(0.6) else (0, 1, 2, 3, -1, 0.5)
        distinct: list[Any] = []
        for value in self.random.sample(pool, self.random.randint(1, 4)):
            if not any(repr(value) == repr(each) or value == each for each in distinct):
                distinct.append(copy.deepcopy(value))
        return distinct

    def types(self) -> Any:
        types = self.random.sample(TYPES, self.random.choice((1, 1, 1, 2, 2, 3)))
        return types if len(types) > 1 or self.some(0.1) else types[0]

    def names(self, least: int) -> list[str]:
        return self.random.sample(NAMES[:3] if self.some(0.8) else NAMES, self.random.randint(least, 3))

    def reference(self, depth: int) -> str:
        """Return a reference to a definition, a new one if there are fewer than two."""
        if len(self.definitions) < 2:
            name = ("One", "Two")[len(self.definitions)]
            self.definitions[name] = True  # while its schema is written, which may refer to it
            self.definitions[name] = self.schema(max(depth, 1))
        name = self.random.choice(sorted(self.definitions))
        return f"#/{self.place}/{name}"

    # schemas

    def schema_or_constant(self, depth: int) -> Any:
        return self.choice((True, False, {}, False)) if self.some(0.45) else self.schema(depth)

    def schema(self, depth: int = 1) -> Any:
        """Return a schema of at most `depth` further levels."""
        roll = self.random.random()
        if roll < 0.06:
            return self.choice((True, False, {}))
        if roll < 0.14:
            return {"enum": self.values()}
        if roll < 0.18:
            return {"const": self.choice(VALUES)}
        if depth > 0 and roll < 0.24:
            return {"$ref": self.reference(depth - 1)}
        if depth > 0 and roll < 0.36:
            return self.combined(depth - 1)
        return self.typed(self.choice(TYPES), depth)

    def combined(self, depth: int) -> dict[str, Any]:
        keyword = self.choice(("anyOf", "anyOf", "oneOf", "allOf", "not", "if"))
        if keyword == "not":
            return {"not": self.schema(depth)}
        if keyword == "if":
            return {
                key: self.schema(depth) for key in ("if", "then", "else") if key == "if" or self.some(0.7)
            }
        return {keyword: [self.schema(depth) for _ in range(self.random.randint(1, 3))]}

    def typed(self, kind: str, depth: int) -> dict[str, Any]:
        """Return a schema for values of one JSON type, mostly with that `type`."""
        made: dict[str, Any] = {"type": kind} if self.some(0.85) else {}
        for keyword in self.random.sample(self.keywords_for(kind, depth), k=self.choice((0, 1, 1, 2))):
            made[keyword] = self.value(keyword, depth - 1)
        return self.completed(made, depth)

    def keywords_for(self, kind: str, depth: int) -> list[str]:
        """Return the keywords that constrain values of this type; at depth 0, none that hold schemas."""
        host = "number" if kind == "integer" else kind
        names = [
            key
            for key, of in _HOSTS.items()
            if of == host and self.has(key) and not key.startswith("content")
        ]
        holding = {ValueKind.SCHEMA, ValueKind.SCHEMA_LIST, ValueKind.SCHEMA_MAP, ValueKind.PROPERTIES}
        names = [key for key in names if depth > 0 or holding.isdisjoint(value_kinds(key))]
        return names if len(names) >= 2 else [*names, "title", "description"]

    def completed(self, node: dict[str, Any], depth: int) -> dict[str, Any]:
        """Add the keywords without which some of `node` mean nothing."""
        if {"minContains", "maxContains"} & node.keys() and "contains" not in node:
            node["contains"] = self.schema(depth - 1)
        if "additionalItems" in node and not isinstance(node.get("items"), list):
            node["items"] = [self.schema(depth - 1)]
        if "patternProperties" in node or "additionalProperties" in node:
            node.setdefault("properties", {"a": self.schema(depth - 1)})
        return node

    def host(self, keyword: str, *, present: bool, depth: int = 2) -> dict[str, Any]:
        """Return a schema where `keyword` means something; it has it if `present`."""
        kind = _HOSTS.get(keyword) or self.choice(TYPES)
        node: dict[str, Any] = {"type": kind} if self.some(0.6) and keyword != "type" else {}
        others = [key for key in self.keywords_for(kind, depth) if key != keyword]
        for key in self.random.sample(others, k=min(len(others), self.choice((0, 1, 1, 2)))):
            node[key] = self.value(key, depth - 1)
        if keyword in ("then", "else", "if"):
            rest = [
                key for key in ("if", "then", "else") if key != keyword and (key == "if" or self.some(0.7))
            ]
            node |= {key: self.schema(depth - 1) for key in rest}
        if keyword in ("unevaluatedProperties", "unevaluatedItems") and self.some(0.6):
            key = self.choice(("allOf", "anyOf", "oneOf"))
            node[key] = [self.typed(kind, 1) for _ in range(self.random.randint(1, 2))]
        if present:
            node[keyword] = self.value(keyword, depth - 1)
        node = self.completed(node, depth)
        return node if present else {key: value for key, value in node.items() if key != keyword}

    def document(self, node: Any, definitions: Schema) -> Any:
        """Return `node` as a whole document: with its draft and the definitions."""
        if not isinstance(node, dict):
            node = {"allOf": [node]}
        head = {**self.head, **{key: node[key] for key in ("$schema", "$id") if key in node}}
        node = {key: value for key, value in node.items() if key not in head}
        if not definitions:
            return {**head, **node}
        if "$ref" in node and draft_of(head) is Draft.DRAFT_7:
            node = {"allOf": [node]}  # keywords beside a reference mean nothing
        return {**head, **node, self.place: {**definitions, **node.get(self.place, {})}}
