"""Calls of the gallery's tools: directly, and as a client of each protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from mcp import Client
from mcp_types import CallToolResult, ElicitResult, TextContent
from toolgen.runtime import BaseTool, ToolConfig, Toolkit, ToolResponse

from examples.tools import context
from generated import anthropic_tools, bedrock_tools, catalog, gemini_tools, mcp_server, openai_tools
from tests import scopes
from tests.runtime.provider_calls import answer_text, provider_calls
from tests.scopes import SCOPES, agree, granting

ROOT = Path(__file__).parents[2]
ERAS: tuple[Literal["auto", "legacy"], ...] = ("auto", "legacy")
T = TypeVar("T")
_EXECUTE: Mapping[str, Callable[..., Any]] = {
    "openai": openai_tools.execute_tool_call,
    "anthropic": anthropic_tools.execute_tool_use,
    "bedrock": bedrock_tools.execute_tool_use,
    "gemini": gemini_tools.execute_function_call,
}


def spec(name: str) -> dict[str, Any]:
    """Return a spec as its author wrote it."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "specs" / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def gallery(folder: Path, config: ToolConfig | None = None) -> Toolkit:
    """Return the gallery's tools with their real implementations, on separate data; over MCP, with all scopes."""
    return catalog.toolkit(context=context(folder), config=granting(config))


def kit_of(*tools: BaseTool[Any, Any], **options: Any) -> Toolkit:
    """Return a toolkit of a test's own tools on the gallery's generated classes."""
    return Toolkit(tools, **options)


def call(toolkit: Toolkit, name: str, arguments: Any, **options: Any) -> ToolResponse:
    """Call a tool in this process, and confirm."""
    return asyncio.run(scopes.call(toolkit, name, arguments, **options))


def over_mcp(
    toolkit: Toolkit,
    act: Callable[[Client], Awaitable[T]],
    era: Literal["auto", "legacy"] = "auto",
    **options: Any,
) -> T:
    """Return what `work` returns for the real MCP client."""

    async def talk() -> T:
        async with Client(mcp_server.build_server(toolkit), mode=era, **options) as client:
            return await act(client)

    return asyncio.run(talk())


def mcp_call(toolkit: Toolkit, name: str, arguments: dict[str, Any], **options: Any) -> CallToolResult:
    """Call a tool with the real MCP client, whose user confirms."""
    options = {"elicitation_callback": accept, **options}
    return over_mcp(toolkit, lambda client: client.call_tool(name, arguments), **options)


async def accept(context: Any, params: Any) -> ElicitResult:
    """Accept every elicitation."""
    return ElicitResult(action="accept", content=dict.fromkeys(params.requested_schema["properties"], True))


def text_of(result: CallToolResult) -> str:
    """Return the only text block of a result."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def texts(toolkit_of: Callable[[str], Toolkit], name: str, arguments: dict[str, Any]) -> dict[str, str]:
    """Return the text of the same call through every adapter; `toolkit_of` creates a toolkit for each."""
    found = {era: text_of(mcp_call(toolkit_of(era), name, arguments, era=era)) for era in ERAS}
    for api, call in provider_calls(name, arguments).items():
        execute = _EXECUTE[api.split()[0]]
        found[api] = answer_text(asyncio.run(execute(call, toolkit_of(api), agree, scopes=SCOPES)))
    return found
