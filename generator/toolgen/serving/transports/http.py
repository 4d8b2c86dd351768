"""The server as an ASGI application, for any ASGI server, or mounted in another application."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Protocol

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolgen.runtime.instrumentation.export import start_export
from toolgen.runtime.instrumentation.telemetry import current_metrics
from toolgen.runtime.logs.configure import configure_application_logging
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.process_record import PROCESS
from toolgen.runtime.settings import SettingError, Settings, misspelt_variables
from toolgen.serving.auth.configuration import Authentication, authentication_of, check_exposure
from toolgen.serving.auth.grant import HEADERS, refused_tools
from toolgen.serving.server import ToolServer, check_implementations, complete_identity, report_approvals
from toolgen.serving.server_state import SESSION_HEADER, STOPPING, STOPPING_CODE

from .body import (
    INVALID_ID,
    RefusedError,
    answering,
    as_json,
    check_values,
    has_invalid_id,
    parse_object,
    path_of,
    read_id,
    reads_json_only,
    replay,
    send_refusal,
)
from .guard import (
    ENDPOINT,
    BearerGuard,
    LoopbackGuard,
    allow_pages,
    count_request,
    lower_names,
    transport_security,
)
from .refusals import recording
from .sessions import Sessions
from .stopping import end_calls

if TYPE_CHECKING:
    from toolgen.serving.approval.pages import ApprovalPages

LISTEN: Final = "subscriptions/listen"  # an answer without end
PATHS: Final = (ENDPOINT, f"{ENDPOINT}/")
STARTING: Final = "starting"
STOPS: Final = "stopping"
ALL_ARE_ONE: Final = "callers are not identified, so each can use another's approval: configure --auth-tokens"
NOT_IDENTIFIED: Final = "no caller is identified, so calls of these tools are refused"

NOT_FOUND: Final = PlainTextResponse("Not Found", HTTPStatus.NOT_FOUND)
HEALTH_PATH: Final = "/healthz"
PROBES: Final = (HEALTH_PATH, "/readyz")
"""Answered for any Host, before the guards, with one word. They call no tool and open no connection: a probe
that asks a database ends all replicas when the database is away."""


class Pages(Protocol):
    """What a server answers beside `/mcp`: a page that calls its tools."""

    authentication: Authentication | None  # in place of what the settings say; None: as they say

    def is_public(self, scope: Scope) -> bool:
        """True for a request that needs no token, such as that for the page's own code."""

    def address(self, server: str) -> str:
        """Return the address of the page, which a user opens, from that of the server."""

    def prepare(self, security: TransportSecuritySettings) -> None:
        """Note which Host and Origin headers are accepted, in the event loop that serves."""

    def stop(self) -> None:
        """End the streams that are open."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request to another path than `/mcp`."""


class HttpApp:
    """Streamable HTTP at `/mcp`, while its lifespan runs. Without authentication, only loopback is served.

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
        if host is not None:
            check_exposure(host, server.state.settings, self.authentication)
        # after the check: the token that a page brings along is not meant for other machines
        if self.authentication is None and pages is not None:
            self.authentication = pages.authentication
        self.host, self.pages = host, pages
        self._by_command = by_command
        self._approval_pages: ApprovalPages | None = None  # for tools that people approve
        self._running: _Running | None = None
        self._answer: ASGIApp = NOT_FOUND  # behind the guard, while it runs

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        running = self._running
        if scope["type"] == "lifespan":
            await Router(lifespan=self.lifespan)(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        elif scope["method"] in ("GET", "HEAD") and path_of(scope) in PROBES:
            await self._answer_probe(scope, receive, send)
        elif running is None:
            raise RuntimeError("not started: pass the lifespan, as FastAPI(lifespan=mcp_app.lifespan)")
        elif self._approval_pages is not None and self._approval_pages.is_for(scope):
            # public, and for the host of the approval URL alone; who knows an id can decline
            recorded = {**scope, "path": "/approvals/…"}
            await self._approval_pages(scope, receive, recording(recorded, send))
        else:
            scope = lower_names(scope)
            send = send if running.why_not_ready is None else closing(send)
            await self._answer(scope, receive, recording(scope, send))

    @asynccontextmanager
    async def lifespan(self, app: Any = None) -> AsyncIterator[None]:
        """Run the server during the lifespan of another application: `FastAPI(lifespan=mcp_app.lifespan)`."""
        if not self._by_command:  # which has done all of it
            start_export()
            configure_application_logging(self.server.state.settings)
            for message in misspelt_variables(os.environ):
                LOGGER.warning("%s", message)
            check_implementations(self.server)
            server, settings = self.server, self.server.state.settings
            PROCESS.started(server.name, server.version or "", "asgi", settings, server.catalog)
        if (approvals := self.server.state.approvals) is not None:
            from toolgen.serving.approval.pages import ApprovalPages  # of tools that people approve

            report_approvals(self.server)
            if self.authentication is None:
                LOGGER.warning(ALL_ARE_ONE)
            self._approval_pages = ApprovalPages(approvals)
        running = _Running(self)
        async with running.serving():
            self._running, self._answer = running, self._reached(running.answer)
            try:
                yield
            finally:
                self._running = None
                if not self._by_command:
                    PROCESS.stopped()

    def reload(self) -> None:
        """Read bearer tokens, keys and the file of approvers again, for requests from now on.

        A fault is logged, and changes nothing. The keys of an issuer are fetched again, too. The environment
        of a process does not change: new values come from files.
        """
        try:
            if (approvals := self.server.state.approvals) is not None:
                approvals.reload()
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
            self._answer = self._reached(self._running.answer)
        LOGGER.info("tokens and keys were reloaded")

    def announce_stop(self) -> None:
        """Let `/readyz` say that the server stops. Requests are answered as before, until `drain`."""
        if self._running is not None:
            self._running.why_not_ready = STOPS

    async def drain(self, grace: float) -> None:
        """Refuse new requests and answer those in flight; after `grace` seconds, with an error."""
        if self._running is not None:
            await self._running.drain(grace)

    async def _answer_probe(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 200 to `/healthz` while the event loop runs, 503 to `/readyz` while not ready."""
        why = STARTING if self._running is None else self._running.why_not_ready
        status, word = (HTTPStatus.OK, "ready") if why is None else (HTTPStatus.SERVICE_UNAVAILABLE, why)
        if path_of(scope) == HEALTH_PATH:
            status, word = HTTPStatus.OK, "ok"
        response = PlainTextResponse(f"{word}\n", status, {"cache-control": "no-store"})
        await response(scope, receive, send)

    def _reached(self, answer: ASGIApp) -> ASGIApp:
        """Return `answer` behind the guard; pages of the allowed origins can read what either answers."""
        guarded = self._guarded(answer)
        origins = self.server.state.settings.allowed_origins
        if not origins:
            return guarded
        readable = allow_pages(guarded, origins)

        async def answer_pages(scope: Scope, receive: Receive, send: Send) -> None:
            await (readable if path_of(scope) in PATHS else guarded)(scope, receive, send)

        return answer_pages

    def _guarded(self, answer: ASGIApp) -> ASGIApp:
        """Return `answer` behind the guard that the settings require; public pages have none."""
        state, pages = self.server.state, self.pages
        if self.authentication is not None:
            guarded: ASGIApp = BearerGuard(answer, self.authentication, lambda: state.tools.scopes)
            if pages is None:
                return guarded

            async def answer_with_pages(scope: Scope, receive: Receive, send: Send) -> None:
                await (pages if pages.is_public(scope) else guarded)(scope, receive, send)

            return answer_with_pages
        refused = refused_tools(state.toolkit.definitions, frozenset())
        if refused is not None and self.host is None:  # the command prints this itself
            LOGGER.warning("%s: %s", NOT_IDENTIFIED, refused)
        if self.host is not None or state.settings.insecure_no_auth:
            return answer
        return LoopbackGuard(answer)


class _Running:
    """One run of the server of an application, in one event loop."""

    def __init__(self, app: HttpApp) -> None:
        self._state, self._pages = app.server.state, app.pages
        settings = self._state.settings
        self._state.calls.has_own_tasks = True
        security = transport_security(app.host, settings.allowed_hosts, settings.allowed_origins)
        if self._pages is not None:
            self._pages.prepare(security)
        self._manager = StreamableHTTPSessionManager(
            app.server,
            stateless=settings.stateless,
            security_settings=security,
            max_request_body_size=settings.max_request_bytes,
            # the SDK refuses 0, which a setting may be
            session_idle_timeout=max(settings.session_idle, 0.001),
            max_sessions=settings.sessions,
        )
        self._sessions = Sessions(settings.sessions, settings.session_idle)
        self._limited = RequestBodyLimitMiddleware(self._answer_read, settings.max_request_bytes)
        self._in_flight = 0
        self._draining = False
        self.why_not_ready: str | None = None
        self._idle = asyncio.Event()  # while draining: nothing is in flight

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Answer requests within a context, which ends the sessions and the tools."""
        metrics = current_metrics()
        measuring = None if metrics is None else asyncio.create_task(metrics.measure_lag())
        try:
            async with self._manager.run():
                yield
        finally:
            self._sessions.end_all()
            if measuring is not None:
                measuring.cancel()

    async def drain(self, grace: float) -> None:
        """Refuse new requests, and answer those in flight. Leaving the lifespan would cancel them."""
        self.why_not_ready = STOPS
        self._draining = True
        if self._pages is not None:
            self._pages.stop()
        await end_calls(self._state, grace, self._is_idle_within)

    async def _is_idle_within(self, seconds: float) -> bool:
        if self._in_flight:
            with anyio.move_on_after(seconds):
                await self._idle.wait()
        return not self._in_flight

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        if names := self._state.settings.caller_headers:
            headers = Headers(scope=scope)
            scope[HEADERS] = {name: headers[name] for name in names if name in headers}
        if path_of(scope) not in PATHS:
            await (self._pages or NOT_FOUND)(scope, receive, send)
        elif scope["method"] == "POST":
            await self._answer_post(scope, receive, send)
        else:
            await self._forward(scope, receive, send)

    async def _answer_post(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_listening = Headers(scope=scope).get("mcp-method") == LISTEN
        counted = not is_listening  # these are ended by `drain`
        self._in_flight += counted
        try:
            await count_request(self._state, scope)
            await self._limited(scope, receive, send)
        except RefusedError as refused:
            await send_refusal(refused, None, scope=scope, receive=receive, send=send)
        finally:
            self._in_flight -= counted
            if self._draining and not self._in_flight:
                self._idle.set()

    async def _answer_read(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request whose body is in one message."""
        first = await receive()
        if first["type"] != "http.request" or first.get("more_body"):
            return  # the client has left
        body, again = first["body"], replay(first, receive)
        try:
            check_values(body, self._state.settings.max_request_bytes)
            if self._draining:
                raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, STOPPING, STOPPING_CODE, retry_after="5")
            send, headers = answering(body, send), Headers(scope=scope)
            if reads_json_only(headers.get("accept", "")) and headers.get("mcp-method") != LISTEN:
                send = as_json(scope, send)
            version = headers.get("mcp-protocol-version")
            if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:  # without sessions
                await self._manager.handle_request(scope, again, send)
                return
            message = parse_object(body)
            if has_invalid_id(message):
                raise RefusedError(HTTPStatus.BAD_REQUEST, INVALID_ID)
            await self._forward(scope, again, send, opens=message.get("method") == "initialize")
        except RefusedError as refused:
            # a body that is too large is not parsed
            found = None if refused.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE else read_id(body)
            await send_refusal(refused, found, scope=scope, receive=receive, send=send)

    async def _forward(self, scope: Scope, receive: Receive, send: Send, *, opens: bool = False) -> None:
        """Let the SDK answer a request of a client up to 2025-11-25. `opens`: it may open a session."""
        session_id = Headers(scope=scope).get(SESSION_HEADER)
        has_open_body = False

        async def watch(message: Message) -> None:
            nonlocal has_open_body
            has_open_body = message.get("more_body", message["type"] == "http.response.start")
            await send(message)

        with ExitStack() as stack:
            if session_id is not None:
                stack.enter_context(self._sessions.using(session_id, scope))
            elif opens and not self._manager.stateless:
                stack.enter_context(self._sessions.opening(scope))
            await self._manager.handle_request(scope, receive, self._sessions.watching(scope, watch))
        if has_open_body:  # the stream of a session has no end of its own when the server stops
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def closing(send: Send) -> Send:
    """Return a `send` that asks the client to close the connection, so that it sends nothing more on it."""

    async def send_last(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [each for each in message["headers"] if each[0] != b"connection"]
            message = {**message, "headers": [*headers, (b"connection", b"close")]}
        await send(message)

    return send_last


def asgi_app(server: ToolServer) -> HttpApp:
    """Return an ASGI application that serves `server` at `/mcp`."""
    complete_identity(server)
    return HttpApp(server)
