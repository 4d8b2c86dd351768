"""Seed 001, shared tools: one implementation behind an MCP and an OpenAI adapter with equal answers."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

from mcp_types import ImageContent
from toolgen.runtime import Toolkit

from examples import contract
from examples.loopback import model_that_calls
from generated import anthropic_tools, bedrock_tools, gemini_tools
from generated.anthropic_tools import execute_tool_use
from generated.gemini_tools import execute_function_call
from generated.openai_tools import CHAT_TOOLS, RESPONSES_TOOLS, execute_tool_call

from .narration import chapter, must, step, tell
from .shop import SCOPES, Shop, data_of, text_of

CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("A list", "list_content", {"types": ["project"], "limit": 2}),
    ("A text", "get_content", {"type": "page", "slug": "opening-hours"}),
    ("A search", "search_content", {"query": "e-bike battery winter"}),
    ("A failure, which is never an empty success", "get_content", {"type": "page", "slug": "jobs"}),
)


async def walk(shop: Shop) -> None:
    """Show this design with real calls."""
    chapter(
        "001",
        "Shared tools",
        "One implementation, schemas written once; MCP, OpenAI and Anthropic return identical data.",
    )
    for what, name, arguments in CALLS:
        step(what)
        over_mcp = text_of(await shop.call(name, arguments))
        over_openai = await through_openai(shop.toolkit(), name, arguments)
        over_anthropic = await through_anthropic(shop.toolkit(), name, arguments)
        tell("MCP", over_mcp)
        for label, text in (("OpenAI", over_openai), ("Anthropic", over_anthropic)):
            tell(label, f"identical, all {len(text)} characters" if text == over_mcp else text)
    await chart(shop)
    await schemas(shop)


async def chart(shop: Shop) -> None:
    step("A chart: its numbers are structured content, and each API gets the same image in its own form")
    name, arguments = "stock_chart", {"category": "brakes"}
    over_mcp = await shop.call(name, arguments)
    bars = data_of(over_mcp)["bars"]
    tell("numbers", ", ".join(f"{bar['sku']} {bar['in_stock']}" for bar in bars))
    drawn = over_mcp.content[1]
    must(isinstance(drawn, ImageContent), "MCP has the chart as an image")
    images = {"MCP": base64.b64decode(drawn.data) if isinstance(drawn, ImageContent) else b""}
    images |= await charts_of_providers(shop.toolkit(), name, arguments)
    for image in dict.fromkeys(images.values()):
        must(image.startswith(b"\x89PNG\r\n"), "the chart is a PNG")
        width, height = struct.unpack(">II", image[16:24])  # of the header chunk, which is the first
        same = ", ".join(label for label, each in images.items() if each == image)
        tell("image", f"a PNG of {width} x {height} pixels, byte for byte the same for {same}")


async def charts_of_providers(toolkit: Toolkit, name: str, arguments: dict[str, Any]) -> dict[str, bytes]:
    """Return the image in the answers for several APIs."""
    item = {"type": "function_call", "call_id": "1", "name": name, "arguments": json.dumps(arguments)}
    use = {"type": "tool_use", "id": "1", "name": name, "input": arguments}
    converse = {"toolUse": {"toolUseId": "1", "name": name, "input": arguments}}
    call = {"name": name, "args": arguments}
    openai = (await execute_tool_call(item, toolkit, scopes=SCOPES))["output"][1]
    anthropic = (await execute_tool_use(use, toolkit, scopes=SCOPES))["content"][1]
    bedrock = await bedrock_tools.execute_tool_use(converse, toolkit, scopes=SCOPES)
    gemini = (await execute_function_call(call, toolkit, scopes=SCOPES))["function_response"]
    return {
        "OpenAI": base64.b64decode(openai["image_url"].partition("base64,")[2]),
        "Anthropic": base64.b64decode(anthropic["source"]["data"]),
        "Bedrock": bedrock["toolResult"]["content"][1]["image"]["source"]["bytes"],
        "Gemini": gemini["parts"][0]["inline_data"]["data"],
    }


async def schemas(shop: Shop) -> None:
    step("Schemas are written once: each adapter publishes the YAML file's (compared without toolgen's code)")
    listed = [tool.model_dump(by_alias=True, exclude_unset=True) for tool in await listed_tools(shop)]
    published = {
        "MCP": contract.mcp_faults(listed, legacy=False),
        "OpenAI Chat": contract.openai_faults([tool["function"] for tool in functions(CHAT_TOOLS)]),
        "OpenAI Responses": contract.openai_faults(
            [without_type(tool) for tool in functions(RESPONSES_TOOLS)], responses=True
        ),
        "Anthropic": contract.anthropic_faults(functions(anthropic_tools.TOOLS)),
        "Bedrock": contract.bedrock_faults(bedrock_tools.TOOL_CONFIG),
        "Gemini": contract.gemini_faults(functions(gemini_tools.FUNCTION_DECLARATIONS)),
    }
    for adapter, faults in published.items():
        must(not faults, f"{adapter} publishes what the specs say: {'; '.join(faults)[:500]}")
    strict = [tool["function"]["name"] for tool in functions(CHAT_TOOLS) if tool["function"]["strict"]]
    tell("compared", f"{len(listed)} tools: whole names, descriptions and schemas of {', '.join(published)}")
    tell(
        "except",
        f"OpenAI's strict form of {', '.join(strict)}, and keywords that Gemini reads in descriptions",
    )


async def listed_tools(shop: Shop) -> list[Any]:
    """Return the tools that the MCP server lists."""
    return list((await shop.client.list_tools()).tools)


def functions(tools: Iterable[Any]) -> list[Any]:
    """Return definitions as plain data."""
    return list(tools)


def without_type(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a function of the Responses API without `type`, which is the same for all."""
    return {key: value for key, value in tool.items() if key != "type"}


async def through_openai(toolkit: Toolkit, name: str, arguments: dict[str, Any]) -> str:
    """Let a model call a tool through the OpenAI API; return the answer."""
    if find_spec("openai") is None:  # the same call as plain data
        function = {"name": name, "arguments": json.dumps(arguments)}
        plain = {"id": "call_1", "type": "function", "function": function}
        return str((await execute_tool_call(plain, toolkit, scopes=SCOPES))["content"])
    from openai import AsyncOpenAI

    with model_that_calls(name, arguments) as url:
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as openai:
            history: list[Any] = [{"role": "user", "content": "Please look that up."}]
            tools: Any = CHAT_TOOLS
            first = await openai.chat.completions.create(model="played", messages=history, tools=tools)
            message = first.choices[0].message
            calls = message.tool_calls or []
            must(len(calls) == 1, "the model calls one tool")
            answer = await execute_tool_call(calls[0], toolkit, scopes=SCOPES)
            history += [message.model_dump(exclude_none=True), answer]
            last = await openai.chat.completions.create(model="played", messages=history, tools=tools)
            must(last.choices[0].finish_reason == "stop", "the model accepts the answer")
    return str(answer["content"])


async def through_anthropic(toolkit: Toolkit, name: str, arguments: dict[str, Any]) -> str:
    """Return the answer to a tool_use block, as Anthropic's API sends it."""
    block = {"type": "tool_use", "id": "toolu_1", "name": name, "input": arguments}
    content: Any = (await execute_tool_use(block, toolkit, scopes=SCOPES))["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)
