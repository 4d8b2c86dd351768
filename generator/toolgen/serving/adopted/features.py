"""Resources, prompts, completions and skills of an adopted server, which its own handlers answer."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakSet

import mcp_types as types
from mcp.server import Server, ServerRequestContext
from mcp.server.caching import apply_cache_hint
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError

from toolgen.serving.features import as_json

from .lifespan import LIFESPANS, Entered


class AdoptedFeatures:
    """Resources, templates, prompts and completions of an `MCPServer`, or of FastMCP, within its middleware.

    Args:
        server: the server object.
        name: for log records, such as "shop.server:mcp".
        serves: what is served: "resources" (with templates), "prompts", "completions", "skills".
        scopes: that callers need for all of it.
        timeout: seconds that a request may take.

    Example:
        features = AdoptedFeatures(shop.mcp, "shop:mcp", serves=["resources", "prompts"])
    """

    def __init__(
        self,
        server: Any,
        name: str,
        *,
        serves: Collection[str],
        scopes: Collection[str] = (),
        timeout: float = 60.0,
    ) -> None:
        self.server = server
        self.name = name
        self.scopes = frozenset(scopes)
        self.timeout = timeout
        self.serves = frozenset(serves)
        self._has_entered: WeakSet[asyncio.AbstractEventLoop] = WeakSet()

    async def answer(self, context: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        """Return what the server's own handler answers, within the server's own middleware."""
        await self._enter_lifespan()
        entered: Entered = LIFESPANS.value(self.server)
        request = replace(context, lifespan_context=entered.value)
        with ExitStack() as stack:
            if context.request is None and not isinstance(self.server, MCPServer):
                from .fastmcp import trusting_stdio  # FastMCP need not be installed

                stack.enter_context(trusting_stdio())
            return await within_middleware(entered.low_level, partial(_handle, entered.low_level))(request)

    async def close(self) -> None:
        """Leave the server's lifespan if this event loop has entered it for a request."""
        loop = asyncio.get_running_loop()
        if loop in self._has_entered:
            self._has_entered.discard(loop)
            await LIFESPANS.leave(self.server)

    async def _enter_lifespan(self) -> None:
        loop = asyncio.get_running_loop()
        await LIFESPANS.enter(self.server)
        if loop in self._has_entered:
            await LIFESPANS.leave(self.server)  # it is counted once
        self._has_entered.add(loop)


async def _handle(server: Server[Any], context: ServerRequestContext[Any, Any]) -> HandlerResult:
    """Return what the handler of a server answers."""
    entry = server.get_request_handler(context.method)
    if entry is None and context.method == "completion/complete":
        # announced for every server: no public name says whether it has a handler
        return as_sent(types.CompleteResult(completion=types.Completion(values=[])))
    if entry is None and context.method == "skills/list":  # a server of files that are skills lists none
        return {"skills": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    if entry is None:
        raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found", data=context.method)
    # from `context`, in which middleware may have changed them
    params = entry.params_type.model_validate(context.params or {}, by_name=False)
    result = await entry.handler(context, params)
    hint = server.cache_hints.get(context.method)
    if hint is not None and isinstance(result, types.CacheableResult):
        result = apply_cache_hint(result, hint)
    return as_sent(result)


def own_middleware(server: Server[Any]) -> list[ServerMiddleware[Any]]:
    """Return the middleware that a server's author or framework has added, the outermost first."""
    # the SDK's own write spans and seal states, which the server around does
    return [each for each in server.middleware if not type(each).__module__.startswith("mcp.")]


def within_middleware(server: Server[Any], handle: CallNext) -> CallNext:
    """Return `handle` within the server's own middleware."""
    for each in reversed(own_middleware(server)):
        handle = partial(_apply, each, handle)
    return handle


def as_sent(result: HandlerResult | types.ErrorData) -> dict[str, Any]:
    """Return a handler's result as the SDK gives it to middleware. Raises MCPError for an error."""
    if isinstance(result, types.ErrorData):
        raise MCPError.from_error_data(result)
    return as_json(result)


async def _apply(
    middleware: ServerMiddleware[Any], handle: CallNext, context: ServerRequestContext[Any, Any]
) -> HandlerResult:
    return await middleware(context, handle)
