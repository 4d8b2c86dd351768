"""A toolkit as an MCP server, for every protocol version that the SDK speaks."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Final

try:
    import mcp_types as types
    from mcp.server import Server, ServerRequestContext
    from mcp.server.context import CallNext, HandlerResult
    from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
    from mcp.shared.exceptions import MCPError
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
        raise
    raise ModuleNotFoundError(
        "an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'", name=error.name
    ) from error

from toolgen.runtime.adapters.naming import wire_names
from toolgen.runtime.confirm import ConfirmationPending, TokenDesk
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

from .confirm import Round, asker, input_required
from .listing import TARGET, for_handshake_era, is_object_schema, mcp_tools

LOGGER = logging.getLogger("toolgen.runtime")

TOKEN_KEY: Final = "toolgen/confirmation_token"  # noqa: S105  in a request's `_meta`
CONFIRMATION_KEY: Final = "toolgen/confirmation"  # in a result's `_meta`
ERROR_KEY: Final = "toolgen/error"


@dataclass(frozen=True, slots=True)
class _Service:
    """What all requests share."""

    toolkit: Toolkit
    names: Mapping[str, str]  # published name → wire name
    desk: TokenDesk = field(default_factory=TokenDesk)


def build_server(
    toolkit: Toolkit, *, name: str, version: str | None = None, instructions: str | None = None
) -> Server[Any]:
    """A low-level server of every tool in `toolkit`, listed as they are now. Start it with `main`.

    Raises ValueError where two tools are published by one name.
    """
    service = _Service(toolkit, wire_names(toolkit.definitions, TARGET))
    modern = mcp_tools(toolkit.definitions)
    handshake = for_handshake_era(modern)

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])  # `publish` puts them in

    async def publish(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        # The SDK would drop every key that it does not know, and check a thousand schemas at each request.
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            return {**result, "tools": modern if _is_modern(ctx) else handshake}
        return result

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        try:
            return await _call(service, context, params)
        except MCPError:
            raise
        except Exception:  # the SDK would show its text to older clients
            LOGGER.exception("tools/call failed outside of the tool")
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from None

    def input_schema(published: str) -> Mapping[str, Any] | None:
        definition = toolkit.definition_of(service.names.get(published, published))
        return None if definition is None else definition["input_schema"]

    server: Server[Any] = Server(
        name,
        version=version or "",
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **_if_known(get_tool_input_schema=input_schema),
    )
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=name))
    server.middleware.append(publish)
    return server


def _if_known(**options: Any) -> dict[str, Any]:
    """Those that the installed SDK has: since 2.3 it asks for one schema where 2.2 lists all tools."""
    known = signature(Server.__init__).parameters
    return {name: value for name, value in options.items() if name in known}


async def _call(
    service: _Service, context: ServerRequestContext[Any], params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    toolkit, arguments = service.toolkit, params.arguments or {}
    name = service.names.get(params.name, params.name)
    definition = toolkit.definition_of(name)
    meta: Mapping[str, Any] = params.meta or {}
    this = Round(context, params, arguments, service.desk)
    asks = definition is not None and "confirm" in definition
    token = meta.get(TOKEN_KEY) if asks else None
    try:
        response = await toolkit.call(
            name,
            arguments,
            confirm=asker(this) if asks else None,
            confirmation_token=token if isinstance(token, str) else None,
            meta=meta,
            progress=context.session.report_progress,
        )
    except ConfirmationPending as pending:
        return input_required(this, pending.confirmation)
    if definition is None:
        message = "Unknown tool" if response.error is None else response.error.message
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    schema = definition.get("output_schema")
    structured = schema is not None and (_is_modern(context) or is_object_schema(schema))
    return _result(response, structured)


def _result(response: ToolResponse, structured: bool) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(text=response.as_text())]
    if response.error is None:
        return types.CallToolResult(
            content=content, structured_content=response.content if structured else None
        )
    meta: dict[str, Any] = {ERROR_KEY: response.error.as_dict()}
    if "confirmation" in response.metadata:
        meta[CONFIRMATION_KEY] = response.metadata["confirmation"]
    return types.CallToolResult(content=content, is_error=True, _meta=meta)


def _is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS
