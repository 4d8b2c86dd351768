"""What the requests of an MCP server share: its tools, the sessions of its clients, calls in flight."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from weakref import WeakKeyDictionary

from mcp.server import Server, ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.toolkit import Toolkit

from .calls_in_flight import CallsInFlight
from .current_call import CurrentCall
from .features import FeatureSource
from .held_questions import MAX_HELD, MAX_SCRIPTS, HeldCalls
from .tool_list import ToolList

CALLED: Final = "toolgen.called"
"""In the ASGI scope: the request has called a tool, and has a record."""


@dataclass(frozen=True, slots=True)
class _ClientSession:
    """The toolkit session of one connection."""

    toolkit: Toolkit
    loop: asyncio.AbstractEventLoop


class ServerState:
    """A toolkit that is served. Raises ValueError if two tools have the same published name."""

    def __init__(self, toolkit: Toolkit, sources: Sequence[FeatureSource] = ()) -> None:
        self.toolkit = toolkit
        self.sources = sources
        self.tools = ToolList(toolkit)
        self.settings = toolkit.settings
        self.calls = CallsInFlight()
        self.held: HeldCalls[CurrentCall] = HeldCalls(MAX_SCRIPTS if self.settings.code_mode else MAX_HELD)
        self.stopping = False  # requests are refused
        self.bus = InMemorySubscriptionBus()  # for clients since 2026-07-28
        self.listen = ListenHandler(self.bus)
        self._sessions: WeakKeyDictionary[Any, _ClientSession] = WeakKeyDictionary()  # by connection
        self._of_only_client: Toolkit | None = None  # None: there may be several clients
        self._loops: list[asyncio.AbstractEventLoop] = []  # one for each run of the server
        self._tasks: set[asyncio.Future[None]] = set()

    def toolkit_for(self, context: ServerRequestContext[Any, Any]) -> Toolkit:
        """Return the session of the toolkit for the client's session; without one, the toolkit itself.

        Since 2026-07-28 the protocol has no sessions. The calls of an only client share their extras
        nevertheless.
        """
        if is_modern(context):  # a connection does not identify a client
            return self._of_only_client or self.toolkit
        connection = lasting_connection(context)
        if connection is None:
            return self.toolkit
        session = self._sessions.get(connection)
        if session is None:
            toolkit = self.toolkit.session(session_id=session_id_of(context))
            session = _ClientSession(toolkit, asyncio.get_running_loop())
            self._sessions[connection] = session
        return session.toolkit

    def serve_only_client(self) -> None:
        """Let all calls without a session share their extras: the transport has one client, as stdio has."""
        self._of_only_client = self.toolkit._carrying({})

    @asynccontextmanager
    async def running(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """Notify clients of changes while the server runs. Close the tools when the last run ends."""
        loop = asyncio.get_running_loop()
        self._loops.append(loop)
        remove = self.toolkit.on_change(lambda: _call_soon(loop, self._announce))
        try:
            yield {}
        finally:
            remove()
            self._loops.remove(loop)
            self.held.end_all(id(loop))
            for source in self.sources:
                await _close(source)
            # an ASGI application may run in several event loops; the tools belong to all of them
            if not self._loops:
                await self.toolkit.close()

    def _announce(self) -> None:
        running = asyncio.get_running_loop()
        self._start(self.bus.publish(ToolsListChanged()))
        for connection, session in list(self._sessions.items()):
            if session.loop is running:
                # in separate tasks: a client that does not read must not delay others
                self._start(_notify(connection))

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    """True if the client uses protocol version 2026-07-28 or later."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def session_id_of(context: ServerRequestContext[Any, Any]) -> str | None:
    """Return the name of a client's session for tools, records and spans; None without one.

    It is a hash: who knows the id itself can use the session.
    """
    session_id = getattr(_connection_of(context), "session_id", None)
    return None if session_id is None else sha256(session_id.encode()).hexdigest()[:32]


def lasting_connection(context: ServerRequestContext[Any, Any]) -> Any:
    """Return the SDK's connection of a client up to 2025-11-25; None if it ends with the request."""
    connection = _connection_of(context)
    is_lasting = connection is not None and (context.request is None or connection.session_id is not None)
    return connection if is_lasting else None


def _connection_of(context: ServerRequestContext[Any, Any]) -> Any:
    """Return the connection of a client, which outlives `context.session`: the SDK has no public name."""
    return getattr(context.session, "_connection", None)


async def _notify(connection: Any) -> None:
    try:
        await connection.send_tool_list_changed()
    except Exception as error:  # the client has disconnected
        LOGGER.debug("a client was not notified that the tools changed: %s", error)


async def _close(source: FeatureSource) -> None:
    try:
        await source.close()
    except Exception as error:  # the tools must be closed, too
        LOGGER.error("closing %s failed", source.name, exc_info=without_text(error))


def _call_soon(loop: asyncio.AbstractEventLoop, work: Any) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(work)
