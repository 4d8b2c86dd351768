"""The HTTP server of `python -m <package>.mcp_server --http`."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from contextlib import ExitStack
from functools import partial
from types import FrameType
from typing import Final
from urllib.parse import urlsplit

import uvicorn

from toolgen.runtime.execution.threads.event_loop import run_event_loop
from toolgen.runtime.instrumentation.export import ServeMetrics
from toolgen.runtime.logs.configure import announce
from toolgen.runtime.process_record import PROCESS
from toolgen.serving.auth.addresses import is_loopback, listen
from toolgen.serving.auth.grant import refused_tools
from toolgen.serving.server import ToolServer, introduce

from .guard import accepts_scrape, transport_security
from .http import NOT_IDENTIFIED, HttpApp, Pages
from .stopping import Stop

IDLE_SECONDS: Final = 75  # for a connection without requests; longer than that of reverse proxies
LAST_SECONDS: Final = 0.5  # of the drain delay: no new connection is accepted, and requests are answered
RESERVE: Final = 8  # one in so many descriptors is for files, databases and connections of tools
LEAST_RESERVE: Final = 32  # descriptors, where one in RESERVE would be fewer
LOCALHOST: Final = ("127.0.0.1", "localhost", "::1")
UNLIMITED: Final = 65_536  # connections, where the system has no limit


def serve_http(
    server: ToolServer,
    host: str,
    port: int,
    *,
    metrics_port: int | None = None,
    serve_metrics: ServeMetrics | None = None,
    pages: Pages | None = None,
) -> int:
    """Serve streamable HTTP at `/mcp`, and `pages`, until a signal arrives; return the exit code.

    `serve_metrics` serves metrics for scrapes at `metrics_port`, if there is one.
    """
    app = HttpApp(server, host=host, by_command=True, pages=pages)
    flag, where = "--port", f"{host}:{port}"
    approvals = server.state.approvals
    has_pages = approvals is not None and _is_address_of_pages(approvals.url, host, port)
    try:
        if has_pages:
            from toolgen.serving.approval.listener import listen_for_pages  # of tools that people approve

            where += ", 127.0.0.1 and ::1, where people open the pages of approvals"
            listening = listen_for_pages(host, port)
        else:
            listening = [listen(host, port)]
        if serve_metrics is not None and metrics_port is not None:
            flag, where = "--metrics-port", f"{host}:{metrics_port}"
            security = transport_security(host, server.state.settings.allowed_hosts, ())
            metrics_port = serve_metrics(host, metrics_port, partial(accepts_scrape, security))
    except OSError as error:
        number = error.errno or 0  # below zero for names that cannot be resolved
        why = os.strerror(number) if number > 0 else error.strerror
        announce(f"cannot listen on {where}: {why}; choose another {flag} or --host", logging.ERROR)
        return 2
    port = listening[0].getsockname()[1]
    if approvals is not None:
        approvals.use_url(f"http://localhost:{port}" if has_pages else None)
    connections = max_connections()
    config = uvicorn.Config(
        app,
        limit_concurrency=connections + 1,  # from which on it refuses
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=1,  # `drain` has waited for the requests
    )
    uvicorn_server = _Server(config, app)
    with ExitStack() as stack:
        for each in listening:
            stack.enter_context(each)
        stack.enter_context(uvicorn_server.stop.handling_signals())  # before anybody is told that it serves
        shown = f"[{host}]" if ":" in host else host
        root = f"http://{shown}:{port}"
        announce(f"serving {server.name} at {root}/mcp", logging.INFO)
        # after the line by which programs find the address
        PROCESS.started(server.name, server.version or "", "http", server.state.settings, server.catalog)
        introduce(server, f"{root}/mcp")
        if pages is not None:
            announce(f"open {pages.address(root)}", logging.INFO)
        if metrics_port is not None:
            announce(f"metrics for everyone who reaches http://{shown}:{metrics_port}/metrics", logging.INFO)
        if app.authentication is None and not is_loopback(host):
            announce("warning: everyone who reaches this address can call the tools")
        if connections < server.state.settings.sessions:
            announce(f"warning: at most {connections} connections, fewer than --sessions: raise `ulimit -n`")
        refused = refused_tools(server.state.toolkit.definitions, frozenset())
        if app.authentication is None and refused is not None:
            announce(f"{NOT_IDENTIFIED}: {refused}; configure --auth-tokens or --auth-issuer")
        uvicorn_server.run(sockets=listening)
    return uvicorn_server.stop.exit_code


def max_connections() -> int:
    """Return how many connections the process may have, beside the descriptors that tools need."""
    if sys.platform == "win32":
        return UNLIMITED
    import resource  # not on Windows

    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if descriptors == resource.RLIM_INFINITY:
        return UNLIMITED
    return int(max(1, descriptors - max(LEAST_RESERVE, descriptors // RESERVE)))


def _is_address_of_pages(url: str | None, host: str, port: int) -> bool:
    """True if browsers that open approvals at `url`, or by default at localhost, reach this port."""
    if url is None:
        return host in LOCALHOST
    parts = urlsplit(url)
    return parts.scheme == "http" and (parts.port or 80) == port


class _Server(uvicorn.Server):
    """uvicorn's server, which waits for calls in flight before it closes connections."""

    def __init__(self, config: uvicorn.Config, app: HttpApp) -> None:
        super().__init__(config)
        settings = app.server.state.settings
        self.stop = Stop(
            settings.grace, self._begin_to_stop, self._begin_to_reload, delay=settings.drain_delay
        )
        self._app = app
        self._loop: asyncio.AbstractEventLoop | None = None
        self._draining: asyncio.Task[None] | None = None

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal arrives. A tool's own task that exits does not end the server."""
        run_event_loop(lambda: self.serve(sockets), loop_factory=self.config.get_loop_factory())

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and note the event loop."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.stop.signal is not None:  # it arrived before the loop was known
            self._drain()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal in place of uvicorn, which would close the streams of sessions at once."""
        self.stop.handle(sig, frame)

    def _begin_to_stop(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._drain)

    def _begin_to_reload(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._app.reload)

    def _drain(self) -> None:
        if self._draining is None:
            self._draining = asyncio.get_running_loop().create_task(self._drain_and_exit())

    async def _drain_and_exit(self) -> None:
        try:
            self._app.announce_stop()
            if self.stop.delay:
                last = min(LAST_SECONDS, self.stop.delay / 2)
                await asyncio.sleep(self.stop.delay - last)
                # a proxy then tries another replica: nothing was sent on a refused connection
                for each in self.servers:
                    each.close()
                await asyncio.sleep(last)  # what was sent before is answered, not refused
            await self._app.drain(self.stop.grace)
        finally:
            self.should_exit = True
