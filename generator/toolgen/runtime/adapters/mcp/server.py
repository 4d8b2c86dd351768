"""A toolkit as an MCP server, for every protocol version that the SDK speaks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, Final

try:
    import mcp_types as types
    from mcp.server import Server, ServerRequestContext
    from mcp.server.caching import CacheHint
    from mcp.server.context import CallNext, HandlerResult
    from mcp.server.request_state import RequestStateBoundary
    from mcp.shared.exceptions import MCPError
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
        raise
    raise ModuleNotFoundError(
        "an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'", name=error.name
    ) from error

from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.toolkit import Toolkit

from .auth.grant import grant_of, scopes_of
from .confirm import (
    NO_CONSENT,
    consent_of,
    input_required,
    is_preview_request,
    preview_answer,
    request_state_security,
)
from .exchange import exchange_of
from .result import Reporter, result_of
from .service import STOPPING, STOPPING_CODE, Service, ToolServer, is_modern

DEFAULT_VERSION: Final = "0.0.0"
LIST_SECONDS: Final = 60  # that a client may reuse the list of tools without asking again


def build_server(
    toolkit: Toolkit, *, name: str, version: str | None = None, instructions: str | None = None
) -> ToolServer:
    """Return a low-level server of the tools in `toolkit`, including tools that are added later.

    `main` runs it as a command, `asgi_app` makes it an ASGI application. When it ends, it closes the toolkit.
    Raises ValueError where two tools are published by one name, and SettingError for an environment variable
    whose value is not valid.
    """
    service = Service(toolkit, name)

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])  # `publish` adds them

    async def publish(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if service.stopping and ctx.request_id is not None:
            raise MCPError(code=STOPPING_CODE, message=STOPPING)
        result = await call_next(ctx)
        if ctx.method == "tools/list" and isinstance(result, dict):
            # Here, not in the handler: the SDK drops every key that it does not know, and checks all schemas.
            service.toolkit_for(ctx)
            cursor = (ctx.params or {}).get("cursor")
            granted = grant_of(ctx, service.settings).listed
            tools, following = service.page(is_modern(ctx), cursor, granted)
            page = {**result, "tools": tools}
            if "cacheScope" in page and (granted is not None or service.scopes):
                page["cacheScope"] = "private"  # others see other tools
            return page if following is None else {**page, "nextCursor": following}
        if ctx.method == "notifications/initialized":
            service.toolkit_for(ctx)  # from now on, this client is notified of changes
        return result

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        work = answer_call(service, context, params)
        try:
            exchange = exchange_of(context)
            if exchange is None:
                return await service.calls.run(work)
            with exchange.handling(service.calls, ends_with_client=_streams(service, params.name)):
                return await service.calls.run(work)
        except MCPError:
            raise
        except Exception as error:  # the SDK would show its text to older clients
            LOGGER.error("tools/call failed outside of the tool", exc_info=without_text(error))
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from None

    server = ToolServer(
        name,
        version=version or DEFAULT_VERSION,
        instructions=instructions,
        cache_hints={"tools/list": _cache_hint(toolkit)},
        lifespan=service.running,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_subscriptions_listen=service.listen,
        **known_options(Server.__init__, get_tool_input_schema=service.mirrored_schema),
    )
    server.service = service
    server.catalog = toolkit.catalog
    security = request_state_security(toolkit.settings)
    server.middleware.append(RequestStateBoundary(security, default_audience=name))
    server.middleware.append(publish)
    return server


def _cache_hint(toolkit: Toolkit) -> CacheHint:
    """How long clients may keep the list, and whether a proxy may give it to others.

    Where tools need scopes, the list is for the one who asked, who may see others tomorrow. `publish` does
    the same for tools that are added later.
    """
    shared = not any(scopes_of(definition) for definition in toolkit.definitions.values())
    return CacheHint(ttl_ms=LIST_SECONDS * 1000, scope="public" if shared else "private")


def _streams(service: Service, published: str) -> bool:
    definition = service.toolkit.definition_of(service.wire_name(published))
    return definition is not None and "stream" in definition


def known_options(function: Callable[..., Any], **options: Any) -> dict[str, Any]:
    """Return the options that the installed SDK has; some came with 2.3."""
    known = signature(function).parameters
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
    grant = grant_of(context, service.settings)
    principal, scopes = grant.principal, grant.scopes
    if definition is not None and is_preview_request(params):
        response = await toolkit.preview(name, arguments, scopes=scopes, principal=principal)
        has_output_schema = "output_schema" in definition
        wrap = has_output_schema and not is_modern(context) and service.wraps(definition["name"])
        answer = preview_answer(response, has_output_schema)
        return result_of(answer, "none" if not has_output_schema else "wrapped" if wrap else "plain")
    sessionless = service.is_sessionless(context)
    carried = service.extras.opened(context, meta) if sessionless else None
    if carried is not None:
        toolkit = toolkit.session(carried)
    asks = definition is not None and "confirm" in definition
    consent = await consent_of(toolkit, context, params, principal) if asks else NO_CONSENT
    reporter = Reporter(context)
    try:
        response = await toolkit.call(
            name,
            arguments,
            confirm=consent.confirm,
            confirmation_token=consent.token,
            meta=meta,
            progress=reporter.progress,
            scopes=scopes,
            principal=principal,
            listen=reporter.chunk if definition is not None and "stream" in definition else None,
        )
    except ConfirmationPending as pending:
        return input_required(pending)
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
