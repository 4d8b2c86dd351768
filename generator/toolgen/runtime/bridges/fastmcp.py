"""FastMCP: a toolkit as a provider of tools, for a server that has other things, too."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from .shared import refuse

try:
    import mcp_types as types
    from fastmcp.server.dependencies import fastmcp_request_ctx
    from fastmcp.server.providers import Provider
    from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
    from fastmcp.utilities.versions import VersionSpec
    from mcp.server import ServerRequestContext
except ModuleNotFoundError as error:
    refuse(error, "FastMCP", "fastmcp", ("fastmcp", "mcp", "mcp_types"))

from pydantic import Field, InstanceOf

from toolgen.runtime.adapters.mcp.auth.grant import grant_of
from toolgen.runtime.adapters.mcp.listing import is_object_schema
from toolgen.runtime.adapters.mcp.result import result_of
from toolgen.runtime.adapters.mcp.server import answer_call
from toolgen.runtime.adapters.mcp.service import Service, is_modern
from toolgen.runtime.toolkit import Toolkit
from toolgen.schema.inline import wrap_in_object


def fastmcp_provider(toolkit: Toolkit) -> Provider:
    """The toolkit's tools for a FastMCP server: `server.add_provider(fastmcp_provider(toolkit))`.

    Listed as the spec says, also those that are added later; called by their name or alias.
    Errors, confirmation, progress, chunks, scopes and sessions are as in a server of toolgen's own. When the
    server ends, it closes the toolkit. Raises ValueError where two tools are published by one name.
    """
    return ToolkitProvider(toolkit)


class ToolkitProvider(Provider):
    """The tools of a toolkit."""

    def __init__(self, toolkit: Toolkit) -> None:
        super().__init__()
        self._service = Service(toolkit)
        self._listed: Any = None
        self._tools: dict[str, Tool] = {}

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """While the server runs; then tools that were set up are closed."""
        try:
            yield
        finally:
            await self._service.toolkit.close()

    async def _list_tools(self) -> Sequence[Tool]:
        listed = self._service.tools(modern=True)
        if listed is not self._listed:
            self._tools = {each["name"]: self._tool(each) for each in listed}
            self._listed = listed
        request = _request()
        granted = None if request is None else grant_of(request, self._service.settings).listed
        if granted is None:
            return list(self._tools.values())
        return [self._tools[each["name"]] for each in self._service.tools(modern=True, granted=granted)]

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        found = await super()._get_tool(name, version)
        definition = self._service.toolkit.definition_of(name)
        if found is not None or definition is None or version is not None:
            return found
        by_wire_name = {self._service.wire_name(each): tool for each, tool in self._tools.items()}
        return by_wire_name.get(definition["name"])  # it was called by an alias

    def _tool(self, listed: dict[str, Any]) -> Tool:
        published = types.Tool.model_validate(listed)
        definition = self._service.toolkit.definition_of(self._service.wire_name(published.name))
        tags = set() if definition is None else set(definition.get("tags", ()))
        return ToolkitTool(
            service=self._service,
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


class ToolkitTool(Tool):
    """One tool of a toolkit. The server may change its fields, its `name` by a namespace; `listed` stays."""

    service: InstanceOf[Service] = Field(exclude=True, repr=False)
    listed: dict[str, Any] = Field(exclude=True, repr=False)  # as the spec has it

    def get_meta(self) -> dict[str, Any]:
        """The spec's `meta`, without what FastMCP adds."""
        meta = super().get_meta()
        if "fastmcp" not in (self.meta or {}):
            meta.pop("fastmcp", None)
        return meta

    def to_mcp_tool(self, **overrides: Any) -> types.Tool:
        """As the spec has it: schemas are not dereferenced, no title is made up, no `_meta` is added.

        An output that is no object is the one property of an object for old clients: `{"result": …}`.
        """
        exact: dict[str, Any] = {"title": self.title}
        exact |= {key: self.listed[key] for key in ("inputSchema", "outputSchema") if key in self.listed}
        request, output = _request(), exact.get("outputSchema")
        if request is not None and output and not is_modern(request) and not is_object_schema(output):
            exact["outputSchema"] = wrap_in_object(output)
        tool = super().to_mcp_tool(**(exact | overrides))
        tool.meta = tool.meta or None
        return tool

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Answer a call. Outside of a request (`server.call_tool`) the user cannot be asked."""
        request, published = _request(), self.listed["name"]
        if request is None:
            response = await self.service.toolkit.call(self.service.wire_name(published), arguments)
            is_object = is_object_schema(self.listed.get("outputSchema", {}))
            return ToolResult.from_mcp_result(result_of(response, "plain" if is_object else "none"))
        sent: dict[str, Any] = dict(request.params or {})  # `_meta`, and the answers of a second round
        sent |= {"name": published, "arguments": arguments}
        params = types.CallToolRequestParams.model_validate(sent)
        result = await answer_call(self.service, request, params)
        if isinstance(result, types.InputRequiredResult):
            return InputRequiredToolResult(result)
        return ToolResult.from_mcp_result(result)


def _request() -> ServerRequestContext[Any, Any] | None:
    """The MCP SDK's context of the request that is being answered."""
    current = fastmcp_request_ctx.get()
    return None if current is None else current._srctx  # FastMCP's own "escape hatch"
