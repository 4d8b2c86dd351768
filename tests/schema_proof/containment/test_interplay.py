"""Pairs of schemas whose verdict follows from several constraints together."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.proof.containment import Contained, NotContained, check_containment
from toolgen.schema.validator import compiled


def obj(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


NULLS = {
    "$ref": "#/$defs/n",
    "$defs": {"n": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/n"}}]}},
}
CHAIN = {
    "$ref": "#/$defs/l",
    "$defs": {"l": {"type": "array", "items": {"$ref": "#/$defs/l"}, "maxItems": 1}},
}
EVEN_CHAIN = {
    "$ref": "#/$defs/e",
    "$defs": {
        "e": {"type": "array", "prefixItems": [{"$ref": "#/$defs/o"}], "maxItems": 1},
        "o": {"type": "array", "prefixItems": [{"$ref": "#/$defs/e"}], "minItems": 1, "maxItems": 1},
    },
}

CASES: list[tuple[Any, Any, bool]] = [
    (
        obj(maxProperties=1, required=["a"]),
        obj(additionalProperties={"type": "string"}, properties={"a": {}}),
        True,
    ),
    (
        obj(propertyNames={"pattern": "^x"}, patternProperties={"^x": {"type": "integer"}}),
        obj(additionalProperties={"type": "integer"}),
        True,
    ),
    (obj(propertyNames={"enum": ["a", "b"]}, minProperties=2), obj(required=["a", "b"]), True),
    (obj(propertyNames={"pattern": "^[ab]$"}), obj(maxProperties=2), True),
    (
        obj(patternProperties={"^a": {"type": "string"}, "b$": {"type": "integer"}}, required=["ab"]),
        False,
        True,
    ),
    (
        {"type": "array", "items": {"enum": [1, 2]}, "uniqueItems": True, "minItems": 2},
        {"contains": {"const": 1}},
        True,
    ),
    ({"type": "array", "items": {"type": "boolean"}, "minItems": 3}, {"not": {"uniqueItems": True}}, True),
    ({"type": "integer", "multipleOf": 4, "minimum": 1, "maximum": 7}, {"const": 4}, True),
    ({"type": "string", "pattern": "^[ab]$"}, {"enum": ["a", "b"]}, True),
    ({"type": "boolean"}, {"enum": [True, False]}, True),
    (
        obj(properties={"a": {"type": "boolean"}}, additionalProperties=False),
        {"enum": [{}, {"a": True}, {"a": False}]},
        True,
    ),
    (NULLS, {"type": ["null", "array"]}, True),
    (EVEN_CHAIN, CHAIN, True),
    ({"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}], "type": "integer"}, {"not": {"multipleOf": 6}}, True),
    ({"type": "array", "minItems": 999}, {"minItems": 1000}, False),
    ({"type": "string", "minLength": 100000}, {"minLength": 100001}, False),
]
"""A narrow and a wide schema, and whether the wide one contains the other."""


@pytest.mark.parametrize(("narrow", "wide", "is_contained"), CASES)
def test_constraints_act_together(narrow: Any, wide: Any, is_contained: bool) -> None:
    result = check_containment(narrow, wide)
    if is_contained:
        assert result == Contained()
    else:
        assert isinstance(result, NotContained)
        assert compiled(narrow).is_valid(result.witness)
        assert not compiled(wide).is_valid(result.witness)
