"""A FastMCP server: its tools as implementations, and what it has besides them."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, ExitStack
from traceback import walk_tb
from typing import Any, ClassVar

import mcp_types as types
from fastmcp import FastMCP
from fastmcp.exceptions import DisabledError, FastMCPError, NotFoundError, ToolError
from fastmcp.server.context import reset_transport, set_transport
from fastmcp.server.dependencies import bind_request_context
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from fastmcp.utilities.exceptions import get_http_status_code
from mcp.server import Server, ServerRequestContext
from mcp.server.context import HandlerResult

from toolgen.runtime.logs.logger import LOGGER

from .features import AdoptedFeatures
from .tool import MISSING, AdoptedTool, failed


class FastMCPTool(AdoptedTool):
    """A tool of a FastMCP server.

    FastMCP fills in `Context`, `Depends` and its other dependencies, and runs its middleware for tool calls
    and the tool's own `auth`. Results and error texts reach clients of MCP as FastMCP sends them.

    Example:
        class PlaceOrder(FastMCPTool, PlaceOrderTool):
            server = shop.mcp
            listed_name = "place-order"
    """

    server: ClassVar[FastMCP[Any]]

    def _lifespan(self) -> AbstractAsyncContextManager[Any]:
        return _lifespan_of(self.server)

    async def _call(
        self,
        arguments: dict[str, Any],
        request: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        with ExitStack() as stack:
            stack.enter_context(bind_request_context(request))
            # FastMCP trusts who starts a stdio server, and checks the `auth` of a tool for all others
            if params is not None and request.request is None:
                stack.callback(reset_transport, set_transport("stdio"))
            # values that live as long as the server, as FastMCP's own middleware sets them for each request
            for variable, value in (self.server._shared_context_snapshot or {}).items():
                stack.callback(variable.reset, variable.set(value))
            try:
                result = await self.server.call_tool(self.listed_name, arguments)
            except (DisabledError, NotFoundError, FastMCPError) as error:
                if isinstance(error, DisabledError | NotFoundError):
                    LOGGER.warning(MISSING, self.listed_name)
                return failed(error, is_crash=_is_crash(error))
        if isinstance(result, InputRequiredToolResult):
            return result.input_required
        return _as_mcp_result(result)


class FastMCPFeatures(AdoptedFeatures):
    """Resources, templates, prompts and completions of a FastMCP server, within its middleware.

    Example:
        features = FastMCPFeatures(shop.mcp, "shop:mcp", serves=["resources", "prompts"])
    """

    server: FastMCP[Any]

    @property
    def _low_level(self) -> Server[Any]:
        return self.server._mcp_server

    def _lifespan(self) -> AbstractAsyncContextManager[Any]:
        return _lifespan_of(self.server)

    async def answer(self, context: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        with ExitStack() as stack:
            if context.request is None:  # FastMCP checks the `auth` of a component for all but stdio
                stack.callback(reset_transport, set_transport("stdio"))
            return await super().answer(context, params)


def _is_crash(error: Exception) -> bool:
    """True if FastMCP has raised a ToolError for another exception, which is no answer of an HTTP API.

    It has no class of its own for that, and a function may raise its ToolError from an exception, too.
    """
    *_, (frame, _) = walk_tb(error.__traceback__)
    is_wrapped = frame.f_globals.get("__name__", "").startswith("fastmcp.")
    cause = error.__cause__
    return is_wrapped and isinstance(error, ToolError) and not (cause and get_http_status_code(cause))


def _lifespan_of(server: FastMCP[Any]) -> AbstractAsyncContextManager[Any]:
    return server._lifespan_manager()


def _as_mcp_result(result: ToolResult) -> types.CallToolResult:
    """Return a result in the protocol's form, which FastMCP may write as parts of it."""
    written = result.to_mcp_result()
    if isinstance(written, types.CallToolResult):
        return written
    content, structured = written if isinstance(written, tuple) else (written, None)
    return types.CallToolResult(content=content, structured_content=structured)
