"""What a refused value is told: one line per fault, in words that a model can act on."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.runtime.faults import find_faults, list_faults
from toolgen.runtime.gate import compile_gate


def told(schema: dict[str, Any], value: Any, hidden: tuple[str, ...] = ()) -> list[str]:
    return list_faults(find_faults(compile_gate(schema), value, hidden)).splitlines()


CIRCLE = {
    "type": "object",
    "required": ["kind", "r"],
    "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
}
SQUARE = {
    "type": "object",
    "required": ["kind", "a"],
    "properties": {"kind": {"const": "square"}, "a": {"type": "number"}},
}
SHAPE = {"oneOf": [CIRCLE, SQUARE]}


@pytest.mark.parametrize(
    ("schema", "value", "line"),
    [
        ({"type": "integer"}, "5", '$: expected integer, got the string "5"'),
        ({"type": ["string", "null"]}, 5, "$: expected null or string, got the number 5"),
        ({"type": "string"}, True, "$: expected string, got true"),
        ({"type": "string"}, None, "$: expected string, got null"),
        ({"type": "string"}, {"a": 1, "b": 2}, "$: expected string, got an object with 2 properties"),
        ({"minimum": 1}, 0, "$: expected at least 1, got 0"),
        ({"maximum": 1.5}, 2, "$: expected at most 1.5, got 2"),
        ({"exclusiveMinimum": 0}, 0, "$: expected more than 0, got 0"),
        ({"exclusiveMaximum": 0}, 0, "$: expected less than 0, got 0"),
        ({"multipleOf": 0.5}, 0.3, "$: expected a multiple of 0.5, got 0.3"),
        ({"minLength": 3}, "é", '$: expected at least 3 characters, got 1 ("é")'),
        ({"maxLength": 1}, "ab", '$: expected at most 1 character, got 2 ("ab")'),
        (
            {"pattern": "^[0-9]+$"},
            "1\n2",
            '$: expected text that matches the pattern "^[0-9]+$", got "1\\n2"',
        ),
        ({"format": "date"}, "today", '$: expected a valid date such as 2025-01-31, got "today"'),
        (
            {"format": "uuid"},
            "1",
            '$: expected a valid uuid such as 123e4567-e89b-12d3-a456-426614174000, got "1"',
        ),
        (
            {"enum": ["low", "urgent"]},
            "urgnt",
            '$: expected one of "low", "urgent", got "urgnt"; did you mean "urgent"?',
        ),
        ({"enum": ["1", "2"]}, 1, '$: expected one of "1", "2", got 1; did you mean "1"?'),
        ({"const": 1}, 2, "$: expected 1, got 2"),
        ({"minItems": 1}, [], "$: expected at least 1 item, got 0"),
        ({"maxItems": 1}, [1, 2], "$: expected at most 1 item, got 2"),
        (
            {"uniqueItems": True},
            [1, 2, 1.0],
            "$: expected items that are all different, got the same value at [0] and [2]",
        ),
        ({"minProperties": 1}, {}, "$: expected at least 1 property, got 0"),
        (
            {"contains": {"type": "string"}},
            [1],
            "$: expected an array with at least 1 items that fit (string), got an array of 1 item",
        ),
        ({"prefixItems": [{}], "items": False}, [1, 2], "$[1]: nothing is allowed here"),
        (
            {"properties": {"additionalProperties": False}},
            {"additionalProperties": 1},
            "$.additionalProperties: nothing is allowed here",
        ),
        ({"not": {"type": "string"}}, "a", "$: this value is not allowed here"),
        (
            {"required": ["a"], "properties": {"a": {"type": "integer"}}},
            {},
            "$.a: required property is missing, expected integer",
        ),
        (
            {"properties": {"a": {"enum": ["x", "y"]}}, "if": {}, "then": {"required": ["a"]}},
            {},
            '$.a: required property is missing, expected one of "x", "y"',
        ),
        (
            {"properties": {"colour": {}}, "additionalProperties": False},
            {"Color": 1},
            '$.Color: unknown property; did you mean "colour"?',
        ),
        (
            {"properties": {"a": {}, "b": {}}, "additionalProperties": False},
            {"a": 1, "zzz": 1},
            '$.zzz: unknown property; still possible: "b"',
        ),
        ({"additionalProperties": False}, {"a": 1}, "$.a: unknown property; none is allowed here"),
        (
            {"patternProperties": {"^x": {}}, "additionalProperties": False},
            {"a": 1},
            '$.a: unknown property; names that match "^x" are allowed',
        ),
        (
            {"unevaluatedProperties": False, "properties": {"q": {}}},
            {"a": 1},
            '$.a: unknown property; still possible: "q"',
        ),
        (
            {"propertyNames": {"maxLength": 1}},
            {"ab": 1},
            '$: property name not allowed: expected at most 1 character, got 2 ("ab")',
        ),
        (
            {"properties": {"a b": {"items": {"type": "string"}}}},
            {"a b": ["", 1]},
            '$["a b"][1]: expected string, got the number 1',
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            [],
            "$: expected string or integer, got an empty array",
        ),
        (
            {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]},
            3,
            "$: expected at least 5, got 3",
        ),
        (
            {"anyOf": [{"enum": ["red"]}, {"const": "blue"}]},
            "reed",
            '$: expected one of "red", "blue", got "reed"; did you mean "red"?',
        ),
        (
            {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {},
            "$: fits none of the 2 allowed forms: "
            "(1) $.a: required property is missing; (2) $.b: required property is missing",
        ),
        (SHAPE, {"kind": "circle", "r": "1"}, '$.r: expected number, got the string "1"'),
        (
            SHAPE,
            {"kind": "circel", "r": 1},
            '$.kind: expected one of "circle", "square", got "circel"; did you mean "circle"?',
        ),
        (
            {"oneOf": [{"type": "string"}, {"minLength": 0}]},
            "a",
            '$: expected a value that fits exactly one of 2 forms, got one that fits 1 and 2 ("a")',
        ),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}], "additionalItems": False},
            [1, 2],
            "$: expected at most 1 item, got 2",
        ),
        ({"type": "string"}, 10**4000, "$: expected string, got a very long number"),
    ],
)
def test_one_fault_one_line(schema: dict[str, Any], value: Any, line: str) -> None:
    assert told(schema, value) == [f"- {line}"]


def test_draft_07_is_draft_07() -> None:
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}}
    assert told(old, {"a": 1}) == ["- $.b: required property is missing"]
    assert compile_gate(old).accepts({"a": 1, "b": 1})
    siblings = {"$ref": "#/definitions/a", "maxLength": 1, "definitions": {"a": {}}}
    assert compile_gate({"$schema": old["$schema"], **siblings}).accepts("long")
    assert not compile_gate(siblings).accepts("long")


def test_a_property_that_is_required_twice_is_missing_once() -> None:
    schema = {"allOf": [{"required": ["a"]}, {"required": ["a"], "properties": {"a": {"type": "integer"}}}]}
    assert told(schema, {}) == ["- $.a: required property is missing, expected integer"]


def test_twenty_faults_are_told_and_the_rest_counted() -> None:
    lines = told({"items": {"type": "integer"}}, ["x"] * 27)
    assert len(lines) == 21
    assert lines[19:] == ['- $[19]: expected integer, got the string "x"', "- and 7 more"]


def test_a_flood_of_faults_is_cut_short() -> None:
    schema = {"items": {"required": ["a"], "properties": {"a": {"type": "integer"}}}}
    assert told(schema, [{}] * 5000)[-1] == "- and at least 980 more"


def test_values_that_are_not_json_are_told_in_words() -> None:
    value = {"a": [float("nan"), b"1", (1,), {2}, object(), {1: 2}], "b": "\ud800"}
    assert told({}, value) == [
        "- $.a[0]: expected a JSON value, got a number that JSON cannot write (not a number, or infinite)",
        "- $.a[1]: expected a JSON value, got binary data",
        "- $.a[2]: expected a JSON value, got a collection that is not a JSON array",
        "- $.a[3]: expected a JSON value, got a collection that is not a JSON array",
        "- $.a[4]: expected a JSON value, got a value that JSON cannot carry",
        "- $.a[5]: expected a JSON value, got an object with a key that is not text",
        "- $.b: expected a JSON value, got text that is not valid Unicode",
    ]


def test_bottomless_values_are_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    gate = compile_gate({})
    assert not gate.accepts(loop)
    assert told({}, loop)[0].endswith("expected a JSON value, got more than 200 levels of nesting")
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert not gate.accepts(deep)


def test_a_deep_value_under_a_recursive_schema() -> None:
    schema = {
        "$ref": "#/$defs/N",
        "$defs": {"N": {"properties": {"n": {"$ref": "#/$defs/N"}}, "type": "object"}},
    }
    deep: Any = 1
    for _ in range(190):
        deep = {"n": deep}
    assert told(schema, deep) == [f"- ${'.n' * 190}: expected object, got the number 1"]


@pytest.mark.parametrize("mark", [{"format": "password"}, {"writeOnly": True}])
def test_what_the_schema_hides_is_not_told(mark: dict[str, Any]) -> None:
    pins: list[dict[str, Any]] = [
        {"type": "string", "minLength": 9, "enum": ["abcdefghi"]},
        {"anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]},
        {"oneOf": [{"minLength": 1}, {"minLength": 2}]},
        {"anyOf": [{"type": "null"}, {"type": "integer"}]},
        {"allOf": [{"pattern": "^a"}], "not": {"minLength": 2}},
    ]
    for pin in pins:
        direct = {"properties": {"pin": {**pin, **mark}}}
        referred = {"properties": {"pin": {"$ref": "#/$defs/pin", **mark}}, "$defs": {"pin": pin}}
        for schema in (direct, referred):
            lines = told(schema, {"pin": "hunter2"})
            assert lines
            assert "hunter2" not in "".join(lines)


@pytest.mark.parametrize("secret", ["sk-12345", "s" * 59 + "k" * 40, 'quo"te\\d', "two\nlines", "short"])
def test_secrets_are_not_told_even_in_part(secret: str) -> None:
    value = {"key": secret, "also": f"{'x' * 40} {secret}", secret: 1}
    text = "\n".join(
        told({"properties": {"a": {}}, "additionalProperties": {"type": "null"}}, value, (secret,))
    )
    assert text.count("[secret]") == 3
    assert secret[:5] not in text


def test_a_message_is_one_line_whatever_came() -> None:
    nasty = "a\nb\r\u2028\u2029\x85\x0b\x1b[31m"
    lines = told({"properties": {nasty: {"type": "integer"}}, "maxProperties": 0}, {nasty: nasty})
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_references_outside_the_schema_are_refused() -> None:
    for uri in ("https://example.com/x.json", "file:///etc/hosts", "other.json"):
        with pytest.raises(ValueError, match=r"may not refer to|not present"):
            compile_gate({"$ref": uri})


def test_pattern_that_would_take_for_ever() -> None:
    lines = told({"pattern": "^(?=a)(a+)+$"}, "a" * 60 + "b")
    assert len(lines) == 1
