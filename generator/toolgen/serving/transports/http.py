"""The server as an ASGI application, for any ASGI server, or mounted in another application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types import HEADER_MISMATCH
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

from toolgen.runtime.instrumentation.conventions import STREAMS
from toolgen.runtime.instrumentation.export import start_export
from toolgen.runtime.instrumentation.metrics import current_metrics, observe
from toolgen.runtime.logs.configure import configure_application_logging
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError, Settings
from toolgen.serving.auth.configuration import (
    Authentication,
    authentication_of,
    check_exposure,
)
from toolgen.serving.auth.grant import refused_tools
from toolgen.serving.calls_in_flight import STOPPING, STOPPING_CODE
from toolgen.serving.server import ToolServer, check_implementations, complete_identity

from .body import (
    INVALID_ID,
    INVALID_REQUEST,
    AsgiRequest,
    Message,
    MessageHead,
    Receive,
    RefusedError,
    Scope,
    Send,
    answering,
    check_containers,
    parse_head,
    read_body,
    read_id,
    replay,
    send_refusal,
)
from .guard import BearerGuard, LoopbackGuard, RequestLimit, transport_security
from .http_sessions import SESSION_HEADER, Endpoint, HttpSessions
from .missed_events import MissedEvents
from .probes import answer_probe, is_probe
from .refusals import recording
from .stopping import end_calls, wait_for_first

PATH: Final = "/mcp"
RETRY_SECONDS: Final = "5"
STARTING: Final = "starting"
STOPS: Final = "stopping"
NOT_IDENTIFIED: Final = "no caller is identified, so calls of these tools are refused"

OTHER_BODY_BYTES: Final = 64 * 1024
"""Limit of the body of a request that is not a POST. It has no meaning, and is not passed on."""

_SINGLE: Final = frozenset(
    {b"content-length", b"content-type", b"host", b"idempotency-key", b"last-event-id", b"origin"}
)
_HANDSHAKE: Final = frozenset(version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS)


class Pages(Protocol):
    """What a server answers beside `/mcp`: a page that calls its tools."""

    authentication: Authentication | None  # in place of what the settings say; None: as they say

    def is_public(self, scope: Scope) -> bool:
        """True for a request that needs no token, such as that for the page's own code."""
        ...

    def address(self, server: str) -> str:
        """Return the address of the page, which a user opens, from that of the server."""
        ...

    def prepare(self, security: TransportSecuritySettings) -> None:
        """Note which Host and Origin headers are accepted, in the event loop that serves."""

    def stop(self) -> None:
        """End the streams that are open."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request to another path than `/mcp`."""


class HttpApp:
    """Streamable HTTP at `/mcp`.

    It starts with the first request if it was not started before, because applications do not pass their
    lifespan on to mounted ones. Without authentication, only loopback is served.

    Args:
        server: the server of `build_server`.
        host: the address that is served. The default is None: it is not known, and without authentication
            each request over an address that is not loopback is refused.
        by_command: the command serves it, which configures the process and calls `drain`. The default is
            False: another program serves it.
        pages: answers all other paths. The default is None: there are none.

    Raises:
        SettingError: `host` is not loopback and there is no authentication, or a setting is not valid.

    Example:
        app = FastAPI(lifespan=mcp_app.lifespan)
        app.mount("/tools", mcp_app)
    """

    def __init__(
        self,
        server: ToolServer,
        *,
        host: str | None = None,
        by_command: bool = False,
        pages: Pages | None = None,
    ) -> None:
        self.server = server
        self.authentication = authentication_of(server.state.settings)
        self._events = MissedEvents.from_settings(server.state.settings)
        if host is not None:
            check_exposure(host, server.state.settings, self.authentication)
        # after the check: the token that a page brings along is not meant for other machines
        if self.authentication is None and pages is not None:
            self.authentication = pages.authentication
        self._host = host
        self._pages = pages
        self._by_command = by_command
        self._starting: asyncio.Task[_Running] | None = None
        self._running: _Running | None = None
        self._guard: BearerGuard | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._follow_lifespan(receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1000})
        elif is_probe(scope):
            await self._answer_probe(scope, send)
        else:
            running = self._running
            # an application that is run again, in tests for example, has another event loop
            if running is None or running.loop is not asyncio.get_running_loop():
                running = await self._started()
            send = send if running.why_not_ready is None else closing(send)
            access_log = self.server.state.settings.access_log
            await running.answer(scope, receive, recording(scope, send, access_log=access_log))

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncIterator[None]:
        """Run the server during the lifespan of another application: `FastAPI(lifespan=mcp_app.lifespan)`."""
        await self._started()
        try:
            yield
        finally:
            await self.stop()

    def reload(self) -> None:
        """Read bearer tokens and keys again, for requests from now on.

        A fault is logged, and changes nothing. The keys of an issuer are fetched again, too. The environment
        of a process does not change: new values come from files.
        """
        try:
            settings = Settings.from_environment()
            authentication = authentication_of(settings)
            if (authentication is None) != (self.authentication is None):
                raise SettingError("authentication was turned on or off: restart the server")
            self.server.use_keys(settings)
        except SettingError as error:
            LOGGER.error("tokens and keys were not reloaded: %s", error)
            return
        self.authentication = authentication
        if self._running is not None:
            self._running.guard_again(self._guarded)
        LOGGER.info("tokens and keys were reloaded")

    def announce_stop(self) -> None:
        """Let `/readyz` say that the server stops. Requests are answered as before, until `drain`."""
        if self._running is not None:
            self._running.why_not_ready = STOPS

    async def drain(self, grace: float) -> None:
        """Refuse new requests and answer those in flight; after `grace` seconds, with an error."""
        if self._starting is not None:
            await (await self._starting).drain(grace)

    async def stop(self) -> None:
        """End the server, its sessions and its tools."""
        starting, self._starting, self._running = self._starting, None, None
        if starting is not None:
            await (await starting).stop()

    async def _answer_probe(self, scope: Scope, send: Send) -> None:
        running = self._running
        if running is None or running.loop is not asyncio.get_running_loop():
            # mounted applications start with the first request, which may be this one
            starting = self._begin_start()
            has_started = starting.done() and not starting.cancelled() and starting.exception() is None
            running = starting.result() if has_started else None
        why = STARTING if running is None else running.why_not_ready

        async def is_authenticated() -> bool:
            return self._guard is not None and await self._guard.is_authenticated(scope)

        await answer_probe(scope, send, why_not_ready=why, is_authenticated=is_authenticated)

    async def _start(self) -> _Running:
        if not self._by_command:  # which has done both
            configure_application_logging(self.server.state.settings)
            check_implementations(self.server)
        running = _Running(self.server, self._host, self._guarded, pages=self._pages, events=self._events)
        await running.start()
        return running

    def _guarded(self, answer: Endpoint) -> Endpoint:
        """Return `answer` behind the guard that the settings require; public pages have none."""
        guarded, pages = self._behind_guard(answer), self._pages
        if pages is None:
            return guarded

        async def answer_with_pages(scope: Scope, receive: Receive, send: Send) -> None:
            await (pages if pages.is_public(scope) else guarded)(scope, receive, send)

        return answer_with_pages

    def _behind_guard(self, answer: Endpoint) -> Endpoint:
        state = self.server.state
        if self.authentication is not None:
            self._guard = BearerGuard(answer, self.authentication, lambda: state.tools.scopes)
            return self._guard
        refused = refused_tools(state.toolkit.definitions, frozenset())
        if refused is not None and self._host is None:  # the command prints this itself
            LOGGER.warning("%s: %s", NOT_IDENTIFIED, refused)
        if self._host is not None or state.settings.insecure_no_auth:
            return answer
        return LoopbackGuard(answer)

    def _begin_start(self) -> asyncio.Task[_Running]:
        starting = self._starting
        loop = asyncio.get_running_loop()
        if starting is None or starting.get_loop() is not loop:
            starting = self._starting = loop.create_task(self._start())
        if starting.done() and (starting.cancelled() or starting.exception() is not None):
            self._starting = None  # the next request tries again
        return starting

    async def _started(self) -> _Running:
        # a client that disconnects must not cancel the start for the others
        running = await asyncio.shield(self._begin_start())
        self._running = running
        return running

    async def _follow_lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    if not self._by_command:  # which has begun to export
                        start_export()
                    await self._started()
                except Exception as error:
                    LOGGER.exception("the server could not be started")
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self.stop()
                await send({"type": "lifespan.shutdown.complete"})
                return


class _Running:
    """One run of the server, in one event loop."""

    def __init__(
        self,
        server: ToolServer,
        host: str | None,
        guarded: Callable[[Endpoint], Endpoint],
        *,
        pages: Pages | None,
        events: MissedEvents | None,
    ) -> None:
        state, settings = server.state, server.state.settings
        self.loop = asyncio.get_running_loop()
        self.answer = guarded(self._answer)
        self._state = state
        self._pages = pages
        state.calls.has_own_tasks = True
        security = transport_security(host, settings.allowed_hosts, settings.allowed_origins)
        if pages is not None:
            pages.prepare(security)
        self._security = TransportSecurityMiddleware(security)
        self._app = server.streamable_http_app(
            streamable_http_path=PATH,
            stateless_http=settings.stateless,
            transport_security=security,
            event_store=events,
            max_request_body_size=settings.max_request_bytes,
            # the SDK refuses 0, which a setting may be
            session_idle_timeout=max(settings.session_idle, 0.001),
            # HttpSessions enforces the setting; this is a second limit
            max_sessions=2 * settings.sessions + 100,
        )
        self._manager = server.session_manager
        self._endpoint = self._manager.handle_request
        self._sessions = (
            None
            if settings.stateless
            else HttpSessions(self._endpoint, settings.sessions, settings.session_idle, events)
        )
        self._limit = settings.max_request_bytes
        self._rate_limit = RequestLimit.of(state.toolkit)
        self._in_flight = 0
        self._listening = 0  # streams of clients since 2026-07-28
        observe(STREAMS, self, lambda running: {"": running._listening})
        self._draining = False
        self.why_not_ready: str | None = None
        self._idle = asyncio.Event()  # while draining: nothing is in flight
        self._drained = asyncio.Event()
        self._stop = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._helpers: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start the server in its own task, which must also end it."""
        if (metrics := current_metrics()) is not None:
            self._helpers.append(asyncio.get_running_loop().create_task(metrics.measure_lag()))
        ready = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._run(ready))
        self._task.add_done_callback(lambda _: ready.set())  # it may fail before it is ready
        await ready.wait()
        if self._task.done():
            await self._task

    async def _run(self, ready: asyncio.Event) -> None:
        async with self._manager.run():
            ready.set()
            await self._stop.wait()

    def guard_again(self, guarded: Callable[[Endpoint], Endpoint]) -> None:
        """Guard requests from now on as `guarded` says."""
        self.answer = guarded(self._answer)

    async def stop(self) -> None:
        """End the server."""
        for task in self._helpers:
            task.cancel()
        if self._sessions is not None:
            self._sessions.end_all()
        self._drained.set()
        self._stop.set()
        if self._task is not None:
            await self._task

    async def drain(self, grace: float) -> None:
        """Refuse new requests, answer those in flight, then end the open streams."""
        self.why_not_ready = STOPS
        self._draining = True
        if self._pages is not None:
            self._pages.stop()
        await end_calls(self._state, grace, self._is_idle_within)
        self._drained.set()

    async def _is_idle_within(self, seconds: float) -> bool:
        if self._in_flight:
            try:
                await asyncio.wait_for(self._idle.wait(), seconds)
            except TimeoutError:
                return False
        return True

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        root, path = scope.get("root_path", ""), scope["path"]
        if (path[len(root) :] if root and path.startswith(root) else path) != PATH:
            await (self._pages or self._app)(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if scope["method"] == "POST":
            await self._answer_post(headers, scope, receive, send)
            return
        try:  # the SDK would wait for it without a limit of time
            body = await read_body(headers, receive, min(self._limit, OTHER_BODY_BYTES))
            if body is None:
                return
            _refuse_repeated(scope)
            await self._answer_other(headers.get(SESSION_HEADER), scope, replay(b"", receive), send)
        except RefusedError as refused:
            await send_refusal(refused, None, scope=scope, send=send)

    async def _answer_other(
        self, session_id: bytes | None, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request that is not a POST, without its body."""
        if self._sessions is None or session_id is None or scope["method"] not in ("GET", "DELETE"):
            await self._endpoint(scope, receive, send)
        elif scope["method"] == "GET":
            await self._answer_get(session_id, scope, receive, send)
        else:
            await self._sessions.delete(session_id, AsgiRequest(scope, receive, send))

    async def _answer_post(
        self, headers: Mapping[bytes, bytes], scope: Scope, receive: Receive, send: Send
    ) -> None:
        counted = headers.get(b"mcp-method") != b"subscriptions/listen"  # these are ended by `drain`
        self._in_flight += counted
        self._listening += not counted
        body: bytes | None = b""
        try:
            if self._rate_limit is not None:
                await self._rate_limit.count(scope)
            body = await read_body(headers, receive, self._limit)
            if body is None:
                return
            _refuse_repeated(scope)
            check_containers(body, self._limit)
            if self._draining:
                raise RefusedError(503, STOPPING_CODE, STOPPING, retry_after=RETRY_SECONDS)
            again = replay(body, receive)
            version = headers.get(b"mcp-protocol-version")
            request = AsgiRequest(scope, again, answering(body, send))
            # clients since 2026-07-28 have no session
            if version is not None and version not in _HANDSHAKE:
                await self._endpoint(scope, again, request.send)
            else:
                await self._answer_handshake_client(headers, parse_head(body), request)
        except RefusedError as refused:
            # a body that is too large is not parsed
            found = None if body is None or refused.status == 413 else read_id(body)
            await send_refusal(refused, found, scope=scope, send=send)
        finally:
            self._in_flight -= counted
            self._listening -= not counted
            if self._draining and not self._in_flight:
                self._idle.set()

    async def _answer_handshake_client(
        self, headers: Mapping[bytes, bytes], head: MessageHead, request: AsgiRequest
    ) -> None:
        """Answer a client up to 2025-11-25, in its session unless the server has none."""
        sessions, session_id = self._sessions, headers.get(SESSION_HEADER)
        if head.has_invalid_id:
            raise RefusedError(400, INVALID_REQUEST, INVALID_ID)
        if sessions is None:
            await self._endpoint(request.scope, request.receive, request.send)
        elif session_id is not None:
            request_id = head.id if head.method is not None else None
            if not await sessions.post(session_id, request_id, request):
                raise RefusedError(
                    400, INVALID_REQUEST, "A request with this id is still running in this session."
                )
        # the only request without a session id: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
        elif head.method == "initialize":
            await sessions.open(request)
        else:
            await self._endpoint(request.scope, request.receive, request.send)

    async def _answer_get(self, session_id: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Keep the stream of a session open until the client disconnects or the server stops."""
        assert self._sessions is not None
        if self._draining:
            raise RefusedError(503, STOPPING_CODE, STOPPING, retry_after=RETRY_SECONDS)
        open_body = False

        async def until_stopped() -> Message:
            waits = [asyncio.ensure_future(receive()), asyncio.ensure_future(self._drained.wait())]
            done = await wait_for_first(waits)
            return waits[0].result() if waits[0] in done else {"type": "http.disconnect"}  # type: ignore[return-value]

        async def watch(message: Message) -> None:
            nonlocal open_body
            open_body = message["type"] == "http.response.start" or message.get("more_body", False)
            await send(message)

        # the SDK checks it only in sessions that this process has
        refusal = await self._security.validate_request(Request(scope))
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._sessions.get(session_id, AsgiRequest(scope, until_stopped, watch))
        # the SDK does not end the stream itself when its client seems to have left
        if open_body and self._drained.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def closing(send: Send) -> Send:
    """Return a `send` that asks the client to close the connection, so that it sends nothing more on it."""

    async def send_last(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [each for each in message["headers"] if each[0] != b"connection"]
            message = {**message, "headers": [*headers, (b"connection", b"close")]}
        await send(message)

    return send_last


def _refuse_repeated(scope: Scope) -> None:
    """Raise RefusedError if a header that may appear once is repeated.

    The SDK reads the first of them, this module the last one: they would judge two different requests. The
    code is that of the SDK for clients since 2026-07-28.
    """
    seen: set[bytes] = set()
    for name, _ in scope["headers"]:
        if name in seen and (name in _SINGLE or name.startswith(b"mcp-")):
            raise RefusedError(400, HEADER_MISMATCH, f"The header {name.decode('latin-1')} is repeated.")
        seen.add(name)


def asgi_app(server: ToolServer) -> HttpApp:
    """Return an ASGI application that serves `server` at `/mcp`."""
    complete_identity(server)
    return HttpApp(server)
