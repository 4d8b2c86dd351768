"""References are bound inside the specs folder, examples and placeholders checked, tools sorted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolgen.compile.pipeline import bind
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.program import Program

ITEM = {"type": "object", "properties": {"unit": {"$ref": "#/$defs/Unit"}}}
SHARED = {"$defs": {"Item": ITEM, "Unit": {"type": "string"}, "Unused": {"type": "null"}}}


def program(files: dict[str, Any]) -> Program:
    return bind({path: json.dumps(data) for path, data in files.items()})


def tool(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "get_thing", "description": "A.", "input_schema": {"type": "object", **schema}, **more}


def codes(files: dict[str, Any]) -> list[str]:
    with pytest.raises(SpecErrors) as refused:
        program(files)
    return [diagnostic.code for diagnostic in refused.value.diagnostics]


def test_a_schema_without_file_references_is_unchanged() -> None:
    schema = {
        "$id": "https://example.com/root",
        "properties": {
            "a": {"$ref": "#/$defs/A"},
            "b": {"$ref": "#anchor"},
            "c": {"$ref": "https://example.com/embedded"},
            "d": {"$ref": "embedded#/$defs/inner"},
            "e": {"$dynamicRef": "#node"},
            "f": {"$ref": "#/properties/a"},
            "$ref": {"type": "string"},
        },
        "$defs": {
            "A": {"$anchor": "anchor", "type": "string"},
            "E": {
                "$id": "https://example.com/embedded",
                "$ref": "#/$defs/inner",
                "$defs": {"inner": {"type": "null"}},
            },
            "N": {"$dynamicAnchor": "node", "type": "object"},
        },
    }
    (only,) = program({"a.yaml": tool(schema)}).tools
    assert only.input_schema == {"type": "object", **schema}
    assert only.shared_files == ()


def test_files_are_bundled_transitively_and_order_is_kept() -> None:
    files = {
        "deep/a.yaml": tool(
            {
                "properties": {
                    "one": {"description": "first", "$ref": "../schemas/s.yaml#/$defs/Item", "x-more": 1},
                    "unit": {"$ref": "../schemas/s.yaml#/$defs/Item/properties/unit"},
                },
                "required": ["one"],
            }
        ),
        "schemas/s.yaml": SHARED,
    }
    (only,) = program(files).tools
    assert json.dumps(only.input_schema) == json.dumps(
        {
            "type": "object",
            "properties": {
                "one": {"description": "first", "$ref": "#/$defs/Item", "x-more": 1},
                "unit": {"$ref": "#/$defs/Item/properties/unit"},
            },
            "required": ["one"],
            "$defs": {"Item": ITEM, "Unit": {"type": "string"}},
        }
    )
    assert only.shared_files == ("schemas/s.yaml",)


def test_names_that_collide_get_a_number() -> None:
    files = {
        "a.yaml": tool(
            {
                "properties": {
                    "own": {"$ref": "#/$defs/Item"},
                    "one": {"$ref": "one.yaml#/$defs/Item"},
                    "two": {"$ref": "two.yaml#/$defs/Item"},
                },
                "$defs": {"Item": {"type": "integer"}},
            }
        ),
        "one.yaml": {"$defs": {"Item": {"type": "string"}}},
        "two.yaml": {"$defs": {"Item": {"type": "array", "items": {"$ref": "#/$defs/Item"}}}},
    }
    schema = program(files).tools[0].input_schema
    assert [part["$ref"] for part in schema["properties"].values()] == [
        "#/$defs/Item",
        "#/$defs/Item_2",
        "#/$defs/Item_3",
    ]
    assert schema["$defs"] == {
        "Item": {"type": "integer"},
        "Item_2": {"type": "string"},
        "Item_3": {"type": "array", "items": {"$ref": "#/$defs/Item_3"}},
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"$ref": "#"}]},
        {"$defs": {"A": {"not": {"$ref": "#a"}, "$anchor": "a"}}, "properties": {"a": {"$ref": "#/$defs/A"}}},
    ],
)
def test_recursion_in_place_is_a_loop(schema: dict[str, Any]) -> None:
    assert codes({"a.yaml": tool(schema)}) == ["looping-ref"]


@pytest.mark.parametrize(
    ("ref", "code"),
    [
        ("#/$defs/Nope", "dangling-ref"),
        ("../s.yaml#/$defs/Unit", "escaping-ref"),
        ("%2e%2e/s.yaml#/$defs/Unit", "escaping-ref"),
        ("https://example.com/s.yaml", "remote-ref"),
    ],
)
def test_refused_references(ref: str, code: str) -> None:
    files = {
        "a.yaml": tool({"required": [], "properties": {"a": {"$ref": ref}}}),
        "b.yaml": {**tool({}), "name": "other"},
        "s.yaml": SHARED,
    }
    assert codes(files) == [code]


def test_tools_are_sorted_by_name_without_disabled_ones() -> None:
    names = {"z.yaml": "alpha", "a.yaml": "zeta", "m.yaml": "Beta"}
    files: dict[str, Any] = {path: {**tool({}), "name": name} for path, name in names.items()}
    files["off.yaml"] = {**tool({}), "name": "alpha", "enabled": False}
    assert [only.spec.name for only in program(files).tools] == ["Beta", "alpha", "zeta"]
    files["off.yaml"]["input_schema"]["properties"] = {"a": {"$ref": "#/$defs/Nope"}}
    assert codes(files) == ["dangling-ref"]


@pytest.mark.parametrize(
    "message",
    [
        "{a}",
        "{o.p} and {o.l|count}",
        "{any.of}",
        "{map.key}",
        "{u|count}",
    ],
)
def test_placeholders_that_name_an_argument_are_accepted(message: str) -> None:
    properties = {
        "a": {"type": "integer"},
        "l": {"type": ["array", "null"]},
        "o": {"type": "object", "properties": {"p": {}, "l": {"items": True}}},
        "ref": {"allOf": [{"$ref": "s.yaml#/$defs/Item"}]},
        "any": {"anyOf": [{"type": "null"}, {"properties": {"of": True}}]},
        "map": {"type": "object", "additionalProperties": {"type": "string"}},
        "u": {"anyOf": [{"type": "array"}, {"type": "null"}]},
    }
    files = {"a.yaml": tool({"properties": properties}, confirm={"message": message}), "s.yaml": SHARED}
    assert len(program(files).tools) == 1


@pytest.mark.parametrize(
    "message", ["{b}", "{a.b}", "{a|count}", "{a|len}", "{}", "{a", "a}", "{{a}}", "{a!r}", "{a:>9}"]
)
def test_other_placeholders_are_refused(message: str) -> None:
    spec = tool({"properties": {"a": {"type": "integer"}}}, confirm={"message": message})
    assert set(codes({"a.yaml": spec})) == {"bad-placeholder"}


def test_warnings_refuse_nothing_and_point_into_shared_files() -> None:
    shared = {"$defs": {"N": {"type": "integer", "default": "many"}}}
    files = {"a.yaml": tool({"properties": {"a": {"$ref": "s.yaml#/$defs/N"}}}), "s.yaml": shared}
    (warning,) = program(files).warnings
    assert (warning.code, warning.span.file) == ("default-violates-schema", "s.yaml")
