"""Every example of every spec through each adapter has the same answer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult, ElicitResult, TextContent

from examples import tools
from generated import catalog, mcp_server, openai_tools
from tests.samples import sample
from tests.scopes import SCOPES, agree, granting

from .test_examples import EXAMPLES, label


async def accept(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=dict.fromkeys(params.requested_schema["properties"], True))


async def over_mcp(folder: Path, era: str, name: str, arguments: dict[str, Any]) -> CallToolResult:
    server = mcp_server.build_server(catalog.toolkit(context=tools.context(folder), config=granting()))
    async with Client(server, mode=era, elicitation_callback=accept) as client:
        return await client.call_tool(name, arguments)


async def over_openai(folder: Path, name: str, arguments: dict[str, Any]) -> str:
    call = {"type": "function_call", "call_id": "1", "name": name, "arguments": json.dumps(arguments)}
    toolkit = catalog.toolkit(context=tools.context(folder))
    item = await openai_tools.execute_tool_call(call, toolkit=toolkit, confirm=agree, scopes=SCOPES)
    output = item["output"]
    return output if isinstance(output, str) else str(output[0]["text"])


@pytest.mark.parametrize(("tool", "example"), sample(EXAMPLES, range(0, len(EXAMPLES), 4)), ids=label)
def test_every_adapter_gives_the_same_answer(
    tmp_path: Path, tool: dict[str, Any], example: dict[str, Any]
) -> None:
    name, arguments = tool["name"], example["input"]
    modern = asyncio.run(over_mcp(tmp_path / "modern", "auto", name, arguments))
    legacy = asyncio.run(over_mcp(tmp_path / "legacy", "legacy", name, arguments))
    text = asyncio.run(over_openai(tmp_path / "openai", name, arguments))
    for result in (modern, legacy):
        block, *files = result.content
        assert len(files) == (len(tool.get("content", ())) if "output" in example else 0)
        assert isinstance(block, TextContent)
        assert block.text == text
        assert result.is_error == ("error" in example)
        assert result.structured_content == example.get("output")
    if "output" in example:
        assert json.loads(text) == example["output"]
    else:
        assert text.startswith(f"Error [{example['error']}]: ")
