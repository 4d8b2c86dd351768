"""The Anthropic adapter: definitions, single blocks, and a conversation with the real client."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from adapter_samples import CALLS, Book, define, sdk, toolkit
from anthropic_loopback import loopback
from toolgen.runtime.adapters.anthropic import anthropic_tools
from toolgen.runtime.adapters.provider import ProviderAdapter

execute_tool_use = ProviderAdapter("anthropic").execute


def test_definitions_are_the_authors() -> None:
    tools = anthropic_tools(toolkit().definitions)
    assert tools[0] == {
        "name": "book",
        "description": Book.definition["description"],
        "input_schema": Book.definition["input_schema"],
    }
    for tool in tools:
        if tool["name"] != "mcp.renamed":
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,128}", tool["name"])


def named(name: str, strict: bool, schema: dict[str, Any]) -> Any:
    targets = {"anthropic": {"name": name, "strict": strict}}
    return define("x", "X.", schema, targets=targets)


def test_anthropic_strict_is_published_if_the_spec_asks_and_the_schema_allows_it() -> None:
    closed: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"n": {"type": "integer", "minimum": 1}},
        "$comment": "a note",
    }
    (tool,) = anthropic_tools({"x": named("other", True, closed)})
    assert (tool["name"], tool["strict"]) == ("other", True)
    assert tool["input_schema"] == {
        "type": "object",
        "additionalProperties": False,
        "properties": {"n": {"type": "integer"}},
    }
    open_one = {"type": "object"}
    (tool,) = anthropic_tools({"x": named("other", True, open_one)})
    assert "strict" not in tool
    assert tool["input_schema"] is open_one


def test_only_tool_use_blocks_are_answered() -> None:
    wrong: list[Any] = [{}, {"type": "text", "text": "hi"}, None, {"type": "tool_use", "name": "book"}]
    for each in wrong:
        with pytest.raises(TypeError):
            asyncio.run(execute_tool_use(each, toolkit()))


def test_a_conversation_with_the_real_client() -> None:
    tools = toolkit()
    messages: list[Any] = [{"role": "user", "content": "go"}]
    published: Any = anthropic_tools(tools.select(names=["book", "rows"]).definitions)
    with loopback(CALLS) as server:
        client = sdk("anthropic:Anthropic")(base_url=server.url, api_key="none", max_retries=0)
        with client:
            first = client.messages.create(model="m", max_tokens=9, messages=messages, tools=published)
            assert first.stop_reason == "tool_use"
            blocks = [part for part in first.content if part.type == "tool_use"]
            results = [asyncio.run(execute_tool_use(part, tools)) for part in blocks]
            messages += [
                {"role": "assistant", "content": [part.model_dump() for part in first.content]},
                {"role": "user", "content": results},
            ]
            last = client.messages.create(model="m", max_tokens=9, messages=messages, tools=published)
    assert last.stop_reason == "end_turn"
    assert server.seen[0]["tools"] == published
    sent = server.seen[1]["messages"][-1]["content"]
    assert [part["tool_use_id"] for part in sent] == ["toolu_0", "toolu_1", "toolu_2"]
    assert [part.get("is_error", False) for part in sent] == [False, True, False]
    assert "- $.guests: expected at least 1, got 0" in sent[1]["content"]
