"""What MCP publishes of every tool of both corpora: the author's schema, with its references kept or inlined."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import jsonschema_rs
import pytest
from toolgen.proof.instances.generator import InstanceGenerator
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.serving.listed_tool import served_tools

from tests.corpora import at_least, corpus
from tools.corpus.refused_values import refused_values

TOOLS, FUNCTIONS = "mcp_tools.public.jsonl", "openai_functions.public.jsonl"
VALUES = 12  # of each schema with references, and as many that it just refuses


def schemas(name: str) -> Iterator[dict[str, Any]]:
    """Yield the input schemas of a corpus that are objects, as MCP requires."""
    for line in corpus(name).read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        function = (
            data.get("function") or data
        )  # not its `function_raw`, which is no JSON Schema in this corpus
        schema = function.get("inputSchema") or function.get("parameters")
        if isinstance(schema, dict) and schema.get("type") == "object":
            yield schema


def published(schema: dict[str, Any], *, inline: bool) -> dict[str, Any]:
    options = {"targets": {"mcp": {"inline": True}}} if inline else {}
    definition = {"name": "t", "description": "d", "input_schema": schema, **options}
    (tool,) = served_tools({"t": cast("ToolDefinition", definition)})
    return cast("dict[str, Any]", tool["inputSchema"])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [(TOOLS, 1_200), (FUNCTIONS, 1_500)])
def test_kept_references_are_published_word_for_word(name: str, count: int) -> None:
    found = list(schemas(name))
    assert len(found) >= at_least(name, count)
    assert [each for each in found if json.dumps(published(each, inline=False)) != json.dumps(each)] == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [(TOOLS, 500), (FUNCTIONS, 0)])  # functions have no references
def test_inlined_references_accept_what_the_author_accepts(name: str, count: int) -> None:
    compared = 0
    for schema in schemas(name):
        made = published(schema, inline=True)
        if "$ref" not in json.dumps(schema):
            assert json.dumps(made) == json.dumps(schema)
            continue
        author, ours = (jsonschema_rs.validator_for(each) for each in (schema, made))
        generator = InstanceGenerator(schema)
        values = [
            *generator.valid_values(seed=name, count=VALUES),
            *refused_values(generator, seed=name, count=VALUES),
        ]
        assert [value for value in values if author.is_valid(value) != ours.is_valid(value)] == []
        compared += len(values)
    assert compared >= (at_least(name, count) if count else 0)
