"""Mocks through the real clients of providers, which talk to mocks of their APIs on loopback."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from toolgen.runtime import Toolkit
from toolgen.runtime.adapters.anthropic import anthropic_tools, execute_tool_use
from toolgen.runtime.adapters.openai import chat_tools, execute_tool_call, responses_tools
from toolgen.testing import mock_toolkit

from tests.runtime.adapters import anthropic_loopback, openai_loopback
from tests.testing.mock_samples import ORDER, write_specs

INPUTS: list[dict[str, Any]] = [{"article": "brakes", "count": 2}, {"article": "saddle"}, {"article": "bell"}]


@pytest.fixture
def toolkit(tmp_path: Path) -> Toolkit:
    return mock_toolkit(write_specs(tmp_path / "shop", order=ORDER))


def check(texts: list[str]) -> None:
    """Check the answers to `INPUTS`: an example, an error, and a made-up answer."""
    assert json.loads(texts[0]) == {"number": 7, "article": "brakes", "price": 12.5}
    assert texts[1].startswith("Error [out_of_stock]: None is left.")
    assert json.loads(texts[2])["article"] == "bell"


def test_openai_chat_completions(toolkit: Toolkit) -> None:
    calls = [("order", json.dumps(each)) for each in INPUTS]
    with (
        openai_loopback.loopback(calls) as server,
        openai.OpenAI(api_key="none", base_url=server.url) as client,
    ):
        messages: list[Any] = [{"role": "user", "content": "Order."}]
        ask: dict[str, Any] = {"model": "m", "tools": chat_tools(toolkit.definitions)}
        message = client.chat.completions.create(messages=messages, **ask).choices[0].message
        made = [call for call in message.tool_calls or () if call.type == "function"]
        answers = [asyncio.run(execute_tool_call(call, toolkit)) for call in made]
        messages += [message.model_dump(exclude_none=True), *answers]
        end = client.chat.completions.create(messages=messages, **ask)
    assert end.choices[0].message.content == "done"
    check([each["content"] for each in answers])


def test_openai_responses(toolkit: Toolkit) -> None:
    calls = [("order", json.dumps(each)) for each in INPUTS]
    with (
        openai_loopback.loopback(calls) as server,
        openai.OpenAI(api_key="none", base_url=server.url) as client,
    ):
        ask: dict[str, Any] = {"model": "m", "tools": responses_tools(toolkit.definitions)}
        given: list[Any] = [{"role": "user", "content": "Order."}]
        first = client.responses.create(input=given, **ask)
        made = [item for item in first.output if item.type == "function_call"]
        answers = [asyncio.run(execute_tool_call(item, toolkit)) for item in made]
        assert client.responses.create(input=[*given, *answers], **ask).output_text == "done"
    check([each["output"] for each in answers])


def test_anthropic_messages(toolkit: Toolkit) -> None:
    calls = [("order", each) for each in INPUTS]
    with (
        anthropic_loopback.loopback(calls) as server,
        anthropic.Anthropic(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        ask: dict[str, Any] = {
            "model": "m",
            "max_tokens": 9,
            "tools": anthropic_tools(toolkit.definitions),
        }
        messages: list[Any] = [{"role": "user", "content": "Order."}]
        first = client.messages.create(messages=messages, **ask)
        blocks = [part for part in first.content if part.type == "tool_use"]
        results = [asyncio.run(execute_tool_use(part, toolkit)) for part in blocks]
        messages += [
            {"role": "assistant", "content": [part.model_dump() for part in first.content]},
            {"role": "user", "content": results},
        ]
        assert client.messages.create(messages=messages, **ask).stop_reason == "end_turn"
    assert [each.get("is_error", False) for each in results] == [False, True, False]
    check([each["content"] for each in results])
