"""The HTTP server of `python -m <package>.mcp_server --http`."""

from __future__ import annotations

import asyncio
import os
import socket
from types import FrameType
from typing import Final

import uvicorn

from toolgen.escaping.streams import print_message
from toolgen.runtime.adapters.mcp.auth.addresses import is_loopback
from toolgen.runtime.adapters.mcp.auth.grant import refused_tools
from toolgen.runtime.adapters.mcp.server import ToolServer
from toolgen.runtime.execution.threads.event_loop import run_event_loop

from .connections import ConnectionLimit, limited
from .http import NOT_IDENTIFIED, HttpApp
from .stopping import Stop, closed_in_children

IDLE_SECONDS: Final = 75  # for a connection without requests; longer than that of reverse proxies
BACKLOG: Final = 2048


def serve_http(server: ToolServer, host: str, port: int) -> int:
    """Serve streamable HTTP at `/mcp` until a signal arrives; return the exit code."""
    app = HttpApp(server, host=host, follow_signals=False)
    try:
        listening = _listen(host, port)
    except OSError as error:
        number = error.errno or 0  # below zero for names that cannot be resolved
        why = os.strerror(number) if number > 0 else error.strerror
        print_message(f"cannot listen on {host}:{port}: {why}; choose another --port or --host")
        return 2
    connections = ConnectionLimit()
    config = uvicorn.Config(
        app,
        # asyncio accepts so many connections before any of them can make room for itself
        backlog=connections.at_once,
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=1,  # `drain` has waited for the requests
    )
    config.load()
    config.http_protocol_class = limited(config.http_protocol_class, connections)
    shown = f"[{host}]" if ":" in host else host
    print_message(f"serving {server.name} at http://{shown}:{listening.getsockname()[1]}/mcp")
    if app.authentication is None and not is_loopback(host):
        print_message("warning: everyone who reaches this address can call the tools")
    if connections.most < server.state.settings.sessions:
        print_message(
            f"warning: at most {connections.most} connections, fewer than --sessions: raise `ulimit -n`"
        )
    refused = refused_tools(server.state.toolkit.definitions, frozenset())
    if app.authentication is None and refused is not None:
        print_message(f"{NOT_IDENTIFIED}: {refused}; configure --auth-tokens or --auth-issuer")
    uvicorn_server = _Server(config, app, server.state.settings.grace)
    try:
        with closed_in_children(listening.fileno()), uvicorn_server.stop.handling_signals():
            uvicorn_server.run(sockets=[listening])
    finally:
        listening.close()
    return uvicorn_server.stop.exit_code


def _listen(host: str, port: int) -> socket.socket:
    """Listen on an address.

    The socket is created with IPPROTO_TCP, which `socket.create_server` does not set: asyncio sets
    TCP_NODELAY only then, and without it every answer on a connection waits 40 ms for the client's
    acknowledgement.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            # a restarted server must not wait for connections in TIME_WAIT; Windows means another thing by it
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            # `::` would also take the port for IPv4
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


class _Server(uvicorn.Server):
    """uvicorn's server, which waits for calls in flight before it closes connections."""

    def __init__(self, config: uvicorn.Config, app: HttpApp, grace: float) -> None:
        super().__init__(config)
        self.stop = Stop(grace, self._begin_to_stop, self._begin_to_reload)
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
        for each in sockets or ():
            each.listen(BACKLOG)  # asyncio has made the queue as short as what it accepts at once
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
            await self._app.drain(self.stop.grace)
        finally:
            self.should_exit = True
