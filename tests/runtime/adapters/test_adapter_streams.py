"""One stream through every adapter: the same chunks in order, the same result, the same errors."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from stream_samples import Endless, streams
from toolgen import serving
from toolgen.runtime import Toolkit
from toolgen.runtime.adapters.provider import ProviderAdapter

NAMES = pytest.mark.parametrize("name", ["lines", "plain_lines"])
ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
CHUNKS = ["größer", {"n": 1}, "end"]
WHOLE = '["größer",{"n":1},"end"]'


def chat(name: str) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": name, "arguments": "{}"}}


def item(name: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": "c", "name": name, "arguments": "{}"}


def block(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c", "name": name, "input": {}}


def collect(stream: Any) -> list[Any]:
    async def work() -> list[Any]:
        return [each async for each in stream]

    return asyncio.run(work())


@ERAS
def test_mcp_a_disconnected_client_closes_the_stream(era: str) -> None:
    tool = Endless()

    async def work() -> None:
        async with Client(serving.build_server(Toolkit([tool]), name="s"), mode=era) as client:
            with pytest.raises(MCPError):
                await client.call_tool("endless", {}, read_timeout_seconds=1)
            for _ in range(3000):
                if tool.seen:
                    return
                await asyncio.sleep(0.01)

    asyncio.run(work())
    assert tool.seen == ["closed"]


@NAMES
def test_the_other_adapters_give_the_chunks_and_then_the_answer(name: str) -> None:
    *chunks, answer = collect(ProviderAdapter("openai").stream(chat(name), streams()))
    assert chunks == CHUNKS
    assert answer.message == {"role": "tool", "tool_call_id": "c", "content": WHOLE}
    *chunks, answer = collect(ProviderAdapter("openai").stream(item(name), streams()))
    assert chunks == CHUNKS
    assert answer.message == {"type": "function_call_output", "call_id": "c", "output": WHOLE}
    *chunks, answer = collect(ProviderAdapter("anthropic").stream(block(name), streams()))
    assert chunks == CHUNKS
    assert answer.message == {"type": "tool_result", "tool_use_id": "c", "content": WHOLE}
    use = {"toolUse": {"toolUseId": "c", "name": name, "input": {}}}
    *chunks, answer = collect(ProviderAdapter("bedrock").stream(use, streams()))
    assert chunks == CHUNKS
    assert answer.message["toolResult"]["content"] == [{"text": WHOLE}]
    *chunks, answer = collect(ProviderAdapter("gemini").stream({"name": name, "args": {}}, streams()))
    assert chunks == CHUNKS
    assert answer.message["function_response"]["response"] == {"output": json.loads(WHOLE)}
    assert answer.response.content == json.loads(WHOLE)


def test_a_stream_that_raises_ends_with_an_error_answer() -> None:
    chunk, answer = collect(ProviderAdapter("anthropic").stream(block("broken"), streams()))
    assert chunk == "one"
    assert answer.message["is_error"]
    chunk, answer = collect(ProviderAdapter("openai").stream(chat("broken"), streams()))
    assert answer.message["content"].startswith("Error [internal_error]")


@pytest.mark.parametrize("adapter", ["openai", "anthropic", "toolkit"])
async def test_an_abandoned_stream_closes_its_generator(adapter: str) -> None:
    tool = Endless()
    toolkit = Toolkit([tool])
    opened = {
        "openai": lambda: ProviderAdapter("openai").stream(chat("endless"), toolkit),
        "anthropic": lambda: ProviderAdapter("anthropic").stream(block("endless"), toolkit),
        "toolkit": lambda: toolkit.stream("endless", {}),
    }
    async with aclosing(opened[adapter]()) as stream:
        assert await anext(stream) == "more"
    assert tool.seen == ["closed"]
