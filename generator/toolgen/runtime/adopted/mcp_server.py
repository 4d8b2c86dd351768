"""An `MCPServer` of the MCP SDK: its tools as implementations, and what it has besides them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, ClassVar

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import MCPServerError, UnexpectedToolError
from mcp.server.subscriptions import ServerEvent, ToolsListChanged

from toolgen.runtime.adapters.mcp.features import Publish
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text

from .features import AdoptedFeatures
from .lifespan import LIFESPANS
from .tool import AdoptedTool, failed


class MCPServerTool(AdoptedTool):
    """A tool of an `MCPServer`, which fills in `Context` and resolved parameters.

    Results and error texts reach clients of MCP as the SDK's server sends them.

    Example:
        class PlaceOrder(MCPServerTool, PlaceOrderTool):
            server = shop.mcp
            listed_name = "place-order"
    """

    server: ClassVar[MCPServer[Any]]

    def _lifespan(self) -> AbstractAsyncContextManager[Any]:
        low_level = self.server._lowlevel_server
        return low_level.lifespan(low_level)

    async def _call(
        self,
        arguments: dict[str, Any],
        request: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        context: Context[Any, Any] = Context(
            request_context=replace(request, lifespan_context=LIFESPANS.value(self.server)),
            mcp_server=self.server,
            input_params=params,
            subscriptions=self.server._subscriptions,
        )
        try:
            return await self.server.call_tool(self.listed_name, arguments, context)
        except MCPServerError as error:
            result = failed(error)
            if isinstance(error, UnexpectedToolError):  # its text does not say what has happened
                LOGGER.error(
                    "tool %s failed unexpectedly",
                    self.listed_name,
                    exc_info=without_text(error.__cause__ or error),
                )
            return result


class MCPServerFeatures(AdoptedFeatures):
    """Resources, templates, prompts and completions of an `MCPServer`, within its middleware.

    Example:
        features = MCPServerFeatures(shop.mcp, "shop:mcp", serves=["resources", "prompts"])
    """

    server: MCPServer[Any]

    @property
    def _low_level(self) -> Server[Any]:
        return self.server._lowlevel_server

    def _lifespan(self) -> AbstractAsyncContextManager[Any]:
        return self._low_level.lifespan(self._low_level)

    def listen(self, publish: Publish) -> Callable[[], None]:
        """Call `publish` with each change that the server's functions announce by their `Context`."""

        def heard(event: ServerEvent) -> None:
            if not isinstance(event, ToolsListChanged):
                publish(event)

        return self.server._subscriptions.subscribe(heard)
