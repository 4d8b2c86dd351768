"""Build an MCP server of a toolkit, for every protocol version that the SDK supports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

try:
    import mcp_types as types
    from mcp.server import ServerRequestContext
    from mcp.server.caching import CacheHint
    from mcp.server.context import CallNext, HandlerResult
    from mcp.server.request_state import RequestStateBoundary
    from mcp.shared.exceptions import MCPError
    from mcp_types.methods import is_input_required
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
        raise
    raise ModuleNotFoundError(
        "an MCP server needs the MCP SDK: pip install 'toolgen[mcp]'", name=error.name
    ) from error

from toolgen.runtime.confirmation.question import ConfirmationPending
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

from .auth.grant import Grant, grant_of, scopes_of
from .confirm import (
    NO_CONFIRMATION,
    confirmation_options,
    input_required,
    is_preview_request,
    preview_answer,
    request_state_security,
)
from .content import EncodedBlock, encode, resource_contents
from .exchange import CALLED, exchange_of
from .result import CallProgress, wire_result
from .service import STOPPING, STOPPING_CODE, Service, ToolServer, is_modern

DEFAULT_VERSION: Final = "0.0.0"
RESOURCE_NOT_FOUND: Final = -32002  # up to 2025-11-25
LIST_SECONDS: Final = 60  # that a client may cache the list of tools


def build_server(
    toolkit: Toolkit, *, name: str, version: str | None = None, instructions: str | None = None
) -> ToolServer:
    """Return a low-level server of the tools in `toolkit`, including tools that are added later.

    `main` runs it as a command, `asgi_app` turns it into an ASGI application. It closes the toolkit when it
    ends. Raises ValueError if two tools have the same published name, and SettingError for an environment
    variable whose value is not valid.
    """
    service = Service(toolkit, name)
    security = request_state_security(toolkit.settings)
    handlers = _Handlers(service, RequestStateBoundary(security, default_audience=name))
    resources: dict[str, Any] = {}
    if any("content" in definition for definition in toolkit.definitions.values()):
        resources = {
            "on_list_resources": handlers.list_resources,
            "on_list_resource_templates": handlers.list_resource_templates,
            "on_read_resource": handlers.read_resource,
        }
    server = ToolServer(
        name,
        version=version or DEFAULT_VERSION,
        instructions=instructions,
        cache_hints={"tools/list": _cache_hint(toolkit)},
        lifespan=service.running,
        on_list_tools=handlers.list_tools,
        on_subscriptions_listen=service.listen,
        **resources,
        get_tool_input_schema=service.mirrored_schema,
    )
    server.service = service
    service.serves_links = bool(resources)
    server.catalog = toolkit.catalog
    # not as `on_call_tool`, which must return models
    server.add_request_handler("tools/call", types.CallToolRequestParams, handlers.call_tool)
    server.middleware.append(handlers.publish)
    return server


class _Handlers:
    """The handlers of `tools/list` and `tools/call`, and a middleware."""

    def __init__(self, service: Service, boundary: RequestStateBoundary) -> None:
        self._service = service
        self._boundary = boundary

    async def list_tools(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])  # `publish` adds them

    async def publish(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if self._service.stopping and ctx.request_id is not None:
            raise MCPError(code=STOPPING_CODE, message=STOPPING)
        result = await self._answer(ctx, call_next)
        if ctx.method == "tools/list" and isinstance(result, dict):
            # here and not in the handler, because the SDK drops unknown keys and validates all schemas
            self._service.toolkit_for(ctx)
            cursor = (ctx.params or {}).get("cursor")
            granted = grant_of(ctx, self._service.settings).listed
            page = self._service.page(is_modern(ctx), cursor, granted)
            listed = {**result, "tools": page.tools}
            if "cacheScope" in listed and (granted is not None or self._service.scopes):
                listed["cacheScope"] = "private"  # other callers see other tools
            return listed if page.next_cursor is None else {**listed, "nextCursor": page.next_cursor}
        if ctx.method == "notifications/initialized":
            self._service.toolkit_for(ctx)  # from now on, the client is notified of changes
        return result

    async def _answer(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Answer a request; open `requestState` in it, and seal that of the result."""
        if ctx.params is not None and ctx.params.get("requestState") is not None:
            return await self._boundary(ctx, call_next)
        result = await call_next(ctx)
        if not is_input_required(result):
            return result

        async def answered(_: ServerRequestContext[Any, Any]) -> HandlerResult:
            return result

        return await self._boundary(ctx, answered)

    async def call_tool(
        self, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> dict[str, Any] | types.InputRequiredResult:
        if context.request is not None:
            context.request.scope[CALLED] = True
        work = answer_call(self._service, context, params)
        try:
            exchange = exchange_of(context)
            if exchange is None:
                return await self._service.calls.run(work)
            tool = self._service.find(params.name)
            with exchange.handling(self._service.calls, ends_with_client=tool is not None and tool.streams):
                return await self._service.calls.run(work)
        except MCPError:
            raise
        except Exception as error:  # the SDK would send its message to older clients
            LOGGER.error("tools/call failed outside of the tool", exc_info=without_text(error))
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from None

    async def list_resources(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])  # links to results are only known to their callers

    async def list_resource_templates(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read_resource(
        self, context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        links = self._service.links
        found = links.find(params.uri, grant_of(context, self._service.settings))
        if found is None:
            code = types.INVALID_PARAMS if is_modern(context) else RESOURCE_NOT_FOUND
            raise MCPError(code=code, message="This resource does not exist, or its link has expired.")
        return types.ReadResourceResult(
            contents=[resource_contents(await encode(found.block), params.uri)],
            ttl_ms=int(links.seconds_left(found) * 1000),
        )


def _cache_hint(toolkit: Toolkit) -> CacheHint:
    """Return how long clients may cache the list, and whether shared caches may store it.

    If tools need scopes, the list depends on the caller. `publish` does the same for tools added later.
    """
    shared = not any(scopes_of(definition) for definition in toolkit.definitions.values())
    return CacheHint(ttl_ms=LIST_SECONDS * 1000, scope="public" if shared else "private")


async def answer_call(
    service: Service, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
) -> dict[str, Any] | types.InputRequiredResult:
    """Return the JSON of the result of one `tools/call`, or the question that the client must ask the user.

    Raises MCPError if there is no tool with the name.
    """
    tool = service.find(params.name)
    if tool is None:
        raise await _unknown_tool(service, context, params)
    toolkit, arguments = service.toolkit_for(context), params.arguments or {}
    meta: Mapping[str, Any] = params.meta or {}
    grant = grant_of(context, service.settings)
    principal, scopes = grant.principal, grant.scopes
    if is_preview_request(params):
        response = await toolkit.preview(tool.name, arguments, scopes=scopes, principal=principal)
        answer = preview_answer(response, has_output_schema=tool.has_output_schema)
        return wire_result(answer, service.structured_form(context, tool), context.protocol_version)
    sessionless = service.is_sessionless(context)
    extras = service.extras.opened(context, meta) if sessionless else None
    if extras is not None:
        toolkit = toolkit._carrying(extras)
    confirmation = NO_CONFIRMATION
    if tool.confirms:
        confirmation = await confirmation_options(toolkit, context, params, principal=principal)
    reporter = CallProgress(context)
    try:
        response = await toolkit.call(
            tool.name,
            arguments,
            confirm=confirmation.confirm,
            confirmation_token=confirmation.token,
            meta=meta,
            progress=reporter.progress,
            scopes=scopes,
            principal=principal,
            listen=reporter.chunk if tool.streams else None,
        )
    except ConfirmationPending as pending:
        return input_required(pending)
    blocks = await _encoded(service, response, grant, tool.definition) if response.blocks else None
    form = service.structured_form(context, tool)
    result = wire_result(response, form, context.protocol_version, blocks=blocks)
    if sessionless and (response.extras or extras is not None):
        sealed = service.extras.meta_of(context, tool.name, response.extras)
        if extras is None and not service.keeps_extras(context):
            service.extras.note_client_must_return(tool.name)
        result["_meta"] = {**result.get("_meta", {}), **sealed}
    return result


async def _unknown_tool(
    service: Service, context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
) -> MCPError:
    """Return the error of a call whose name no tool has. The call is logged as any other."""
    grant = grant_of(context, service.settings)
    response = await service.toolkit_for(context).call(
        service.wire_name(params.name), params.arguments, meta=params.meta, principal=grant.principal
    )
    message = "Unknown tool" if response.error is None else response.error.message
    return MCPError(code=types.INVALID_PARAMS, message=message)


async def _encoded(
    service: Service, response: ToolResponse, grant: Grant, definition: ToolDefinition
) -> list[EncodedBlock]:
    """Return the blocks of a response, encoded; large ones as links if the client can read them."""
    blocks = response.blocks
    if service.serves_links:
        needed = scopes_of(definition)
        blocks = tuple(service.links.linked(block, grant, needed) for block in blocks)
    return [await encode(block) for block in blocks]
