"""The same call through every adapter has the same data and text."""

from __future__ import annotations

from typing import Any

import pytest
from adapter_samples import WHEN, toolkit
from mcp import Client
from toolgen import serving
from toolgen.runtime import Toolkit
from toolgen.runtime.adapters.provider import ProviderAdapter

from tests.runtime.provider_calls import answer_text, provider_calls


async def texts(name: str, arguments: dict[str, Any], tools: Toolkit | None = None) -> dict[str, str]:
    tools = tools or toolkit()
    found = {"toolkit": (await tools.call(name, arguments)).as_text()}
    for era in ("auto", "legacy"):
        async with Client(serving.build_server(tools, name="samples"), mode=era) as client:
            content: Any = (await client.call_tool(name, arguments)).content[0]
            found[f"mcp {era}"] = content.text
    for api, call in provider_calls(name, arguments).items():
        found[api] = answer_text(await ProviderAdapter(api.split()[0]).execute(call, tools))
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
async def test_every_adapter_returns_the_same_text(name: str, arguments: dict[str, Any]) -> None:
    found = await texts(name, arguments)
    assert len(set(found.values())) == 1, found
