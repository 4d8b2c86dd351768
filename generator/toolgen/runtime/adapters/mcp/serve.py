"""The transports, and their end: a signal, or a client that has gone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, cast

import anyio
import uvicorn
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from .say import say

GRACE: Final = 3  # seconds that open HTTP streams get to end
LINES_AHEAD: Final = 64  # read from stdin before the server takes them


def serve_stdio(server: Server[Any]) -> int:
    """Serve one client over stdin and stdout until it closes them or a signal comes."""
    return asyncio.run(_serve_stdio(server))


async def _serve_stdio(server: Server[Any]) -> int:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    got: list[int] = []

    def stop(number: int) -> None:
        got.append(number)
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(each)  # whoever sends a second one means it
        if task is not None:
            task.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C ends the process there
            loop.add_signal_handler(number, stop, number)
    with _own_stdin() as descriptor:
        lines = cast("anyio.AsyncFile[str]", _lines(descriptor))  # all that is asked of it is to be iterated
        try:
            async with stdio_server(stdin=lines) as (reading, writing):
                sys.stdout.flush()  # fd 1 is stderr now: what was printed before must not follow the protocol
                with contextlib.redirect_stdout(sys.stderr):
                    await server.run(reading, writing, server.create_initialization_options())
        except asyncio.CancelledError:
            if not got:
                raise
    return 130 if signal.SIGINT in got else 0


@contextlib.contextmanager
def _own_stdin() -> Iterator[int]:
    """Stdin by a descriptor of our own; tools that read stdin find it empty, not the protocol."""
    descriptor = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        yield descriptor
    finally:
        os.dup2(descriptor, 0)


async def _lines(descriptor: int) -> AsyncIterator[str]:
    """Lines as they come, read by a thread that nobody has to wait for when the server is to stop."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[str | None] = asyncio.Queue(LINES_AHEAD)

    def read() -> None:
        with (
            contextlib.suppress(RuntimeError, asyncio.CancelledError, OSError),  # the loop has ended
            os.fdopen(descriptor, encoding="utf-8", errors="replace", newline="\n", closefd=False) as stdin,
        ):
            for line in stdin:
                asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()
            asyncio.run_coroutine_threadsafe(queue.put(None), loop).result()

    threading.Thread(target=read, name="stdin", daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line


def serve_http(server: Server[Any], host: str, port: int, *, stateless: bool) -> int:
    """Serve streamable HTTP at /mcp until a signal comes; with sessions and streams unless `stateless`."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        number = error.errno or 0  # below zero for names that cannot be resolved
        why = os.strerror(number) if number > 0 else error.strerror
        say(f"cannot listen on {host}:{port}: {why}; choose another --port or --host")
        return 2
    app = server.streamable_http_app(stateless_http=stateless, host=host, transport_security=_security(host))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=GRACE, lifespan="on"
    )
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listening.getsockname()[1]}/mcp"
    say(f"serving {server.name} at {url}")
    if not _is_local(host):
        say("warning: everyone who reaches this address can call the tools")
    got: list[int] = []
    # uvicorn shuts down gracefully and then sends the signal once more, to these handlers
    before = {
        each: signal.signal(each, lambda n, _: got.append(n)) for each in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        listening.close()
    return 130 if signal.SIGINT in got else 0


def _is_local(host: str) -> bool:
    return host in ("127.0.0.1", "localhost", "::1")


def _security(host: str) -> TransportSecuritySettings | None:
    """Which Host and Origin headers are let in. None: the SDK's choice, which is right for local addresses.

    A server on a wildcard address cannot know by which names it is reached.
    """
    if _is_local(host) or host in ("0.0.0.0", "::", ""):  # noqa: S104  compared, not bound
        return None
    shown = f"[{host}]" if ":" in host else host
    return TransportSecuritySettings(
        allowed_hosts=[shown, f"{shown}:*"],
        allowed_origins=[f"{scheme}://{shown}{port}" for scheme in ("http", "https") for port in ("", ":*")],
    )
