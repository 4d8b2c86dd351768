"""What the requests of an MCP server share: its tools, the sessions of its clients, calls in flight."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeVar

import mcp_types as types
from anyio import current_effective_deadline
from mcp.server import Server, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.toolkit import Toolkit

from .current_call import CurrentCall
from .features import FeatureSource
from .held_questions import MAX_HELD, MAX_SCRIPTS, HeldCalls, is_modern
from .tools_list import ToolList

if TYPE_CHECKING:
    from toolgen.runtime.approval.approvals import Approvals
    from toolgen.runtime.rate_limits import RateLimits

Result = TypeVar("Result")

SESSION_HEADER: Final = "mcp-session-id"
CALLED: Final = "toolgen.called"
"""In the ASGI scope: the request has called a tool, and has a record."""
STOPPING_CODE: Final = -32000  # JSON-RPC leaves -32000 to -32099 to servers
STOPPING: Final = "The server is stopping."


@dataclass(frozen=True, slots=True)
class _ClientSession:
    """The toolkit session of one client, and a way to reach it."""

    toolkit: Toolkit
    to_client: ServerSession
    loop: asyncio.AbstractEventLoop


class CallsInFlight:
    """The running tool calls of a server, by task."""

    def __init__(self) -> None:
        # True if all requests run in tasks of a transport of ours, which only scopes of anyio cancel. The
        # tasks of clients in the same process are their own, and asyncio may cancel them, too.
        self.has_own_tasks = False
        self._ending: dict[asyncio.Task[Any], bool] = {}  # True: the server has cancelled the task

    async def run(self, work: Awaitable[Result]) -> Result:
        """Await a call. Raises MCPError if the server ends it early, or if the call cancels its own task."""
        task = asyncio.current_task()
        assert task is not None
        before = task.cancelling()
        self._ending[task] = False
        try:
            return await work
        except asyncio.CancelledError:
            if self._ending[task]:  # its client gets an answer, and the connection goes on
                task.uncancel()
                raise MCPError(code=STOPPING_CODE, message=STOPPING) from None
            if not self.has_own_tasks or current_effective_deadline() == -math.inf:
                raise  # the caller has cancelled: by asyncio, or by a scope around the request
            LOGGER.error("a call ended with a cancellation that no client requested")
            # the task belongs to the transport, which would end with it
            while task.cancelling() > before:
                task.uncancel()
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from None
        finally:
            del self._ending[task]

    def end_all(self) -> None:
        """End the calls of this event loop, because the server stops."""
        running = asyncio.get_running_loop()
        for task in list(self._ending):
            if task.get_loop() is running:
                self._ending[task] = True
                task.cancel()


class ServerState:
    """A toolkit that is served. Raises ValueError if two tools have the same published name."""

    def __init__(self, toolkit: Toolkit, sources: Sequence[FeatureSource] = ()) -> None:
        self.toolkit = toolkit
        self.acting = toolkit  # whose tools run: another one in code mode
        self.sources = sources
        self.tools = ToolList(toolkit)
        self.settings = toolkit.settings
        self.is_lenient = False  # with arguments: see `build_server`
        self.calls = CallsInFlight()
        self.rate_limits: RateLimits | None = None  # opened when the server is built, if there are limits
        self.held: HeldCalls[CurrentCall] = HeldCalls(MAX_SCRIPTS if self.settings.code_mode else MAX_HELD)
        self.stopping = False  # requests are refused
        self.bus = InMemorySubscriptionBus()  # for clients since 2026-07-28
        self.listen = ListenHandler(self.bus)
        self._sessions: dict[str, _ClientSession] = {}  # by id; "": of the client of a pipe
        self._of_only_client: Toolkit | None = None  # None: there may be several clients
        self._loops: list[asyncio.AbstractEventLoop] = []  # one for each run of the server
        self.notices: set[tuple[str, str]] = set()  # sessions, and approvals whose ends they will be told
        self._tasks: set[asyncio.Future[None]] = set()

    @property
    def approvals(self) -> Approvals | None:
        """The approvals of people; None if no tool needs them. Raises SettingError."""
        return self.acting.approvals

    def toolkit_for(self, context: ServerRequestContext[Any, Any]) -> Toolkit:
        """Return the session of the toolkit for the client's session; without one, the toolkit itself.

        Since 2026-07-28 the protocol has no sessions. The calls of an only client share their extras
        nevertheless.
        """
        if is_modern(context):  # a connection does not identify a client
            return self._of_only_client or self.toolkit
        session_id = session_id_of(context)
        if session_id is None and context.request is not None:
            return self.toolkit
        key = session_id or ""
        session = self._sessions.get(key)
        if session is None:
            toolkit = self.toolkit.session(session_id=session_id)
            session = _ClientSession(toolkit, context.session, asyncio.get_running_loop())
            self._sessions[key] = session
            when_session_ends(key, partial(self._sessions.pop, key, None))
            if len(self._sessions) > self.settings.sessions:  # the host does not say which have ended
                session_ended(next(iter(self._sessions)))
        return session.toolkit

    def serve_only_client(self) -> None:
        """Let all calls without a session share their extras: the transport has one client, as stdio has."""
        self._of_only_client = self.toolkit.carrying({})

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
            self._sessions.pop("", None)
            self.held.end_all(id(loop))
            for task in [each for each in self._tasks if each.get_loop() is loop]:
                task.cancel()
            for source in self.sources:
                await _close(source)
            # an ASGI application may run in several event loops; the tools belong to all of them
            if not self._loops:
                await self.toolkit.close()

    def _announce(self) -> None:
        running = asyncio.get_running_loop()
        self.start(self.bus.publish(ToolsListChanged()))
        for session in list(self._sessions.values()):
            if session.loop is running:
                # in separate tasks: a client that does not read must not delay others
                self.start(_notify(session.to_client))

    def start(self, work: Awaitable[None]) -> asyncio.Future[None]:
        """Start work that outlasts the request; the end of the server ends it."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def session_id_of(context: ServerRequestContext[Any, Any]) -> str | None:
    """Return the name of a client's session for tools, records and spans; None without one.

    It is a hash: who knows the id itself can use the session.
    """
    if context.request is None or not context.session.can_send_request:
        return None  # whatever the header says: the request is of no session of the SDK
    found = context.request.headers.get(SESSION_HEADER)
    return None if found is None else hashed(found)


def hashed(session_id: str) -> str:
    """Return the name of the session with an id."""
    return sha256(session_id.encode()).hexdigest()[:32]


_AT_END: Final[dict[str, list[Callable[[], object]]]] = {}  # by session


def when_session_ends(session: str, act: Callable[[], object]) -> None:
    """Call `act` when a session ends, in any thread. `session` is what `session_id_of` returns."""
    _AT_END.setdefault(session, []).append(act)


def session_ended(session: str) -> None:
    """Release what belongs to a session that has ended."""
    for act in _AT_END.pop(session, ()):
        act()


async def _notify(client: ServerSession) -> None:
    try:
        await client.send_tool_list_changed()
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
