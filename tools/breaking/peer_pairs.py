"""Changes of one tool, and pairs of schemas, that toolgen and its peers are asked about, with the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from toolgen.changes.edit_space import Direction

REQUEST, RESPONSE = Direction.REQUEST, Direction.RESPONSE


@dataclass(frozen=True, slots=True)
class ToolChange:
    """A change of a tool's schema, and whether it breaks callers."""

    name: str
    direction: Direction
    old: dict[str, Any]
    new: dict[str, Any]
    breaks: bool


@dataclass(frozen=True, slots=True)
class SchemaPair:
    """Two schemas, and whether `wide` accepts every value that `narrow` accepts."""

    name: str
    narrow: dict[str, Any]
    wide: dict[str, Any]
    contained: bool


def _tool(required: tuple[str, ...] = ("id",), *, closed: bool = True, **properties: Any) -> dict[str, Any]:
    """Return the schema of an order; `None` takes a property away."""
    of: dict[str, Any] = {
        "id": {"type": "integer", "minimum": 1},
        "amount": {"type": "number", "maximum": 100},
        "state": {"enum": ["open", "paid", "sent"]},
        "note": {"type": "string", "maxLength": 80},
        "until": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 0},
        "buyer": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
        "price": {"$ref": "#/$defs/Money"},
    }
    of |= properties
    money = of.pop("Money", {"type": "number"})
    return {
        "type": "object",
        "properties": {name: schema for name, schema in of.items() if schema is not None},
        **({"required": list(required)} if required else {}),
        **({"additionalProperties": False} if closed else {}),
        "$defs": {"Money": money},
    }


_BASE: Final = _tool()

BREAKING_REQUESTS: Final = tuple(
    ToolChange(name, REQUEST, old, new, True)
    for name, old, new in (
        ("parameter removed, none other allowed", _BASE, _tool(note=None)),
        ("required parameter added", _BASE, _tool(("id", "by"), by={"type": "string"})),
        ("parameter became required", _BASE, _tool(("id", "note"))),
        ("type changed", _BASE, _tool(until={"type": "integer"})),
        ("number became integer", _BASE, _tool(amount={"type": "integer", "maximum": 100})),
        ("value removed from enum", _BASE, _tool(state={"enum": ["open", "paid"]})),
        ("minimum raised", _BASE, _tool(id={"type": "integer", "minimum": 2})),
        ("maximum lowered", _BASE, _tool(amount={"type": "number", "maximum": 99})),
        ("maxLength lowered", _BASE, _tool(note={"type": "string", "maxLength": 40})),
        ("pattern added", _BASE, _tool(note={"type": "string", "maxLength": 80, "pattern": "^[a-z]*$"})),
        ("format added", _BASE, _tool(until={"type": "string", "format": "date"})),
        ("other parameters forbidden", _tool(closed=False), _BASE),
        ("minItems raised", _BASE, _tool(tags={"type": "array", "items": {"type": "string"}, "minItems": 1})),
        ("null no longer allowed", _BASE, _tool(buyer={"type": "string"})),
        (
            "required property added to a nested object",
            _BASE,
            _tool(
                address={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
            ),
        ),
        ("definition behind a reference narrowed", _BASE, _tool(Money={"type": "number", "minimum": 0})),
    )
)

BREAKING_RESPONSES: Final = tuple(
    ToolChange(name, RESPONSE, old, new, True)
    for name, old, new in (
        ("required property became optional", _BASE, _tool(())),
        ("value added to enum", _BASE, _tool(state={"enum": ["open", "paid", "sent", "lost"]})),
        ("integer became number", _BASE, _tool(id={"type": "number", "minimum": 1})),
        ("null became possible", _BASE, _tool(until={"type": ["string", "null"]})),
        ("maximum raised", _BASE, _tool(amount={"type": "number", "maximum": 1000})),
        ("other properties became possible", _BASE, _tool(closed=False)),
    )
)

SAFE_CHANGES: Final = tuple(
    ToolChange(name, direction, old, new, False)
    for name, direction, old, new in (
        ("optional parameter added", REQUEST, _BASE, _tool(by={"type": "string"})),
        ("parameter became optional", REQUEST, _BASE, _tool(())),
        ("integer became number", REQUEST, _BASE, _tool(id={"type": "number", "minimum": 1})),
        ("type became a list with null", REQUEST, _BASE, _tool(until={"type": ["string", "null"]})),
        ("union written as list of types", REQUEST, _BASE, _tool(buyer={"type": ["null", "string"]})),
        ("reference unfolded", REQUEST, _BASE, _tool(price={"type": "number"})),
        (
            "bound written otherwise",
            REQUEST,
            _BASE,
            _tool(id={"type": "integer", "exclusiveMinimum": 0}),
        ),
        (
            "pattern written otherwise",
            REQUEST,
            _tool(note={"type": "string", "pattern": "^[a-c]{1,2}$"}),
            _tool(note={"type": "string", "pattern": "^(a|b|c)(a|b|c)?$"}),
        ),
        ("value removed from enum", RESPONSE, _BASE, _tool(state={"enum": ["open", "paid"]})),
        ("minimum raised", RESPONSE, _BASE, _tool(id={"type": "integer", "minimum": 5})),
    )
)

TOOL_CHANGES: Final = (*BREAKING_REQUESTS, *BREAKING_RESPONSES, *SAFE_CHANGES)


def _tree(leaf: str) -> dict[str, Any]:
    node = {"type": "object", "properties": {"value": {"type": leaf}, "next": {"$ref": "#/$defs/Node"}}}
    return {"$ref": "#/$defs/Node", "$defs": {"Node": node}}


_LETTERS, _CAPITALS_TOO = {"pattern": "^[a-z]+$"}, {"pattern": "^[a-zA-Z]+$"}
_TWO = {"contains": {"type": "integer"}, "minContains": 2}
_IF = {
    "type": "object",
    "properties": {"kind": {"enum": ["card", "cash"]}},
    "if": {"properties": {"kind": {"const": "card"}}, "required": ["kind"]},
    "then": {"required": ["number"]},
}
_PARTS: Final[dict[str, Any]] = {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}
_DRAFT_7: Final = "http://json-schema.org/draft-07/schema#"

SCHEMA_PAIRS: Final = tuple(
    SchemaPair(*each)
    for each in (
        ("integers are numbers", {"type": "integer"}, {"type": "number"}, True),
        ("numbers are integers", {"type": "number"}, {"type": "integer"}, False),
        (
            "bounds of integers",
            {"type": "integer", "exclusiveMinimum": 0},
            {"type": "integer", "minimum": 1},
            True,
        ),
        (
            "bounds of numbers",
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "number", "minimum": 1},
            False,
        ),
        (
            "multiples of 4 are even",
            {"type": "integer", "multipleOf": 4},
            {"type": "integer", "multipleOf": 2},
            True,
        ),
        (
            "multiples of 6 or 4",
            {"type": "integer", "multipleOf": 6},
            {"type": "integer", "multipleOf": 4},
            False,
        ),
        ("values have a type", {"enum": [1, 2]}, {"type": "integer"}, True),
        ("constant in an enum", {"const": "a"}, {"enum": ["a", "b"]}, True),
        ("1 is 1.0", {"enum": [1]}, {"enum": [1.0]}, True),
        ("true is not 1", {"enum": [True]}, {"enum": [1]}, False),
        ("pattern in a wider one", {"type": "string", **_LETTERS}, {"type": "string", **_CAPITALS_TOO}, True),
        (
            "pattern in a narrower one",
            {"type": "string", **_CAPITALS_TOO},
            {"type": "string", **_LETTERS},
            False,
        ),
        (
            "the dot leaves line breaks out",
            {"type": "string", "maxLength": 3},
            {"type": "string", "pattern": "^.{0,3}$"},
            False,
        ),
        ("format added", {"type": "string"}, {"type": "string", "format": "email"}, False),
        (
            "format and length",
            {"type": "string", "format": "date"},
            {"type": "string", "minLength": 10},
            True,
        ),
        (
            "required names",
            {"type": "object", "required": ["a", "b"]},
            {"type": "object", "required": ["a"]},
            True,
        ),
        (
            "property narrowed",
            {"type": "object", "properties": {"a": {"type": "number"}}},
            {"type": "object", "properties": {"a": {"type": "integer"}}},
            False,
        ),
        (
            "open objects in closed ones",
            {"type": "object", "properties": {"a": {}}},
            {"type": "object", "properties": {"a": {}}, "additionalProperties": False},
            False,
        ),
        (
            "a required property is a property",
            {"type": "object", "required": ["a"]},
            {"type": "object", "minProperties": 1},
            True,
        ),
        (
            "dependentRequired as a union",
            {"type": "object", "dependentRequired": {"a": ["b"]}},
            {"anyOf": [{"not": {"required": ["a"]}}, {"required": ["b"]}]},
            True,
        ),
        ("dependentRequired added", {"type": "object"}, {"dependentRequired": {"a": ["b"]}}, False),
        (
            "dependentSchemas added",
            {"type": "object"},
            {"dependentSchemas": {"a": {"required": ["b"]}}},
            False,
        ),
        (
            "pattern of properties narrowed",
            {"type": "object", "patternProperties": {"^x-": {"type": "string"}}},
            {"type": "object", "patternProperties": {"^x-": {"type": "string", "minLength": 1}}},
            False,
        ),
        (
            "names of properties",
            {"type": "object", "propertyNames": {"maxLength": 3}},
            {"type": "object", "propertyNames": {"maxLength": 5}},
            True,
        ),
        (
            "names of properties restricted",
            {"type": "object"},
            {"type": "object", "propertyNames": {"pattern": "^a"}},
            False,
        ),
        (
            "a closed tuple has a length",
            {"type": "array", "prefixItems": [{"type": "integer"}, {}], "items": False},
            {"type": "array", "maxItems": 2},
            True,
        ),
        (
            "first item and all items",
            {"type": "array", "prefixItems": [{"type": "string"}]},
            {"type": "array", "items": {"type": "string"}},
            False,
        ),
        ("two matches are one", {"type": "array", **_TWO}, {"contains": {"type": "integer"}}, True),
        ("one match is not two", {"type": "array", "contains": {"type": "integer"}}, _TWO, False),
        (
            "different values of an enum are few",
            {"type": "array", "uniqueItems": True, "items": {"enum": [1, 2]}},
            {"type": "array", "maxItems": 2},
            True,
        ),
        ("condition added", {"type": "object", "properties": _IF["properties"]}, _IF, False),
        (
            "exactly one is at least one",
            {"oneOf": [{"type": "string"}, {"maximum": 3}]},
            {"anyOf": [{"type": "string"}, {"maximum": 3}]},
            True,
        ),
        (
            "at least one is not exactly one",
            {"anyOf": [{"type": "integer"}, {"type": "number", "maximum": 3}]},
            {"oneOf": [{"type": "integer"}, {"type": "number", "maximum": 3}]},
            False,
        ),
        ("recursive, narrower inside", _tree("integer"), _tree("number"), True),
        (
            "unevaluatedProperties see all parts",
            {**_PARTS, "unevaluatedProperties": False},
            {**_PARTS, "additionalProperties": {"type": "null"}},
            False,
        ),
        (
            "draft-07 ignores siblings of a reference",
            {"$schema": _DRAFT_7, "properties": {"a": {"$ref": "#/definitions/A"}}, "definitions": {"A": {}}},
            {
                "$schema": _DRAFT_7,
                "properties": {"a": {"$ref": "#/definitions/A", "type": "string"}},
                "definitions": {"A": {}},
            },
            True,
        ),
    )
)
