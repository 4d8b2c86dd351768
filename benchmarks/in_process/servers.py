"""The same tools on servers of other libraries, and on one written by hand. Needs a project on PYTHONPATH.

`python servers.py mcpserver|fastmcp|lowlevel [COUNT|--http]` serves stdio, or HTTP at a free port;
`python servers.py request` prints a call that every server answers alike. Other libraries derive schemas from
signatures, which are created from the fields of the generated models, so that types, bounds and descriptions
are the same.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel


def tools(count: int | None = None) -> Sequence[Mapping[str, Any]]:
    """Return the definitions of the first `count` tools of the project."""
    from generated import catalog

    return list(catalog.TOOLS.values())[:count]


def models(tool: Mapping[str, Any]) -> tuple[type[BaseModel], type[BaseModel]]:
    """Return the generated request and response models of a tool."""
    base = tool["class_name"].removesuffix("Tool")
    module = import_module(f"generated.models.{tool['py_name']}")
    return getattr(module, f"{base}Request"), getattr(module, f"{base}Response")


def answer() -> BaseModel:
    """Return the answer of the implemented tool."""
    name = next(iter(sorted(tool["py_name"] for tool in tools() if tool["name"].endswith("_0000"))))
    return import_module(f"tools.{name}").ANSWER  # type: ignore[no-any-return]


def function(tool: Mapping[str, Any]) -> Any:
    """Return an async function with one parameter per field of the request, as other libraries expect."""
    request, response = models(tool)
    given = answer()

    async def call(**arguments: Any) -> Any:
        return given

    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Annotated[field.annotation, field],
            default=inspect.Parameter.empty if field.is_required() else field.get_default(),
        )
        for name, field in request.model_fields.items()
    ]
    call.__name__ = tool["py_name"]
    call.__doc__ = tool["description"]
    call.__signature__ = inspect.Signature(parameters, return_annotation=response)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": response}
    return call


def mcpserver(chosen: Sequence[Mapping[str, Any]]) -> Any:
    """Create the official SDK's high-level server."""
    from mcp.server import MCPServer

    server = MCPServer("bench", log_level="ERROR")
    for tool in chosen:
        server.add_tool(
            function(tool), name=tool["name"], title=tool["title"], description=tool["description"]
        )
    return server


def fastmcp(chosen: Sequence[Mapping[str, Any]]) -> Any:
    """Create a fastmcp server."""
    from fastmcp import FastMCP
    from fastmcp.tools import Tool

    server = FastMCP("bench")
    for tool in chosen:
        made = Tool.from_function(
            function(tool), name=tool["name"], title=tool["title"], description=tool["description"]
        )
        server.add_tool(made)
    return server


def lowlevel(chosen: Sequence[Mapping[str, Any]]) -> Any:
    """Create a server with the SDK's low-level API: it publishes and validates the author's schemas."""
    import mcp_types as types
    from jsonschema_rs import Draft202012Validator
    from mcp.server.lowlevel import Server
    from pydantic_core import to_json

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
    kind, rest = sys.argv[1], sys.argv[2:]
    if kind == "request":
        print(json.dumps(request()))
        return
    if rest == ["--http"]:
        serve_http({"mcpserver": mcpserver, "fastmcp": fastmcp, "lowlevel": lowlevel}[kind](tools()), kind)
        return
    count = int(rest[0]) if rest else None
    if kind == "mcpserver":
        mcpserver(tools(count)).run("stdio")
    elif kind == "fastmcp":
        fastmcp(tools(count)).run("stdio", show_banner=False)
    else:
        asyncio.run(_serve(lowlevel(tools(count))))


def request() -> dict[str, Any]:
    """Return a call of the implemented tool, and its answer."""
    tool = next(tool for tool in tools() if tool["name"].endswith("_0000"))
    given = answer().model_dump(mode="json", by_alias=True, exclude_unset=True)
    return {
        "name": tool["name"],
        "arguments": json.loads(Path("call.json").read_text("utf-8")),
        "answer": given,
    }


def serve_http(server: Any, kind: str) -> None:
    """Serve with uvicorn, as each server's own command does."""
    import uvicorn

    app = server.http_app(path="/mcp") if kind == "fastmcp" else server.streamable_http_app()
    uvicorn.run(app, port=0, log_level="info", access_log=False)  # its log has the port


async def _serve(server: Any) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    main()
