"""Fault messages of refused values: number, length, secrets, recursive and hostile schemas."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.runtime.validation.compiled_schema import compile_schema
from toolgen.runtime.validation.faults import find_faults, list_faults


def fault_messages(schema: dict[str, Any], value: Any, hidden: tuple[str, ...] = ()) -> list[str]:
    return list_faults(find_faults(compile_schema(schema), value, hidden)).splitlines()


def test_thousands_of_faults_are_cut_off() -> None:
    schema = {"items": {"required": ["a"], "properties": {"a": {"type": "integer"}}}}
    assert fault_messages(schema, [{}] * 1100)[-1] == "- and at least 980 more"
    assert fault_messages({"properties": {"x": schema}}, {"x": [{}] * 10_000}) == [
        "- $: does not fit the schema; finding out why would take too long: send less at once"
    ]


def test_values_that_are_not_json_are_described() -> None:
    value = {"a": [float("nan"), b"1", (1,), {2}, object(), {1: 2}], "b": "\ud800"}
    assert fault_messages({}, value) == [
        "- $.a[0]: expected a JSON value, got a number that JSON cannot write (not a number, or infinite)",
        "- $.a[1]: expected a JSON value, got binary data",
        "- $.a[2]: expected a JSON value, got a value that JSON cannot carry",
        "- $.a[3]: expected a JSON value, got a value that JSON cannot carry",
        "- $.a[4]: expected a JSON value, got a value that JSON cannot carry",
        "- $.a[5]: expected a JSON value, got an object with a key that is not text",
        "- $.b: expected a JSON value, got text that is not valid Unicode",
    ]


def test_recursive_values_are_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    gate = compile_schema({})
    assert not gate.accepts(loop)
    assert fault_messages({}, loop)[0].endswith("expected a JSON value, got more than 200 levels of nesting")
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    assert not gate.accepts(deep)


def test_recursive_alternatives_are_not_tried_for_ever() -> None:
    forms = [
        {"properties": {"k": {"const": kind}, "of": {"$ref": "#/$defs/filter"}}, "required": ["k"]}
        for kind in ("all", "any", "not")
    ]
    schema = {"$ref": "#/$defs/filter", "$defs": {"filter": {"type": "object", "oneOf": forms}}}

    def deep(levels: int) -> Any:
        value: Any = {"k": "nott"}
        for _ in range(levels):
            value = {"k": "all", "of": value}
        return value

    assert fault_messages(schema, deep(2)) == [
        '- $.of.of.k: expected one of "all", "any", "not", got "nott"; did you mean "not"?'
    ]
    assert fault_messages(schema, deep(40)) == [
        "- $: does not fit the schema; finding out why would take too long: send less at once"
    ]


@pytest.mark.parametrize("mark", [{"format": "password"}, {"writeOnly": True}])
def test_values_that_the_schema_marks_secret_are_not_shown(mark: dict[str, Any]) -> None:
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
            lines = fault_messages(schema, {"pin": "hunter2"})
            assert lines
            assert "hunter2" not in "".join(lines)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"pin": {"type": "integer"}}, "allOf": [{"properties": {"pin": {"writeOnly": True}}}]},
        {"properties": {"pin": {"type": "integer"}}, "anyOf": [{"$ref": "#/$defs/marked"}]},
        {"properties": {"pin": {"type": "integer"}}, "patternProperties": {"^p": {"format": "password"}}},
        {"anyOf": [{"properties": {"pin": {"const": word, "writeOnly": True}}} for word in ("a", "b")]},
        {"properties": {"pin": {"items": {"type": "integer"}, "writeOnly": True}}},
    ],
)
def test_values_that_any_part_of_the_schema_marks_secret_are_not_shown(schema: dict[str, Any]) -> None:
    root = {**schema, "$defs": {"marked": {"properties": {"pin": {"writeOnly": True}}}}}
    for pin in ("hunter2", {"a": "hunter2"}, ["hunter2"], " hunter2", 1):
        gate = compile_schema(root)
        if not gate.accepts({"pin": pin}):
            lines = fault_messages(root, {"pin": pin})
            assert lines
            assert "hunter2" not in "".join(lines)


@pytest.mark.parametrize(
    "text", ['{"pin": "hunter2"}', ' [{"pin": "hunter2"}]', '"{\\"pin\\": \\"hunter2\\"}"']
)
def test_a_text_that_may_contain_a_secret_value_is_not_shown(text: str) -> None:
    inner = {"type": "object", "properties": {"pin": {"type": "integer", "writeOnly": True}}}
    for login in (inner, {"anyOf": [inner, {"type": "null"}]}, {**inner, "enum": [{}]}):
        assert "hunter2" not in "".join(fault_messages({"properties": {"login": login}}, {"login": text}))


@pytest.mark.parametrize("secret", ["sk-12345", "s" * 59 + "k" * 40, 'quo"te\\d', "two\nlines", "short"])
def test_secrets_are_not_shown_even_in_part(secret: str) -> None:
    value = {"key": secret, "also": f"{'x' * 40} {secret}", secret: 1}
    text = "\n".join(
        fault_messages({"properties": {"a": {}}, "additionalProperties": {"type": "null"}}, value, (secret,))
    )
    assert text.count("[secret]") == 3
    assert secret[:5] not in text


def test_references_outside_the_schema_are_refused() -> None:
    for uri in ("https://example.com/x.json", "file:///etc/hosts", "other.json"):
        with pytest.raises(ValueError, match=r"may not refer to|not present"):
            compile_schema({"$ref": uri})
