"""The form of a result depends on what a schema accepts, and not on how it is written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from mcp import Client
from tool_factory import make_tool
from toolgen import serving as adapter
from toolgen.cli.linting import lint_specs
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings
from toolgen.runtime import Toolkit
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema
from toolgen.serving.listed_tool import for_handshake_era, legacy_tools

from tests.samples import load_beside

CASES = load_beside(__file__, "object_outputs.yaml")
OBJECTS: Mapping[str, Mapping[str, Any]] = CASES["objects"]
OTHERS: Mapping[str, Mapping[str, Any]] = CASES["others"]
VALUE = {"n": 1}


def tools(schema: Mapping[str, Any], *, inline: bool) -> Toolkit:
    options: dict[str, Any] = {"targets": {"mcp": {"inline": inline}}}
    return Toolkit([make_tool(lambda self, request, context: VALUE, output_schema=schema, **options)])


def seen(schema: Mapping[str, Any], era: str, *, inline: bool) -> Any:
    """Return the output schema and the structured content that a client gets."""

    async def talk() -> Any:
        server = adapter.build_server(tools(schema, inline=inline), name="x")
        async with Client(server, mode=era) as client:
            (tool,) = (await client.list_tools()).tools
            result = await client.call_tool("x", {})
            assert not result.is_error, result
            return tool.output_schema, result.structured_content

    return asyncio.run(talk())


def warned(schema: Mapping[str, Any]) -> bool:
    spec = {"name": "x", "description": "X.", "input_schema": {"type": "object"}, "output_schema": schema}
    text = yaml.safe_dump(json.loads(json.dumps(spec)), sort_keys=False).encode()
    report = lint_specs({"x.yaml": text}, (), PackageSettings(), LintSettings()).report
    codes = {entry.code for entry in report.entries}
    assert not codes & {"bad-schema", "dangling-ref"}, codes
    return "output-not-object" in codes


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize("schema", OBJECTS.values(), ids=OBJECTS)
def test_an_object_is_sent_as_it_is_however_it_is_written(schema: Mapping[str, Any], inline: bool) -> None:
    assert is_object_schema(SchemaDocument(schema))
    assert not warned(schema)
    assert seen(schema, "auto", inline=inline)[1] == VALUE
    listed, sent = seen(schema, "legacy", inline=inline)
    assert sent == VALUE
    assert listed["type"] == "object"  # clients refuse the whole list otherwise
    assert "result" not in listed.get("properties", {})
    (exported,) = legacy_tools(tools(schema, inline=inline).definitions)
    assert exported["outputSchema"]["type"] == "object"
    assert "result" not in exported["outputSchema"].get("properties", {})


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize("schema", OTHERS.values(), ids=OTHERS)
def test_what_may_be_no_object_is_wrapped_however_it_is_written(
    schema: Mapping[str, Any], inline: bool
) -> None:
    assert not is_object_schema(SchemaDocument(schema))
    assert warned(schema)
    (own,) = adapter.mcp_tools(tools(schema, inline=inline).definitions)
    (listed,) = for_handshake_era([own])
    (exported,) = legacy_tools(tools(schema, inline=inline).definitions)
    for each in (listed["outputSchema"], exported["outputSchema"]):
        assert (each["type"], list(each["properties"])) == ("object", ["result"])
