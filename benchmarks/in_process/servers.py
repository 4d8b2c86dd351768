"""The same tools on a server written by hand. Needs a project on PYTHONPATH.

`python servers.py [--http]` serves stdio, or HTTP at a free port; `python servers.py request` prints a call
of the implemented tool, and its answer.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import mcp_types as types
import uvicorn
from jsonschema_rs import Draft202012Validator
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import BaseModel
from pydantic_core import to_json


def tools() -> Sequence[Mapping[str, Any]]:
    """Return the definitions of the tools of the project."""
    from generated import catalog

    return list(catalog.TOOLS.values())


def models(tool: Mapping[str, Any]) -> tuple[type[BaseModel], type[BaseModel]]:
    """Return the generated request and response models of a tool."""
    base = tool["class_name"].removesuffix("Tool")
    module = import_module(f"generated.models.{tool['py_name']}")
    return getattr(module, f"{base}Request"), getattr(module, f"{base}Response")


def answer() -> BaseModel:
    """Return the answer of the implemented tool."""
    name = next(iter(sorted(tool["py_name"] for tool in tools() if tool["name"].endswith("_0000"))))
    return import_module(f"tools.{name}").ANSWER  # type: ignore[no-any-return]


def lowlevel(chosen: Sequence[Mapping[str, Any]]) -> Any:
    """Create a server with the SDK's low-level API: it publishes and validates the author's schemas."""
    listed = [
        types.Tool(
            name=tool["name"],
            title=tool["title"],
            description=tool["description"],
            input_schema=tool["input_schema"],
            output_schema=tool["output_schema"],
        )
        for tool in chosen
    ]
    schemas = {tool["name"]: tool["input_schema"] for tool in chosen}
    known = {tool["name"]: tool for tool in chosen}
    ready: dict[str, tuple[Any, ...]] = {}

    def prepare(name: str) -> tuple[Any, ...]:
        tool = known[name]
        ready[name] = (
            Draft202012Validator(tool["input_schema"], validate_formats=True),
            Draft202012Validator(tool["output_schema"], validate_formats=True),
            *models(tool),
            answer(),
        )
        return ready[name]

    async def execute(request: BaseModel, given: BaseModel) -> BaseModel:
        return given

    async def on_list(context: Any, params: Any) -> Any:
        return types.ListToolsResult(tools=listed)

    async def on_call(context: Any, params: Any) -> Any:
        asked, answered, request_model, _, given = ready.get(params.name) or prepare(params.name)
        arguments = params.arguments or {}
        if not asked.is_valid(arguments):
            text = "\n".join(error.message for error in asked.iter_errors(arguments))
            return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
        response = await execute(request_model.model_validate(arguments), given)
        content = response.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if not answered.is_valid(content):
            raise RuntimeError("the response breaks its schema")
        text = to_json(content).decode()
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=content)

    return Server("bench", on_list_tools=on_list, on_call_tool=on_call, get_tool_input_schema=schemas.get)


def main() -> None:
    """Run the command."""
    if sys.argv[1:] == ["request"]:
        print(json.dumps(request()))
    elif sys.argv[1:] == ["--http"]:
        # its log has the port
        app = lowlevel(tools()).streamable_http_app()
        uvicorn.run(app, port=0, log_level="info", access_log=False)
    else:
        asyncio.run(_serve(lowlevel(tools())))


def request() -> dict[str, Any]:
    """Return a call of the implemented tool, and its answer."""
    tool = next(tool for tool in tools() if tool["name"].endswith("_0000"))
    given = answer().model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {
        "name": tool["name"],
        "arguments": json.loads(Path("call.json").read_text("utf-8")),
        "answer": given,
    }


async def _serve(server: Any) -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    main()
