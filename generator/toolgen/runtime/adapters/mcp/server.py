"""A toolkit as an MCP server, for every protocol version that the SDK speaks."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from inspect import signature
from typing import Any

try:
    import mcp_types as types
    from mcp.server import Server, ServerRequestContext
    from mcp.server.auth.middleware.auth_context import get_access_token
    from mcp.server.context import CallNext, HandlerResult
    from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
    from mcp.server.subscriptions import ListenHandler
    from mcp.shared.exceptions import MCPError
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
        raise
    raise ModuleNotFoundError(
        "an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'", name=error.name
    ) from error

from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.toolkit import Toolkit

from .confirm import Round, asker, input_required
from .result import TOKEN_KEY, Reporter, result_of
from .service import Service, ToolServer, is_modern

LOGGER = logging.getLogger("toolgen.runtime")


def build_server(
    toolkit: Toolkit, *, name: str, version: str | None = None, instructions: str | None = None
) -> Server[Any]:
    """A low-level server of every tool in `toolkit`, those too that are added later. Start it with `main`.

    When it ends, it closes the toolkit. Raises ValueError where two tools are published by one name.
    """
    service = Service(toolkit, name)

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])  # `publish` puts them in

    async def publish(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        # The SDK would drop every key that it does not know, and check a thousand schemas at each request.
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            service.toolkit_for(ctx)  # from now on, this client is told of changes
            return {**result, "tools": service.tools(is_modern(ctx))}
        return result

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            return await answer_call(service, context, params)
        except MCPError:
            raise
        except Exception:  # the SDK would show its text to older clients
            LOGGER.exception("tools/call failed outside of the tool")
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from None

    def input_schema(published: str) -> Mapping[str, Any] | None:
        definition = toolkit.definition_of(service.wire_name(published))
        return None if definition is None else definition["input_schema"]

    server = ToolServer(
        name,
        version=version or "",
        instructions=instructions,
        lifespan=service.running,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_subscriptions_listen=ListenHandler(service.bus),
        **_if_known(get_tool_input_schema=input_schema),
    )
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=name))
    server.middleware.append(publish)
    return server


def _if_known(**options: Any) -> dict[str, Any]:
    """Those that the installed SDK has: since 2.3 it asks for one schema where 2.2 lists all tools."""
    known = signature(Server.__init__).parameters
    return {name: value for name, value in options.items() if name in known}


async def answer_call(
    service: Service, context: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    """Answer one `tools/call`, or give the question that the client has to put to the user first.

    Raises MCPError where no tool has the name.
    """
    toolkit, arguments = service.toolkit_for(context), params.arguments or {}
    name = service.wire_name(params.name)
    definition = toolkit.definition_of(name)
    meta: Mapping[str, Any] = params.meta or {}
    sessionless = service.is_sessionless(context)
    carried = service.extras.opened(context, meta) if sessionless else None
    if carried is not None:
        toolkit = toolkit.session(carried)
    this = Round(context, params, arguments, service.desk)
    asks = definition is not None and "confirm" in definition
    token = meta.get(TOKEN_KEY) if asks else None
    reporter = Reporter(context)
    try:
        response = await toolkit.call(
            name,
            arguments,
            confirm=asker(this) if asks else None,
            confirmation_token=token if isinstance(token, str) else None,
            meta=meta,
            progress=reporter.progress,
            scopes=_scopes() if definition is not None and "auth" in definition else None,
            listen=reporter.chunk if definition is not None and "stream" in definition else None,
        )
    except ConfirmationPending as pending:
        return input_required(this, pending.confirmation)
    if definition is None:
        message = "Unknown tool" if response.error is None else response.error.message
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    if "output_schema" not in definition:
        result = result_of(response, "none")
    else:
        wrap = not is_modern(context) and service.wraps(definition["name"])
        result = result_of(response, "wrapped" if wrap else "plain")
    if sessionless and (response.extras or carried is not None):
        kept = service.extras.meta_of(context, definition["name"], response.extras)
        result.meta = {**(result.meta or {}), **kept}
    return result


def _scopes() -> frozenset[str] | None:
    """What the caller's access token allows; None where there is none (stdio, HTTP without auth)."""
    token = get_access_token()
    return None if token is None else frozenset(token.scopes)
