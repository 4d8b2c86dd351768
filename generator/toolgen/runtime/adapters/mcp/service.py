"""What all requests to one server share: the tools, their list, the conversations, who is told of changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from mcp.server import Server, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolgen.runtime.adapters.naming import wire_names
from toolgen.runtime.confirmation.question import ConfirmationTokens
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.settings import Settings
from toolgen.runtime.toolkit import Toolkit

from .extras import SealedExtras
from .listing import TARGET, for_handshake_era, is_object_schema, served_tools

LOGGER = logging.getLogger("toolgen.runtime")

Tools = list[dict[str, Any]]


class Service:
    """A toolkit that is served. Raises ValueError where two tools are published by one name."""

    def __init__(self, toolkit: Toolkit, name: str = "") -> None:
        settings = toolkit.config.settings or Settings.from_environment()
        self.toolkit = toolkit
        self.extras = SealedExtras(name, settings.confirmation_key)
        self.desk = ConfirmationTokens()
        self.bus = InMemorySubscriptionBus()  # clients since 2026-07-28 listen here
        self._conversations: WeakKeyDictionary[Any, tuple[Toolkit, Any]] = WeakKeyDictionary()
        self._loops: list[asyncio.AbstractEventLoop] = []  # one for each time that the server runs
        self._tasks: set[asyncio.Task[None]] = set()
        self._list(toolkit.definitions)

    def _list(self, definitions: Mapping[str, ToolDefinition]) -> None:
        self._names = wire_names(definitions, TARGET)
        self._modern = served_tools(definitions)
        self._handshake = for_handshake_era(self._modern)
        self._wrapped = {
            name
            for name, tool in zip(definitions, self._modern, strict=True)
            if "outputSchema" in tool and not is_object_schema(tool["outputSchema"])
        }
        self._listed = definitions

    def _refresh(self) -> None:
        definitions = self.toolkit.definitions
        if definitions is self._listed:
            return
        try:
            self._list(definitions)
        except ValueError as error:  # the tool that was added cannot be published: the others still are
            LOGGER.error("the list of tools stays as it was: %s", error)
            self._listed = definitions

    def tools(self, modern: bool) -> Tools:
        """The list as it is now."""
        self._refresh()
        return self._modern if modern else self._handshake

    def wraps(self, wire_name: str) -> bool:
        """Whether clients up to 2025-11-25 know the tool's output as a property of an object."""
        return wire_name in self._wrapped

    def wire_name(self, published: str) -> str:
        """The name of the tool that is published so; any other name as it is."""
        self._refresh()
        return self._names.get(published, published)

    def is_sessionless(self, context: ServerRequestContext[Any, Any]) -> bool:
        """True if nothing is kept from one call of this client to the next: its extras have to travel.

        That is every client since 2026-07-28, and older ones of a server with `--stateless`.
        """
        return is_modern(context) or not context.session.can_send_request

    def toolkit_for(self, context: ServerRequestContext[Any, Any]) -> Toolkit:
        """The toolkit of the client's session, which carries extras; without a session, just the toolkit.

        Since 2026-07-28 the protocol has no sessions.
        """
        # The SDK gives handlers a new proxy for each request, and no public name to what stands behind it.
        connection = getattr(context.session, "_connection", None)
        if connection is None or is_modern(context):
            return self.toolkit
        known = self._conversations.get(connection)
        if known is None:
            known = self._conversations[connection] = (self.toolkit.session(), asyncio.get_running_loop())
        return known[0]

    @asynccontextmanager
    async def running(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """While the server runs: clients are told of changes; when the last run ends, tools are closed."""
        loop = asyncio.get_running_loop()
        self._loops.append(loop)
        forget = self.toolkit.on_change(lambda: _soon(loop, self._announce))
        try:
            yield {}
        finally:
            forget()
            self._loops.remove(loop)
            if not self._loops:
                await self.toolkit.close()

    def _announce(self) -> None:
        task = asyncio.get_running_loop().create_task(self._tell_clients())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell_clients(self) -> None:
        await self.bus.publish(ToolsListChanged())
        here = asyncio.get_running_loop()
        for connection, (_, loop) in list(self._conversations.items()):
            if loop is here:
                try:
                    await connection.send_tool_list_changed()
                except Exception as error:  # it has gone; the others are told
                    LOGGER.debug("a client was not told that the tools changed: %s", error)


class ToolServer(Server[Any]):
    """A low-level server that says in its handshake that its list of tools may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """As the SDK's, with `tools.listChanged`."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client speaks 2026-07-28 or later."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def _soon(loop: asyncio.AbstractEventLoop, work: Any) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(work)
