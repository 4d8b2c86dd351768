"""The server behind a recording mock: one connection for all calls, opened again after it was lost."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from toolgen.cli.importing.mcp_client import ServerAddress, connect, describe_failure
from toolgen.runtime.errors import UnreachableError

CONNECT_SECONDS = 60.0


class Upstream:
    """A server at a URL, or started by a command. Belongs to one event loop.

    Raises UnableError for a file or folder that cannot be run.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._server = ServerAddress.parse(source)
        self._task: asyncio.Task[None] | None = None
        self._client: asyncio.Future[Any] | None = None
        self._closing: asyncio.Event | None = None

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a tool call (`mcp_types.CallToolResult`).

        Raises UnreachableError if the server does not answer, and MCPError if it refuses the call.
        """
        from mcp.shared.exceptions import MCPError

        client = await self._connected()
        try:
            return await client.call_tool(name, dict(arguments))
        except MCPError:
            raise
        except Exception as error:
            await self.close()
            raise UnreachableError(f"The server did not answer: {describe_failure(error)}") from error

    async def close(self) -> None:
        """End the connection, if there is one."""
        task, self._task = self._task, None
        if task is not None and self._closing is not None:
            self._closing.set()
            await asyncio.wait([task], timeout=5)
            task.cancel()

    async def _connected(self) -> Any:
        """Return the client. Raises UnreachableError."""
        if self._task is None or self._task.done():
            self._client = asyncio.get_running_loop().create_future()
            self._closing = asyncio.Event()
            self._task = asyncio.create_task(self._hold(self._client, self._closing))
        assert self._client is not None
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await asyncio.shield(self._client)
        except TimeoutError:
            await self.close()
            raise UnreachableError(
                f"The server did not answer within {CONNECT_SECONDS:.0f} seconds."
            ) from None

    async def _hold(self, client: asyncio.Future[Any], closing: asyncio.Event) -> None:
        """Connect, and stay connected until `closing`; the SDK needs one task for opening and closing."""
        try:
            async with connect(self._server.source, is_command=self._server.is_command) as connected:
                client.set_result(connected)
                await closing.wait()
        except Exception as error:
            if not client.done():
                failure = UnreachableError(f"The server cannot be reached: {describe_failure(error)}")
                client.set_exception(failure)
                client.exception()  # it may have no caller any more
