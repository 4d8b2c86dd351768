"""One stream through every adapter: the same chunks in order, the same result, the same errors."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from stream_samples import Endless, streams
from test_adapter_mcp import ERAS
from toolgen import serving
from toolgen.runtime import Toolkit
from toolgen.runtime.adapters.provider import ProviderAdapter

from tests.runtime.provider_calls import answer_text, provider_calls

CHUNKS = ["größer", {"n": 1}, "end"]


@ERAS
async def test_mcp_a_disconnected_client_closes_the_stream(era: str) -> None:
    tool = Endless()
    async with Client(serving.build_server(Toolkit([tool]), name="s"), mode=era) as client:
        with pytest.raises(MCPError):
            await client.call_tool("endless", {}, read_timeout_seconds=1)
        async with asyncio.timeout(30):
            while not tool.seen:
                await asyncio.sleep(0.01)
    assert tool.seen == ["closed"]


@pytest.mark.parametrize("name", ["lines", "plain_lines"])
@pytest.mark.parametrize("api", provider_calls(""))
async def test_the_other_adapters_give_the_chunks_and_then_the_answer(api: str, name: str) -> None:
    adapter, call = ProviderAdapter(api.split()[0]), provider_calls(name)[api]
    *chunks, answer = [each async for each in adapter.stream(call, streams())]
    assert chunks == answer.response.content == CHUNKS
    assert answer.message == await adapter.execute(call, streams())


@pytest.mark.parametrize("api", ["openai chat", "anthropic"])
async def test_a_stream_that_raises_ends_with_an_error_answer(api: str) -> None:
    stream = ProviderAdapter(api.split()[0]).stream(provider_calls("broken")[api], streams())
    chunk, answer = [each async for each in stream]
    assert chunk == "one"
    assert answer_text(answer.message).startswith("Error [internal_error]")
    assert api != "anthropic" or answer.message["is_error"]


@pytest.mark.parametrize("api", ["openai chat", "anthropic", "toolkit"])
async def test_an_abandoned_stream_closes_its_generator(api: str) -> None:
    tool = Endless()
    toolkit, calls = Toolkit([tool]), provider_calls("endless")
    opened = (
        ProviderAdapter(api.split()[0]).stream(calls[api], toolkit)
        if api in calls
        else toolkit.stream("endless", {})
    )
    async with aclosing(opened) as stream:
        assert await anext(stream) == "more"
    assert tool.seen == ["closed"]
