"""The lifespan of an adopted server: entered before the first call of one of its tools, once for all."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server import Server
from mcp.server.mcpserver import MCPServer

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text


class _Running:
    """A lifespan in one event loop, entered and left by a task of its own, as cancel scopes require."""

    def __init__(self, manager: AbstractAsyncContextManager[Any]) -> None:
        self.loop = asyncio.get_running_loop()
        self.users = 0
        self.entered: asyncio.Future[Any] = self.loop.create_future()
        self._leave = asyncio.Event()
        # without variables of the call that happens to be the first
        self._task = self.loop.create_task(self._hold(manager), context=contextvars.Context())

    async def _hold(self, manager: AbstractAsyncContextManager[Any]) -> None:
        try:
            async with manager as value:
                self.entered.set_result(value)
                await self._leave.wait()
        except Exception as error:
            if self.entered.done():
                LOGGER.error("ending the lifespan of a server failed", exc_info=without_text(error))
            else:
                self.entered.set_exception(error)

    async def leave(self) -> None:
        self._leave.set()
        await asyncio.wait((self._task,))


class Lifespans:
    """The lifespans of servers, by server and event loop. Safe to use from several threads."""

    def __init__(self, lifespan: Callable[[Any], AbstractAsyncContextManager[Any]]) -> None:
        self._lifespan = lifespan
        self._running: dict[tuple[int, int], _Running] = {}

    async def enter(self, server: Any) -> None:
        """Enter the lifespan unless it runs. Raises what entering it raises."""
        key = (id(server), id(asyncio.get_running_loop()))
        running = self._running.get(key)
        if running is None or running.loop is not asyncio.get_running_loop():
            running = self._running[key] = _Running(self._lifespan(server))
        running.users += 1
        try:
            await asyncio.shield(running.entered)
        except BaseException:
            await self._release(key, running)
            raise

    def value(self, server: Any) -> Any:
        """Return the value of the lifespan that runs in this event loop; None if none does."""
        running = self._running.get((id(server), id(asyncio.get_running_loop())))
        return None if running is None or not running.entered.done() else running.entered.result()

    async def leave(self, server: Any) -> None:
        """Leave the lifespan if no other tool uses it."""
        key = (id(server), id(asyncio.get_running_loop()))
        running = self._running.get(key)
        if running is not None:
            await self._release(key, running)

    async def _release(self, key: tuple[int, int], running: _Running) -> None:
        running.users -= 1
        if running.users == 0:
            if self._running.get(key) is running:
                del self._running[key]
            await running.leave()


@dataclass(frozen=True, slots=True)
class Entered:
    """A server while its lifespan runs."""

    low_level: Server[Any]  # with which the framework has registered its handlers
    value: Any  # of the lifespan, for requests


@asynccontextmanager
async def entering(server: Any) -> AsyncIterator[Entered]:
    """Enter the lifespan of an `MCPServer`, or of FastMCP.

    Their applications for HTTP are not served: they are the public way to the server of the SDK inside.
    """
    if isinstance(server, MCPServer):
        server.streamable_http_app()
        low_level = server.session_manager.app
        async with low_level.lifespan(low_level) as value:
            yield Entered(low_level, value)
        return
    app = server.http_app()
    async with app.lifespan(app):
        endpoint = next(each.endpoint for each in app.routes if each.path == app.state.path)
        endpoint = getattr(endpoint, "app", endpoint)  # behind the server's own authentication
        # its context has the value of the lifespan
        yield Entered(endpoint.session_manager.app, {})


LIFESPANS = Lifespans(entering)
