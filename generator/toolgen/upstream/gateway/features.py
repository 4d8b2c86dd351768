"""Resources, resource templates, prompts and completions of an upstream, served on unchanged."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.context import HandlerResult
from mcp.server.subscriptions import PromptsListChanged, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolgen.runtime.errors import ToolError
from toolgen.runtime.logs.logger import LOGGER
from toolgen.serving.auth.grant import principal_of
from toolgen.serving.features import Publish
from toolgen.serving.held_questions import Exchange, Requester
from toolgen.serving.server_state import lasting_connection

from .connection import Connection
from .firewall import Subject
from .forwarding import forward, forwarded_meta, without_stamps
from .upstream import Upstream

_REQUESTS: Final[Mapping[str, type[types.Request[Any, Any]]]] = {
    "resources/list": types.ListResourcesRequest,
    "resources/templates/list": types.ListResourceTemplatesRequest,
    "resources/read": types.ReadResourceRequest,
    "prompts/list": types.ListPromptsRequest,
    "prompts/get": types.GetPromptRequest,
    "completion/complete": types.CompleteRequest,
}
_LISTS: Final = {
    "resources/list": ("resources", "resources"),
    "resources/templates/list": ("resource_templates", "resourceTemplates"),
    "prompts/list": ("prompts", "prompts"),
}
"""Method → the list in `Listing`, and its key in the result."""

_SUBSCRIBE_SECONDS: Final = 10.0  # that an upstream may take before its client listens without it
_OF_OLDER_SERVERS: Final = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What results must have since 2026-07-28: nothing says that another client would get the same."""


class ForwardedFeatures:
    """What an upstream has besides tools: `features` of a module in `_features`.

    A resource, template or prompt that differs from the lock in a way that breaks or misleads callers is left
    out of lists, and refused. New ones are served, with a record in the log.

    Args:
        upstream: the server.
        serves: what it announces, as in MCP: "completions", "prompts", "resources", "prompts.listChanged",
            "resources.listChanged", "resources.subscribe".
        legacy_serves: the same for clients up to 2025-11-25, if it differs.
        scopes: that callers need for all of it. None by default.
        timeout: seconds that a request may take. 60 by default.

    Example:
        features = ForwardedFeatures(SHOP, serves=["prompts", "resources", "resources.subscribe"])
    """

    def __init__(
        self,
        upstream: Upstream,
        *,
        serves: Collection[str],
        legacy_serves: Collection[str] | None = None,
        scopes: Collection[str] = (),
        timeout: float = 60.0,
    ) -> None:
        self.upstream = upstream
        self.name = upstream.lock.stem
        self.serves = frozenset(serves)
        self.legacy_serves = self.serves if legacy_serves is None else frozenset(legacy_serves)
        self.scopes = frozenset(scopes)
        self.timeout = timeout
        upstream.has_features = True
        self._is_entered: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()
        self._sending: set[asyncio.Task[None]] = set()

    def capabilities(self, protocol_version: str | None) -> types.ServerCapabilities:
        """Return what the upstream announced when it was imported. Nothing is connected for it."""
        is_modern = protocol_version in MODERN_PROTOCOL_VERSIONS
        serves = self.serves if is_modern else self.legacy_serves
        if self.upstream.shared and not is_modern:  # nothing says whose changes they are
            serves = frozenset(each for each in serves if "." not in each)
        prompts = types.PromptsCapability(list_changed="prompts.listChanged" in serves)
        resources = types.ResourcesCapability(
            subscribe="resources.subscribe" in serves, list_changed="resources.listChanged" in serves
        )
        return types.ServerCapabilities(
            prompts=prompts if "prompts" in serves else None,
            resources=resources if "resources" in serves else None,
            completions=types.CompletionsCapability() if "completions" in serves else None,
        )

    async def answer(self, context: ServerRequestContext[Any, Any], params: Any) -> HandlerResult:
        """Return the result of the upstream, without what differs from the lock."""
        self._enter()
        requester = _requester(context, params)
        try:
            if context.method in _REQUESTS:
                return await self._forwarded(context, params, requester)
            async with self.upstream.connection(requester) as connection:
                self._hear(connection, context)
                uri, exchange = str(params.uri), Exchange(requester)
                if context.method == "resources/unsubscribe":
                    await connection.unsubscribe(uri, exchange)
                elif not connection.is_subscribed(uri):
                    await connection.subscribe(uri, exchange)
            return {}
        except ToolError as error:
            data = {"code": error.code, "details": error.details} if error.details else {"code": error.code}
            raise MCPError(code=types.INTERNAL_ERROR, message=error.message, data=data) from None

    async def _forwarded(
        self, context: ServerRequestContext[Any, Any], params: Any, requester: Requester
    ) -> dict[str, Any]:
        kind, subject = _REQUESTS[context.method], _subject(params)

        async def send(connection: Connection, params: Any, exchange: Exchange) -> dict[str, Any]:
            self._hear(connection, context)
            return await connection.request(kind(method=context.method, params=params), exchange, subject)

        sent = params.model_copy(update={"meta": forwarded_meta(context.meta)})
        # reading changes nothing, so that it may be repeated
        found = without_stamps(await forward(self.upstream, requester, sent, send, may_repeat=True))
        if requester.is_modern:
            found = {**_OF_OLDER_SERVERS, **found} if "resultType" not in found else found
        if context.method not in _LISTS:
            return found
        key, name = _LISTS[context.method]
        verdicts = [(each, await self.upstream.firewall.verdict(key, each)) for each in found[name]]
        return {**found, name: [each for each, why in verdicts if why is None]}

    def listen(self, publish: Publish) -> Callable[[], None]:
        """Return a function that does nothing: each client that listens has changes of its own."""
        return lambda: None

    @asynccontextmanager
    async def listening(
        self, context: ServerRequestContext[Any, Any], wanted: types.SubscriptionFilter, publish: Publish
    ) -> AsyncIterator[None]:
        """Subscribe for a client since 2026-07-28, over its connection to the upstream, while it listens."""
        uris = wanted.resource_subscriptions or []
        lists = {
            "prompts": wanted.prompts_list_changed,
            "resources": wanted.resources_list_changed or uris,
        }
        if not any(each and key in self.serves for key, each in lists.items()):
            yield
            return
        self._enter()
        requester, key = _requester(context, None), object()
        exchange = Exchange(requester)
        async with AsyncExitStack() as stack:
            connection = await stack.enter_async_context(self.upstream.connection(requester))
            connection.add_listener(key, publish)
            stack.callback(connection.listeners.pop, key, None)
            try:
                # other sources, and the answer to the client, wait for it
                async with asyncio.timeout(_SUBSCRIBE_SECONDS):
                    await connection.open()
                    for uri in dict.fromkeys(map(str, uris)):
                        with suppress(MCPError):  # as for a resource that does not exist: it never changes
                            await connection.subscribe(uri, exchange)
                            stack.push_async_callback(self._unsubscribe, connection, uri, exchange)
            except (ToolError, TimeoutError) as error:
                why = error.message if isinstance(error, ToolError) else "it does not answer in time"
                LOGGER.warning("%s does not say what changes: %s", self.name, why)
            yield

    async def _unsubscribe(self, connection: Connection, uri: str, exchange: Exchange) -> None:
        with suppress(MCPError, ToolError):
            await connection.unsubscribe(uri, exchange)

    def _hear(self, connection: Connection, context: ServerRequestContext[Any, Any]) -> None:
        """Send changes to a client up to 2025-11-25 from now on."""
        if context.protocol_version in MODERN_PROTOCOL_VERSIONS or self.upstream.shared:
            return
        client = lasting_connection(context)
        if client is None or self in connection.listeners:
            return
        found = weakref.ref(client)

        def send(event: ServerEvent) -> None:
            target = found()
            if target is not None:
                task = asyncio.ensure_future(_send(target, event))
                self._sending.add(task)
                task.add_done_callback(self._sending.discard)

        connection.add_listener(self, send)

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

    return Requester(context, params, progress, None if access is None else principal_of(access))


def _subject(params: Any) -> Subject | None:
    """Return what a request is about; None if it lists."""
    match params:
        case types.ReadResourceRequestParams():
            return Subject("resources", str(params.uri))
        case types.GetPromptRequestParams():
            return Subject("prompts", params.name)
        case types.CompleteRequestParams(ref=types.PromptReference() as prompt):
            return Subject("prompts", prompt.name)
        case types.CompleteRequestParams(ref=types.ResourceTemplateReference() as template):
            return Subject("resource_templates", str(template.uri))
    return None


async def _send(client: Any, event: ServerEvent) -> None:
    try:
        if isinstance(event, ResourceUpdated):
            await client.send_resource_updated(event.uri)
        elif isinstance(event, PromptsListChanged):
            await client.send_prompt_list_changed()
        else:
            await client.send_resource_list_changed()
    except Exception as error:  # the client has disconnected
        LOGGER.debug("a client was not told what has changed: %s", type(error).__name__)
