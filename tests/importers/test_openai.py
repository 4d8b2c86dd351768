"""`toolgen import openai`: every form of functions, repaired types, `strict`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolgen.sources.imported_tool import ImportedTool
from toolgen.sources.json_source import JsonDocument
from toolgen.sources.openai import import_openai
from toolgen.sources.spec_names import ExistingNames

from tests.cli.conftest import Cli

PARAMETERS = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
BARE: dict[str, Any] = {"name": "f", "description": "Does it.", "parameters": PARAMETERS}


def imported(value: Any) -> list[ImportedTool]:
    return import_openai([JsonDocument(value, 0)], "s.json", ExistingNames())


@pytest.mark.parametrize(
    "value",
    [
        BARE,
        {"type": "function", "function": BARE},
        {"tools": [{"type": "function", "function": BARE}], "model": "x"},
        {"source": "x", "function_raw": BARE, "calls": []},
    ],
)
def test_every_form_of_a_function_is_read(value: Any) -> None:
    (tool,) = imported(value)
    assert tool.fields == {"toolgen": 1, "name": "f", "description": "Does it.", "input_schema": PARAMETERS}
    assert not tool.notes


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("dict", "object"), ("float", "number"), ("tuple", "array"), ("String", "string"), ("list", "array"),
        ("integer ", "integer"), ("Boolean", "boolean"), ("HashMap", "object"), ("ArrayList", "array"),
        ("long", "integer"), ("List[str]", "array"), ("array<int>", "array"), ("java.lang.String", "string"),
        ("None", "null"), ("any", None), ("", None), ("number", "number"), (["str", None], ["string", "null"]),
    ],
)  # fmt: skip
def test_types_that_json_schema_does_not_have_are_repaired(written: Any, meant: Any) -> None:
    (tool,) = imported({**BARE, "parameters": {"type": "dict", "properties": {"a": {"type": written}}}})
    schema = tool.fields["input_schema"]
    assert schema["type"] == "object"
    assert schema["properties"]["a"].get("type") == meant
    assert "f: input_schema/type: 'dict' is not a JSON Schema type; read as 'object'" in tool.notes
    notes = [note for note in tool.notes if "input_schema/properties/a/type" in note]
    assert len(notes) == (written != meant)


def test_misplaced_keywords_are_moved() -> None:
    properties = {
        "a": {"type": "string", "required": True},
        "b": {"type": "array", "items": {"type": "string"}, "enum": ["x", "y"]},
        "c": {"type": "string", "pattern": "("},
    }
    (tool,) = imported({**BARE, "parameters": {"type": "object", "properties": properties}})
    assert tool.fields["input_schema"] == {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": "array", "items": {"type": "string", "enum": ["x", "y"]}},
            "c": {"type": "string"},
        },
        "required": ["a"],
    }
    assert len(tool.notes) == 3


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("outside", [True, False])
def test_strict_is_kept(strict: bool, outside: bool) -> None:
    function = {"type": "function", "function": {**BARE, **({} if outside else {"strict": strict})}}
    (tool,) = imported({**function, "strict": strict} if outside else function)
    assert tool.fields["targets"] == {"openai": {"strict": strict}}


def test_names_and_unknown_keys_are_carried() -> None:
    other = {**BARE, "description": "Another."}
    tools = imported(
        [{**BARE, "name": "a.b", "response": {"x": None}}, {**BARE, "name": "9"}, BARE, other, BARE]
    )
    assert [tool.name for tool in tools] == ["a_b", "_9", "f", "f_2"]
    assert tools[0].fields["aliases"] == ["a.b"]
    assert tools[0].fields["x-openai"] == {"response": {"x": None}}
    assert tools[1].fields["targets"] == {"openai": {"name": "9"}}
    assert "f: is listed 2 times; imported once" in tools[2].notes
    assert "f_2: renamed from 'f', the name of another function" in tools[3].notes


def test_fields_of_responses_are_read() -> None:
    output = {"type": "object", "properties": {"n": {"type": "int"}}}
    given = {
        "allowed_callers": ["programmatic"],
        "async": True,
        "defer_loading": True,
        "output_schema": output,
    }
    namespace = {"type": "namespace", "name": "crm", "description": "CRM.", "tools": [{**BARE, **given}]}
    (tool,) = imported([namespace, {"type": "tool_search"}])
    assert tool.fields["group"] == "crm"
    assert tool.fields["load"] == "deferred"
    assert tool.fields["output_schema"] == {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert tool.fields["targets"] == {"openai": {"allowed_callers": ["programmatic"], "async": True}}
    assert "x-openai" not in tool.fields


def test_an_export_of_responses_is_imported_as_it_was(project: Cli) -> None:
    given = {"defer_loading": True, "output_schema": {"type": "object"}, "allowed_callers": ["direct"]}
    function = {"type": "function", **BARE, "name": "far", "strict": False, **given}
    tools = [{"type": "namespace", "name": "crm", "description": "?", "tools": [function]}]
    (project.root / "s.json").write_text(json.dumps([*tools, {"type": "tool_search"}]))
    assert project("import", "openai", "s.json").code == 0
    namespace, search = json.loads(project("export", "openai-responses").out)[-2:]
    assert (namespace["name"], namespace["tools"], search) == ("crm", [function], {"type": "tool_search"})


@pytest.mark.parametrize(
    "value",
    [[], {}, 5, ["a"], {"name": 5}, {"type": "web_search"}, {**BARE, "parameters": "x"}, {**BARE, "strict": "yes"}],
)  # fmt: skip
def test_bad_sources_write_nothing(empty: Cli, value: Any) -> None:
    (empty.root / "s.json").write_text(json.dumps(value))
    done = empty("import", "openai", "s.json", "--into", "specs")
    assert (done.code, done.out) == (2, "")
    assert "error[bad-source]" in done.err
    assert not (empty.root / "specs").exists()
