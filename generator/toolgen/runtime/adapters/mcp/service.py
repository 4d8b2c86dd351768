"""The state of a server: the list of tools and its pages, sessions, calls in flight."""

from __future__ import annotations

import asyncio
import json
import math
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from anyio import current_effective_deadline
from mcp.server import Server, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolgen.runtime.adapters.naming import wire_names
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.isolation.exceptions import current_task
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError
from toolgen.runtime.toolkit import Toolkit

from .auth.grant import scopes_of
from .extras import SealedExtras
from .linked_blocks import LinkedBlocks
from .listing import TARGET, for_handshake_era, is_object_schema, served_tools
from .result import StructuredForm

Tools = list[dict[str, Any]]
Result = TypeVar("Result")

STOPPING_CODE: Final = -32000  # JSON-RPC leaves -32000 to -32099 to servers
STOPPING: Final = "The server is stopping."
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
MIRRORS: Final = '"x-mcp-header"'  # keyword of an argument that is also sent as a header
CACHED_LISTS: Final = 64  # lists of tools for different scopes


@dataclass(frozen=True, slots=True)
class ToolListPage:
    """One page of the list of tools."""

    tools: Tools
    next_cursor: str | None  # None: this is the last page


@dataclass(frozen=True, slots=True)
class _ClientSession:
    """The toolkit session of one connection."""

    toolkit: Toolkit
    loop: asyncio.AbstractEventLoop


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool that clients call by its published name."""

    name: str  # wire name
    definition: ToolDefinition
    confirms: bool  # the user is asked first
    streams: bool
    has_output_schema: bool
    mirrored_schema: Mapping[str, Any] | None  # None: no argument is also sent as a header


class Service:
    """A toolkit that is served. Raises ValueError if two tools have the same published name."""

    def __init__(self, toolkit: Toolkit, name: str = "toolgen") -> None:
        self.toolkit = toolkit
        self.extras = SealedExtras(name, toolkit.settings.confirmation_key)
        self.settings = toolkit.settings
        self.links = LinkedBlocks(toolkit.settings)
        self.calls = CallsInFlight()
        self.serves_links = False  # clients can read resources
        self.stopping = False  # requests are refused
        self.bus = InMemorySubscriptionBus()  # for clients since 2026-07-28
        self.listen = ListenHandler(self.bus)
        self._sessions: WeakKeyDictionary[Any, _ClientSession] = WeakKeyDictionary()  # by connection
        self._of_only_client: Toolkit | None = None  # None: there may be several clients
        self._loops: list[asyncio.AbstractEventLoop] = []  # one for each run of the server
        self._tasks: set[asyncio.Future[None]] = set()
        self._called: dict[str, ServedTool] = {}  # the tools that have been called, by published name
        self._publish(toolkit.definitions)

    def _publish(self, definitions: Mapping[str, ToolDefinition]) -> None:
        self._names = wire_names(definitions, TARGET)
        self._modern = served_tools(definitions)
        self._handshake = for_handshake_era(self._modern)
        self._wrapped = {
            name
            for name, tool in zip(definitions, self._modern, strict=True)
            if "outputSchema" in tool and not is_object_schema(tool["outputSchema"])
        }
        self._needed = [scopes_of(definition) for definition in definitions.values()]
        self._scopes = frozenset[str]().union(*self._needed)  # that any tool needs
        self._allowed: dict[tuple[bool, frozenset[str]], Tools] = {}
        self._listed = definitions

    def _refresh(self) -> None:
        definitions = self.toolkit.definitions
        if definitions is self._listed:
            return
        self._called.clear()
        try:
            self._publish(definitions)
        except ValueError as error:  # a tool was added that cannot be published
            LOGGER.error("the list of tools stays as it was: %s", error)
            self._listed = definitions

    @property
    def scopes(self) -> list[str]:
        """The scopes that tools need, sorted. If there are any, callers may see different lists."""
        self._refresh()
        return sorted(self._scopes)

    def tools(self, modern: bool, granted: frozenset[str] | None = None) -> Tools:
        """Return the current list: the tools that the scopes `granted` allow, or all if it is None."""
        self._refresh()
        tools = self._modern if modern else self._handshake
        if granted is None or self._scopes <= granted:
            return tools
        key = (modern, granted & self._scopes)
        allowed = self._allowed.get(key)
        if allowed is None:
            if len(self._allowed) >= CACHED_LISTS:
                self._allowed.clear()
            allowed = [tool for tool, needed in zip(tools, self._needed, strict=True) if needed <= granted]
            self._allowed[key] = allowed
        return allowed

    def page(self, modern: bool, cursor: str | None, granted: frozenset[str] | None = None) -> ToolListPage:
        """Return one page of the list that `tools` returns.

        A cursor contains the name of the last tool of its page, so that no tool is skipped while others are
        added. Raises MCPError for a cursor whose tool is not in the list.
        """
        tools, size = self.tools(modern, granted), self.settings.page_size
        start = 0 if cursor is None else self._after(tools, cursor)
        page = tools[start : start + size]
        more = start + size < len(tools)
        return ToolListPage(page, _cursor_of(page[-1]["name"]) if more else None)

    def _after(self, tools: Tools, cursor: str) -> int:
        with suppress(ValueError):
            last = urlsafe_b64decode(cursor).decode()
            for index, tool in enumerate(tools):
                if tool["name"] == last:
                    return index + 1
        raise MCPError(code=INVALID_PARAMS, message="Invalid cursor: list the tools from the start")

    def structured_form(self, context: ServerRequestContext[Any, Any], tool: ServedTool) -> StructuredForm:
        """Return the form of a tool's structured content for the client of a request."""
        if not tool.has_output_schema:
            return "none"
        return "wrapped" if tool.name in self._wrapped and not is_modern(context) else "unwrapped"

    def wire_name(self, published: str) -> str:
        """Return the wire name of a published name; an unknown name unchanged."""
        self._refresh()
        return self._names.get(published, published)

    def find(self, published: str) -> ServedTool | None:
        """Return the tool with a published name or an alias; None if there is none."""
        self._refresh()
        tool = self._called.get(published)
        if tool is None:
            definition = self.toolkit.definition_of(self._names.get(published, published))
            if definition is None:
                return None
            tool = self._called[published] = _served_tool(definition)
        return tool

    def mirrored_schema(self, published: str) -> Mapping[str, Any] | None:
        """Return the input schema of a tool if some of its arguments are also sent as headers.

        None for all others, so that the SDK does not search their schemas for such arguments in every call.
        """
        tool = self.find(published)
        return None if tool is None else tool.mirrored_schema

    def is_sessionless(self, context: ServerRequestContext[Any, Any]) -> bool:
        """True if the client has no session, so that extras are sent to it.

        That is every client since 2026-07-28, and older ones of a server with `--stateless`.
        """
        return is_modern(context) or not context.session.can_send_request

    def toolkit_for(self, context: ServerRequestContext[Any, Any]) -> Toolkit:
        """Return the session of the toolkit for the client's session; without one, the toolkit itself.

        Since 2026-07-28 the protocol has no sessions. The calls of an only client share their extras
        nevertheless.
        """
        # handlers get a new proxy for each request; the SDK has no public name for the connection
        connection = getattr(context.session, "_connection", None)
        if connection is None or is_modern(context):
            return self._of_only_client or self.toolkit
        session_id: str | None = connection.session_id
        if context.request is not None and session_id is None:
            return self.toolkit  # stateless HTTP: the connection ends with the request
        session = self._sessions.get(connection)
        if session is None:
            toolkit = self.toolkit.session(session_id=session_id and _loggable(session_id))
            session = _ClientSession(toolkit, asyncio.get_running_loop())
            self._sessions[connection] = session
        return session.toolkit

    def serve_only_client(self) -> None:
        """Let all calls without a session share their extras: the transport has one client, as stdio has."""
        self._of_only_client = self.toolkit._carrying({})

    def keeps_extras(self, context: ServerRequestContext[Any, Any]) -> bool:
        """True if the extras of a call reach the client's next call without its help."""
        return self.toolkit_for(context) is not self.toolkit

    @asynccontextmanager
    async def running(self, _: Server[Any]) -> AsyncIterator[dict[str, Any]]:
        """Notify clients of changes while the server runs. Close the tools when the last run ends."""
        loop = asyncio.get_running_loop()
        self._loops.append(loop)
        remove_listener = self.toolkit.on_change(lambda: _call_soon(loop, self._announce))
        try:
            yield {}
        finally:
            remove_listener()
            self._loops.remove(loop)
            if not self._loops:
                await self.toolkit.close()

    def _announce(self) -> None:
        running = asyncio.get_running_loop()
        self._start(self.bus.publish(ToolsListChanged()))
        for connection, session in list(self._sessions.items()):
            if (
                session.loop is running
            ):  # in separate tasks: a client that does not read must not delay others
                self._start(_notify(connection))

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class CallsInFlight:
    """The running tool calls of a server, by task."""

    def __init__(self) -> None:
        # True if all requests run in tasks of a transport of ours, which only scopes of anyio cancel. The
        # tasks of clients in the same process are their own, and asyncio may cancel them, too.
        self.has_own_tasks = False
        self._reasons: dict[
            asyncio.Task[Any], str | None
        ] = {}  # why the server ends the call; None: it does not

    async def run(self, work: Awaitable[Result]) -> Result:
        """Await a call. Raises MCPError if the server ends it early, or if the call cancels its own task."""
        task = current_task()
        assert task is not None
        before = task.cancelling()
        self._reasons[task] = None
        try:
            return await work
        except asyncio.CancelledError:
            reason = self._reasons[task]
            if reason is not None:
                task.uncancel()
                raise MCPError(code=STOPPING_CODE, message=reason) from None
            if not self.has_own_tasks or current_effective_deadline() == -math.inf:
                raise  # the caller has cancelled: by asyncio, or by a scope around the request
            LOGGER.error("a call ended with a cancellation that no client requested")
            while task.cancelling() > before:
                task.uncancel()
            raise MCPError(code=INTERNAL_ERROR, message="Internal error") from None
        finally:
            del self._reasons[task]

    def end(self, task: asyncio.Task[Any], reason: str) -> None:
        """End the call of `task` if it is running."""
        if task in self._reasons:
            self._reasons[task] = reason
            task.cancel()

    def end_all(self) -> None:
        """End the calls of this event loop, because the server stops."""
        running = asyncio.get_running_loop()
        for task in list(self._reasons):
            if task.get_loop() is running:
                self.end(task, STOPPING)


class ToolServer(Server[Any]):
    """A low-level server with the capability `tools.listChanged`."""

    service: Service

    catalog: Any = None  # of the toolkit, if it was made from one

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return the SDK's options, with `tools.listChanged`."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def check_implementations(server: ToolServer) -> None:
    """Log which implementations do not load.

    With `strict_start`, imports all of them; raises SettingError, with which the server must not start, if
    one does not load. Does nothing for a toolkit of the application.
    """
    if server.catalog is None:
        return
    from toolgen.runtime.implementations.check import refuse_faults, warn_of_faults

    if not server.service.settings.strict_start:
        warn_of_faults(server.catalog)
    elif not refuse_faults(server.catalog):
        raise SettingError("not started: an implementation does not load, and --strict-start is set")


def _served_tool(definition: ToolDefinition) -> ServedTool:
    schema = definition["input_schema"]
    return ServedTool(
        definition["name"],
        definition,
        confirms="confirm" in definition,
        streams="stream" in definition,
        has_output_schema="output_schema" in definition,
        mirrored_schema=schema if MIRRORS in json.dumps(schema) else None,
    )


def is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    """True if the client uses protocol version 2026-07-28 or later."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


def _cursor_of(name: str) -> str:
    return urlsafe_b64encode(name.encode()).decode()


async def _notify(connection: Any) -> None:
    try:
        await connection.send_tool_list_changed()
    except Exception as error:  # the client has disconnected
        LOGGER.debug("a client was not notified that the tools changed: %s", error)


def _call_soon(loop: asyncio.AbstractEventLoop, work: Any) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(work)


def _loggable(session_id: str) -> str:
    """Return the name of a session for tools and log records: who knows the id itself can use the session."""
    return sha256(session_id.encode()).hexdigest()[:32]
