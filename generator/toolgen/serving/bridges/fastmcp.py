"""FastMCP: a toolkit as a provider of tools, for a FastMCP server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from fastmcp.server.dependencies import fastmcp_request_ctx, get_context
from fastmcp.server.providers import Provider
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from fastmcp.utilities.versions import VersionSpec
from mcp.server import ServerRequestContext
from pydantic import Field, InstanceOf

from toolgen.runtime.toolkit import Toolkit
from toolgen.schema.document import SchemaDocument
from toolgen.schema.graph import is_object_schema
from toolgen.serving.auth.grant import grant_of
from toolgen.serving.held_questions import is_modern
from toolgen.serving.listed_tool import output_for_handshake_era
from toolgen.serving.result import result_of
from toolgen.serving.server_state import ServerState
from toolgen.serving.tools_call import answer_call


def fastmcp_provider(toolkit: Toolkit) -> Provider:
    """Return the toolkit's tools for a FastMCP server: `server.add_provider(fastmcp_provider(toolkit))`.

    They are listed as in the spec, including those that are added later, and called by name or alias.
    Errors, confirmation, progress, chunks, scopes and sessions are as in toolgen's own server. When the
    server ends, it closes the toolkit. Raises ValueError if two tools have the same published name.
    """
    return ToolkitProvider(toolkit)


class ToolkitProvider(Provider):
    """The tools of a toolkit."""

    def __init__(self, toolkit: Toolkit) -> None:
        super().__init__()
        self._served = ServerState(toolkit)
        self._listed: Any = None
        self._tools: dict[str, Tool] = {}

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Close the tools that were set up when the server ends."""
        try:
            yield
        finally:
            self._served.held.end_all(id(asyncio.get_running_loop()))
            await self._served.toolkit.close()

    async def _list_tools(self) -> Sequence[Tool]:
        listed = self._served.tools.all(modern=True)
        if listed is not self._listed:
            self._tools = {each["name"]: self._tool(each) for each in listed}
            self._listed = listed
        request = _request()
        granted = None if request is None else grant_of(request, self._served.settings).listed
        if granted is None:
            return list(self._tools.values())
        return [self._tools[each["name"]] for each in self._served.tools.all(modern=True, granted=granted)]

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        found = await super()._get_tool(name, version)
        definition = self._served.toolkit.definition_of(name)
        if found is not None or definition is None or version is not None:
            return found
        by_wire_name = {self._served.tools.wire_name(each): tool for each, tool in self._tools.items()}
        return by_wire_name.get(definition["name"])  # called by an alias

    def _tool(self, listed: dict[str, Any]) -> Tool:
        published = types.Tool.model_validate(listed)
        definition = self._served.toolkit.definition_of(self._served.tools.wire_name(published.name))
        tags = set() if definition is None else set(definition.get("tags", ()))
        return FastMCPTool(
            served=self._served,
            listed=listed,
            name=published.name,
            title=published.title,
            description=published.description,
            parameters=listed["inputSchema"],
            output_schema=listed.get("outputSchema"),
            annotations=published.annotations,
            icons=published.icons,
            meta=listed.get("_meta"),
            tags=tags,
        )


class FastMCPTool(Tool):
    """One tool of a toolkit. The server may change its fields, such as `name`, but not `listed`."""

    served: InstanceOf[ServerState] = Field(exclude=True, repr=False)
    listed: dict[str, Any] = Field(exclude=True, repr=False)  # as in the spec

    def get_meta(self) -> dict[str, Any]:
        """Return the spec's `meta`, without additions of FastMCP."""
        meta = super().get_meta()
        if "fastmcp" not in (self.meta or {}):
            meta.pop("fastmcp", None)
        return meta

    def to_mcp_tool(self, **overrides: Any) -> types.Tool:
        """Return the tool as in the spec: schemas with references, no generated title, no added `_meta`.

        For old clients, an output that is not an object becomes the property of one: `{"result": …}`.
        """
        exact: dict[str, Any] = {"title": self.title}
        exact |= {key: self.listed[key] for key in ("inputSchema", "outputSchema") if key in self.listed}
        request = _request()
        if request is not None and "outputSchema" in exact and not is_modern(request):
            exact["outputSchema"] = output_for_handshake_era(exact["outputSchema"])
        tool = super().to_mcp_tool(**(exact | overrides))
        tool.meta = tool.meta or None
        return tool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Answer a call. Outside of a request (`server.call_tool`), the user cannot be asked."""
        request, published = _request(), self.listed["name"]
        if request is None:
            response = await self.served.toolkit.call(self.served.tools.wire_name(published), arguments)
            is_object = is_object_schema(SchemaDocument(self.listed.get("outputSchema", {})))
            return ToolResult.from_mcp_result(result_of(response, "unwrapped" if is_object else "none"))
        context = get_context()  # with the answers of the user
        params = types.CallToolRequestParams(
            name=published,
            arguments=arguments,
            input_responses=context.input_responses,
            request_state=context.request_state,
            _meta=request.meta,
        )
        result = await answer_call(self.served, request, params)
        if isinstance(result, types.InputRequiredResult):
            return InputRequiredToolResult(result)
        return ToolResult.from_mcp_result(types.CallToolResult.model_validate(result))


def _request() -> ServerRequestContext[Any, Any] | None:
    """Return the current request as the MCP SDK has it; None outside of a request."""
    current = fastmcp_request_ctx.get()
    if current is None:
        return None
    meta: Any = current.meta
    return ServerRequestContext(
        session=current.session,
        lifespan_context=current.lifespan_context,
        protocol_version=current.protocol_version,
        method="tools/call",
        request_id=current.request_id,
        meta=meta,
        request=current.request,
    )
