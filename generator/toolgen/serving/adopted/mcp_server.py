"""Tools of an `MCPServer` of the MCP SDK as implementations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.context import HandlerResult
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import MCPServerError, UnexpectedToolError
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp_types.methods import is_input_required

from toolgen.runtime.context import ToolContext
from toolgen.runtime.isolation import WorkClock
from toolgen.runtime.logs.logger import LOGGER
from toolgen.serving.current_call import CurrentCall
from toolgen.serving.held_questions import Exchange

from .features import as_sent, own_middleware, within_middleware
from .lifespan import LIFESPANS, Entered
from .tool import MISSING, AdoptedTool, failed


@dataclass(eq=False)
class _AskingSession:
    """A client's session for a tool with `asks`: `ctx.elicit` asks in the middle of a call in both eras."""

    session: ServerSession
    exchange: Exchange
    clock: WorkClock

    async def elicit_form(
        self, message: str, requested_schema: dict[str, Any], related_request_id: object = None
    ) -> types.ElicitResult:
        params = types.ElicitRequestFormParams(message=message, requested_schema=requested_schema)
        with self.clock.stopped():
            answer = await self.exchange.ask(params)
        if isinstance(answer, types.ErrorData):
            raise MCPError(code=answer.code, message=answer.message)
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)


class MCPServerTool(AdoptedTool):
    """A tool of an `MCPServer`, which fills in `Context` and resolved parameters.

    Results and error texts reach clients of MCP as the SDK's server sends them.

    Example:
        class PlaceOrder(MCPServerTool, PlaceOrderTool):
            server = shop.mcp
            listed_name = "place-order"
    """

    server: ClassVar[MCPServer[Any]]

    def _request_of(self, call: CurrentCall, context: ToolContext) -> ServerRequestContext[Any, Any]:
        if context.clock is None or call.exchange is None:
            return call.request
        session = _AskingSession(call.request.session, call.exchange, context.clock)
        return replace(call.request, session=cast("ServerSession", session))

    async def _call(
        self,
        arguments: dict[str, Any],
        request: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        entered: Entered = LIFESPANS.value(self.server)

        async def handle(request: ServerRequestContext[Any, Any]) -> HandlerResult:
            return as_sent(await self._called(request, params))

        request = replace(
            request,
            lifespan_context=entered.value,
            # middleware sees the arguments as the function gets them, and may change them
            params={**(request.params or {}), "name": self.listed_name, "arguments": arguments},
        )
        if not own_middleware(entered.low_level):
            return await self._called(request, params)
        result = as_sent(await within_middleware(entered.low_level, handle)(request))
        is_question = is_input_required(result)
        kind = types.InputRequiredResult if is_question else types.CallToolResult
        return kind.model_validate(result, by_name=False)

    async def _called(
        self, request: ServerRequestContext[Any, Any], params: types.CallToolRequestParams | None
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call the tool with the arguments in `request`, which has passed the server's middleware."""
        context: Context[Any, Any] = Context(
            request_context=request,
            mcp_server=self.server,
            input_params=params,
            subscriptions=InMemorySubscriptionBus(),  # of the changes that it announces, nobody hears
        )
        arguments: Mapping[str, Any] = (request.params or {}).get("arguments") or {}
        try:
            return await self.server.call_tool(self.listed_name, dict(arguments), context)
        except MCPServerError as error:
            if all(each.name != self.listed_name for each in await self.server.list_tools()):
                LOGGER.warning(MISSING, self.listed_name)
            return failed(error, is_crash=isinstance(error, UnexpectedToolError))
