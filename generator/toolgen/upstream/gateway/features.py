"""Resources, resource templates, prompts, completions and skills of an upstream, served on unchanged."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Collection, Mapping
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.context import HandlerResult
from mcp.shared.exceptions import MCPError
from pydantic.alias_generators import to_snake

from toolgen.runtime.errors import ToolError
from toolgen.serving.auth.grant import headers_of, principal_of
from toolgen.serving.features import NAMES, SkillParams, subject_of
from toolgen.serving.held_questions import Exchange, Requester

from .firewall import Subject
from .forwarding import forward, forwarded_meta, without_stamps
from .upstream import Upstream
from .upstream_connection import Connection

_REQUESTS: Final[Mapping[str, type[types.Request[Any, Any]]]] = {
    "resources/list": types.ListResourcesRequest,
    "resources/templates/list": types.ListResourceTemplatesRequest,
    "resources/read": types.ReadResourceRequest,
    "prompts/list": types.ListPromptsRequest,
    "prompts/get": types.GetPromptRequest,
    "completion/complete": types.CompleteRequest,
    "skills/list": types.PaginatedRequest[str],
    "skills/get": types.Request[SkillParams, str],
}
_OF_OLDER_SERVERS: Final = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What results must have since 2026-07-28: nothing says that another client would get the same."""


class ForwardedFeatures:
    """What an upstream has besides tools: `features` of a module in `_features`.

    A resource, template or prompt that differs from the lock in a way that breaks or misleads callers is left
    out of lists, and refused. New ones are served, with a record in the log.

    Args:
        upstream: the server.
        serves: what is served: "resources" (with templates), "prompts", "completions", "skills".
        scopes: that callers need for all of it. None by default.
        timeout: seconds that a request may take. 60 by default.

    Example:
        features = ForwardedFeatures(SHOP, serves=["prompts", "resources"])
    """

    def __init__(
        self,
        upstream: Upstream,
        *,
        serves: Collection[str],
        scopes: Collection[str] = (),
        timeout: float = 60.0,
    ) -> None:
        self.upstream = upstream
        self.name = upstream.lock.stem
        self.serves = frozenset(serves)
        self.scopes = frozenset(scopes)
        self.timeout = timeout
        upstream.has_features = True
        self._is_entered: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()

    async def answer(self, context: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        """Return the result of the upstream, without what differs from the lock."""
        self._enter()
        requester = _requester(context, params)
        try:
            return await self._forwarded(context, params, requester)
        except ToolError as error:
            data = {"code": error.code, "details": error.details} if error.details else {"code": error.code}
            raise MCPError(code=types.INTERNAL_ERROR, message=error.message, data=data) from None

    async def _forwarded(
        self, context: ServerRequestContext[Any, Any], params: Any, requester: Requester
    ) -> dict[str, Any]:
        kind, subject = _REQUESTS[context.method], None
        if context.method not in NAMES:
            methods, name = subject_of(params)
            subject = Subject(to_snake(NAMES[methods[0]][0]), name)

        async def send(connection: Connection, params: Any, exchange: Exchange) -> dict[str, Any]:
            return await connection.forward(kind(method=context.method, params=params), exchange, subject)

        sent = params.model_copy(update={"meta": forwarded_meta(self.upstream, context.meta)})
        # reading changes nothing, so that it may be repeated
        found = without_stamps(await forward(self.upstream, requester, sent, send, may_repeat=True))
        if requester.is_modern:
            found = {**_OF_OLDER_SERVERS, **found} if "resultType" not in found else found
        if context.method not in NAMES:
            return found
        key, _ = NAMES[context.method]
        judged = self.upstream.firewall.verdict
        verdicts = [(each, await judged(to_snake(key), each)) for each in found[key]]
        return {**found, key: [each for each, why in verdicts if why is None]}

    def _enter(self) -> None:
        loop = asyncio.get_running_loop()
        if loop not in self._is_entered:
            self._is_entered.add(loop)
            self.upstream.enter()

    async def close(self) -> None:
        """Close the connections of this event loop, unless tools use them."""
        loop = asyncio.get_running_loop()
        if loop in self._is_entered:
            self._is_entered.discard(loop)
            await self.upstream.leave()


def _requester(context: ServerRequestContext[Any, Any], params: Any) -> Requester:
    access = get_access_token()

    async def progress(progress: float, total: float | None, message: str | None) -> None:
        await context.session.report_progress(progress, total, message)

    principal = None if access is None else principal_of(access)
    return Requester(context, params, progress, principal, headers=headers_of(context))
