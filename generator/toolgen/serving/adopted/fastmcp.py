"""Tools of a FastMCP server as implementations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from traceback import walk_tb
from typing import Any, ClassVar

import mcp_types as types
from fastmcp import FastMCP
from fastmcp.exceptions import DisabledError, FastMCPError, NotFoundError, ToolError
from fastmcp.server.context import reset_transport, set_transport
from fastmcp.server.dependencies import bind_request_context
from fastmcp.tools.base import InputRequiredToolResult, ToolResult
from fastmcp.utilities.exceptions import get_http_status_code
from mcp.server import ServerRequestContext
from uncalled_for import SharedContext

from toolgen.runtime.logs.logger import LOGGER

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

    async def _call(
        self,
        arguments: dict[str, Any],
        request: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        async with AsyncExitStack() as stack:
            stack.enter_context(bind_request_context(request))
            if params is not None and request.request is None:
                stack.enter_context(trusting_stdio())
            # of values that FastMCP makes once for a server (`Shared`), which has no public name for them
            await stack.enter_async_context(SharedContext())
            try:
                result = await self.server.call_tool(self.listed_name, arguments)
            except (DisabledError, NotFoundError, FastMCPError) as error:
                if isinstance(error, DisabledError | NotFoundError):
                    LOGGER.warning(MISSING, self.listed_name)
                return failed(error, is_crash=_is_crash(error))
        if isinstance(result, InputRequiredToolResult):
            return result.input_required
        return _as_mcp_result(result)


@contextmanager
def trusting_stdio() -> Iterator[None]:
    """Let FastMCP trust who started the process: for others, it checks the `auth` of each component."""
    token = set_transport("stdio")
    try:
        yield
    finally:
        reset_transport(token)


def _is_crash(error: Exception) -> bool:
    """True if FastMCP has raised a ToolError for another exception, which is no answer of an HTTP API.

    It has no class of its own for that, and a function may raise its ToolError from an exception, too.
    """
    *_, (frame, _) = walk_tb(error.__traceback__)
    is_wrapped = frame.f_globals.get("__name__", "").startswith("fastmcp.")
    cause = error.__cause__
    return is_wrapped and isinstance(error, ToolError) and not (cause and get_http_status_code(cause))


def _as_mcp_result(result: ToolResult) -> types.CallToolResult:
    """Return a result in the protocol's form, which FastMCP may write as parts of it."""
    written = result.to_mcp_result()
    if isinstance(written, types.CallToolResult):
        return written
    content, structured = written if isinstance(written, tuple) else (written, None)
    return types.CallToolResult(content=content, structured_content=structured)
