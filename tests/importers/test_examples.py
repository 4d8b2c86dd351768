"""Examples in the input schemas of imported tools become examples of the specs."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.sources.imported_tool import ImportedTool
from toolgen.sources.json_source import JsonDocument
from toolgen.sources.mcp import import_mcp
from toolgen.sources.openai import import_openai
from toolgen.sources.spec_names import ExistingNames

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}, "password": {"type": "string"}},
    "examples": [{"n": 1}, {"n": "one"}, {"n": 1.0}, {"n": 2, "password": "hunter2"}],
    "default": {"n": 3},
}


def from_mcp(schema: dict[str, Any]) -> ImportedTool:
    tool = {"name": "count", "description": "Counts.", "inputSchema": schema}
    return import_mcp([JsonDocument([tool], 0)], "tools.json", ExistingNames())[0]


def from_openai(schema: dict[str, Any]) -> ImportedTool:
    function = {"type": "function", "name": "count", "description": "Counts.", "parameters": schema}
    return import_openai([JsonDocument([function], 0)], "tools.json", ExistingNames())[0]


@pytest.mark.parametrize("imported", [from_mcp, from_openai])
def test_valid_examples_without_secrets_are_examples_of_the_spec(imported: Any) -> None:
    tool = imported(SCHEMA)
    assert tool.fields["examples"] == [
        {"name": "example", "input": {"n": 1}},
        {"name": "default", "input": {"n": 3}},
    ]
    assert tool.fields["input_schema"] == SCHEMA
    assert list(tool.notes) == [
        "count: an example that the schema does not accept: left out",
        "count: an example with what looks like a secret: left out",
    ]


@pytest.mark.parametrize("imported", [from_mcp, from_openai])
@pytest.mark.parametrize(
    "odd", [{"examples": {"a": 1}}, {"examples": [1, None]}, {"default": {}}, {"default": 5}]
)
def test_other_values_are_no_examples(imported: Any, odd: dict[str, Any]) -> None:
    assert "examples" not in imported({"type": "object", **odd}).fields
