"""The same call through every adapter has the same data and text."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from adapter_samples import toolkit
from mcp import Client
from toolgen import serving
from toolgen.runtime import Toolkit
from toolgen.runtime.adapters.provider import ProviderAdapter
from toolgen.runtime.contract.result import as_text

execute_tool_use = ProviderAdapter("anthropic").execute
execute_tool_call = ProviderAdapter("openai").execute

WHEN = {"when": {"asap": True}}


async def texts(name: str, arguments: dict[str, Any], tools: Toolkit | None = None) -> dict[str, str]:
    tools, sent = tools or toolkit(), json.dumps(arguments)
    found = {"toolkit": (await tools.call(name, arguments)).as_text()}
    for era in ("auto", "legacy"):
        async with Client(serving.build_server(tools, name="samples"), mode=era) as client:
            content: Any = (await client.call_tool(name, arguments)).content[0]
            found[f"mcp {era}"] = content.text
    chat = {"id": "1", "type": "function", "function": {"name": name, "arguments": sent}}
    found["chat"] = (await execute_tool_call(chat, tools))["content"]
    item = {"type": "function_call", "call_id": "1", "name": name, "arguments": sent}
    found["responses"] = (await execute_tool_call(item, tools))["output"]
    block = {"type": "tool_use", "id": "1", "name": name, "input": arguments}
    found["anthropic"] = (await execute_tool_use(block, tools))["content"]
    use = {"toolUse": {"toolUseId": "1", "name": name, "input": arguments}}
    (content,) = (await ProviderAdapter("bedrock").execute(use, tools))["toolResult"]["content"]
    found["bedrock"] = content["text"]
    part = await ProviderAdapter("gemini").execute({"name": name, "args": arguments}, tools)
    reported = part["function_response"]["response"]
    found["gemini"] = reported["error"] if "error" in reported else as_text(reported["output"])
    return found


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("book", WHEN),
        ("reserve", {**WHEN, "note": "größer “quoted” \u2028 \U0001f600"}),
        ("book", {**WHEN, "guests": 11}),
        ("book", {**WHEN, "guests": "2", "notes": "x", "dishes": [{"count": 1}]}),
        ("rows", {"n": 6}),
        ("renamed", {"q": None, "more": [1, 2.5, 10**20]}),
        ("wipe", {"disk": "a"}),
    ],
)
def test_every_adapter_returns_the_same_text(name: str, arguments: dict[str, Any]) -> None:
    found = asyncio.run(texts(name, arguments))
    assert len(set(found.values())) == 1, found
