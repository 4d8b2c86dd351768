"""Fields of tools in requests: groups, deferred loading, examples, results, and options of targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from adapter_samples import bedrock_faults, closed, define, sdk
from pydantic import TypeAdapter
from toolgen.runtime import ToolDefinition
from toolgen.runtime.adapters.anthropic import anthropic_tools
from toolgen.runtime.adapters.bedrock import tool_config
from toolgen.runtime.adapters.gemini import function_declarations
from toolgen.runtime.adapters.openai import chat_tools, responses_tools

JsonObject = dict[str, Any]
CITY = closed({"city": {"type": "string"}})


def one(**more: Any) -> dict[str, ToolDefinition]:
    return {"weather": define("weather", "Tell the weather.", CITY, **more)}


def options(target: str, **chosen: Any) -> dict[str, ToolDefinition]:
    return one(targets={target: chosen})


def fields(tool: JsonObject) -> JsonObject:
    """Return the fields of a definition beside those that every tool has."""
    everywhere = (
        "type",
        "name",
        "description",
        "input_schema",
        "parameters",
        "parameters_json_schema",
        "strict",
    )
    return {key: value for key, value in tool.items() if key not in everywhere}


def of_responses(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the tools, which must be valid for the SDK."""
    tools = responses_tools(definitions)
    TypeAdapter(list[sdk("openai.types.responses:ToolParam")]).validate_python(tools)
    return tools


def of_anthropic(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the tools, which must be valid for the SDK."""
    tools = anthropic_tools(definitions)
    TypeAdapter(list[sdk("anthropic.types:ToolUnionParam")]).validate_python(tools)
    return tools


def of_gemini(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the functions, which must be valid for the SDK."""
    functions = function_declarations(definitions)
    for function in functions:
        sdk("google.genai.types:FunctionDeclaration").model_validate(function)
    return functions


def of_bedrock(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the tools, which must be valid for the service."""
    config = tool_config(definitions)
    assert bedrock_faults("ToolConfiguration", config) == ""
    tools: list[JsonObject] = config["tools"]
    return tools


def test_a_deferred_tool_comes_with_the_tool_that_finds_it() -> None:
    deferred = one(load="deferred")
    search, tool = of_anthropic(deferred)
    assert search == {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    assert fields(tool) == {"defer_loading": True}
    tool, search = of_responses(deferred)
    assert search == {"type": "tool_search"}
    assert fields(tool) == {"defer_loading": True}
    assert fields(chat_tools(deferred)[0]["function"]) == fields(of_gemini(deferred)[0]) == {}
    assert of_anthropic(one(load="always")) == of_anthropic(one())


def test_a_group_is_a_namespace_with_the_titles_of_its_tools() -> None:
    titles = {"order": "Order articles", "receive": None, "cancel": "Cancel an order", "help": None}
    definitions = {
        name: define(
            name,
            "Do it.",
            CITY,
            **({} if name == "help" else {"group": "purchasing"}),
            **({} if title is None else {"title": title}),
        )
        for name, title in titles.items()
    }
    helper, namespace = of_responses(definitions)
    assert helper["name"] == "help"
    assert namespace.pop("description") == "Tools of purchasing: Order articles; receive; Cancel an order."
    members = namespace.pop("tools")
    assert namespace == {"type": "namespace", "name": "purchasing"}
    assert [member["name"] for member in members] == ["order", "receive", "cancel"]
    assert [tool["function"]["name"] for tool in chat_tools(definitions)] == list(titles)
    assert [tool["name"] for tool in of_anthropic(definitions)] == list(titles)


def test_an_output_schema_is_published_where_results_are_json() -> None:
    schema = closed({"warm": {"type": "boolean"}})
    assert fields(of_responses(one(output_schema=schema))[0]) == {"output_schema": schema}
    assert fields(of_gemini(one(output_schema=schema))[0]) == {"response_json_schema": schema}
    assert fields(chat_tools(one(output_schema=schema))[0]["function"]) == {}
    assert fields(of_anthropic(one(output_schema=schema))[0]) == {}
    image = {"type": "image", "media_types": ["image/png"]}
    assert fields(of_responses(one(output_schema=schema, content=[image]))[0]) == {}
    text = {"type": ["string", "object"]}
    assert fields(of_responses(one(output_schema=text))[0]) == {}
    assert list(fields(of_gemini(one(output_schema=text))[0])) == ["response_json_schema"]
    for target, tools in (("openai", of_responses), ("gemini", of_gemini)):
        silent = one(output_schema=schema, targets={target: {"output_schema": False}})
        assert fields(tools(silent)[0]) == {}


def test_examples_are_published_as_the_model_would_write_them() -> None:
    schema = {"type": "object", "properties": {"city>": {"type": "string"}}, "required": ["city>"]}
    examples = [
        {"name": "first", "input": {"city>": "Oslo"}, "output": {"warm": False}},
        {"name": "failing", "input": {"city>": "Nowhere"}, "error": "no_such_city"},
        {"name": "not checked before", "input": {"city>": 5}},
        {"name": "no arguments", "input": {}},
        {"name": "no input"},
    ]
    definitions = {"weather": define("weather", "Tell the weather.", schema, examples=examples)}
    (tool,) = of_anthropic(definitions)
    assert fields(tool) == {"input_examples": [{"city_": "Oslo"}]}
    definitions["weather"]["targets"] = {"anthropic": {"input_examples": False}}
    assert fields(of_anthropic(definitions)[0]) == {}


@pytest.mark.parametrize(
    "chosen",
    [
        {"allowed_callers": ["direct", "code_execution_20260120"]},
        {"eager_input_streaming": False},
        {"cache_control": {"type": "ephemeral", "ttl": "1h"}},
    ],
    ids=lambda chosen: next(iter(chosen)),
)
def test_options_for_anthropic_are_fields(chosen: JsonObject) -> None:
    assert fields(of_anthropic(options("anthropic", **chosen))[0]) == chosen


def test_other_options_are_fields() -> None:
    (tool,) = of_anthropic(options("anthropic", cache_control={}))
    assert fields(tool) == {"cache_control": {"type": "ephemeral"}}
    chosen = {"allowed_callers": ["programmatic"], "async": True}
    assert fields(of_responses(options("openai", **chosen))[0]) == chosen
    assert fields(chat_tools(options("openai", **chosen))[0]["function"]) == {}
    assert fields(of_gemini(options("gemini", behavior="NON_BLOCKING"))[0]) == {"behavior": "NON_BLOCKING"}
    tool, point = of_bedrock(options("bedrock", cachePoint={"ttl": "1h"}))
    assert point == {"cachePoint": {"type": "default", "ttl": "1h"}}
    assert fields(tool["toolSpec"]) == {"inputSchema": {"json": CITY}}
