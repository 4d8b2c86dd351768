"""The server behind a recording mock: one connection for all calls, opened again after it was lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolgen.runtime.errors import OutcomeUnknownError, UnreachableError
from toolgen.sources.mcp_client.client import ServerAddress, describe_failure
from toolgen.sources.mcp_client.connection import ServerConnection, ServerLostError


class Upstream:
    """A server at a URL, or started by a command. Belongs to one event loop.

    Raises UnableError for a file or folder that cannot be run.
    """

    def __init__(self, source: str, log: Callable[[str], None]) -> None:
        """Prepare it; the first call connects. `log` gets the lines of a command's stderr."""
        self.source = source
        self._connection = ServerConnection(ServerAddress.parse(source), asks_user=False, log=log)

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of a tool call (`mcp_types.CallToolResult`).

        Raises UnreachableError without a connection, OutcomeUnknownError if it ends during the call, and
        MCPError if the server refuses the call.
        """
        from mcp.shared.exceptions import MCPError

        # A server that ended since the last call is started again, and nobody has to know.
        if await self._connection.why_lost():
            await self.close()
        try:
            client = await self._connection.open()
        except ServerLostError as error:
            raise UnreachableError(f"The server cannot be reached: {error}") from error
        try:
            # Not `ServerConnection.call`, which makes one call at a time: clients of a mock make several.
            return await client.call_tool(name, dict(arguments))
        except MCPError:
            raise
        except Exception as error:
            await self.close()
            raise OutcomeUnknownError(f"The server did not answer: {describe_failure(error)}") from error

    async def close(self) -> None:
        """End the connection, if there is one."""
        await self._connection.close()
