"""The connection of a client to its server: opened once, calls in parallel, failures as errors of tools."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from toolgen.base.suggestions import quoted
from toolgen.runtime.errors import (
    InvalidResponseError,
    ToolError,
    ToolTimeoutError,
    UnknownToolError,
    UnreachableError,
)
from toolgen.runtime.isolation import called
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.client import ServerAddress, read_tools
from toolgen.sources.mcp_client.connection import ServerConnection
from toolgen.sources.mcp_client.outcomes import Failure, RequestFailedError

from .errors import ConnectError, ProtocolError
from .options import Progress
from .questions import Confirm, elicited

Server: TypeAlias = str | Sequence[str] | Any
"""A URL, a quoted command or its words, or what the SDK's `Client` takes: a server in this process."""
_TOKEN: Final = re.compile("[!-~]+")


class Connection:
    """A connection that is open from `open` to `close`. Belongs to one event loop."""

    def __init__(
        self,
        server: Server,
        *,
        cwd: str | os.PathLike[str] | None,
        env: Mapping[str, str] | None,
        auth: Any,
        confirm: Confirm | None,
    ) -> None:
        """Prepare it. Raises ValueError for options that do not fit the server."""
        self.confirm = confirm
        address, transport = _address(server, cwd, env, auth)
        self.shown = address.shown if transport is None else "the server"

        async def elicit(params: Any) -> Any:
            assert confirm is not None
            return await elicited(confirm, params)

        self._connection = ServerConnection(
            address,
            elicit=elicit if confirm is not None else None,
            is_patient=True,
            transport=transport,
        )
        self._client: Any = None

    async def open(self) -> None:
        """Connect. Raises ConnectError."""
        try:
            self._client = await self._connection.open()
        except RequestFailedError as failed:
            raise ConnectError(f"{self.shown}: {failed}") from None

    async def close(self) -> None:
        """End the connection."""
        await self._connection.close()

    @property
    def sdk_client(self) -> Any:
        """The SDK's client (`mcp.Client`), for all that MCP has besides tools."""
        return self._client

    async def listed_tools(self) -> list[dict[str, Any]]:
        """Return the definitions that the server lists. Raises ConnectError."""
        if not self._client.server_capabilities.tools:
            return []
        try:
            return await self._connection.request(lambda client: read_tools(client, self.shown))
        except SourceError as error:
            raise ConnectError(error.message) from None
        except RequestFailedError as failed:
            raise ConnectError(f"{self.shown}: {failed}") from None

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout: float | None,
        progress: Progress | None,
        meta: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the `mcp_types.CallToolResult` of a call.

        Raises ToolTimeoutError, UnreachableError if there is no connection or it ended, ProtocolError if the
        server refuses the request, InvalidResponseError for an answer that is not MCP. After the connection
        has ended, the next call connects again.
        """
        callback: Any = None if progress is None else partial(called, progress)
        options: Any = {} if meta is None else {"meta": dict(meta)}
        try:
            return await self._connection.request(
                lambda client: client.call_tool(name, arguments, progress_callback=callback, **options),
                timeout,
            )
        except RequestFailedError as failed:
            raise self._error_of(name, failed, timeout) from None

    def _error_of(self, name: str, failed: RequestFailedError, timeout: float | None) -> ToolError:
        error, text = failed.error, str(failed)
        match failed.failure:
            case Failure.LATE:
                return ToolTimeoutError(f"{name} did not answer within {timeout:g} seconds.")
            case Failure.REFUSED if isinstance(error, MCPError):
                # MCP has no code of its own for it
                if error.code == INVALID_PARAMS and "unknown tool" in text.lower():
                    return UnknownToolError(f"The server has no tool {quoted(name)}.")
                details = {"code": error.code, "data": error.error.data}
                message = f"The server refused the call of {name}: {quoted(text, 300)}"
                return ProtocolError(message, details=details)
            case Failure.INVALID:
                return InvalidResponseError(f"The answer of {name} breaks MCP: {text}")
            case Failure.ENDLESS:
                return ProtocolError(f"The server asks the user about {name} again and again.")
            case _:
                return UnreachableError(f"{self.shown}: {text}")


def _address(
    server: Server,
    cwd: str | os.PathLike[str] | None,
    env: Mapping[str, str] | None,
    auth: Any,
) -> tuple[ServerAddress, Any]:
    """Return where a server is, and what the SDK connects to instead if that is not an address."""
    is_url = isinstance(server, str) and server.startswith(("http://", "https://"))
    if isinstance(server, str) or (isinstance(server, Sequence) and server):
        words = server if isinstance(server, str) else shlex.join(map(str, server))
        if is_url and (cwd is not None or env is not None):
            raise ValueError("cwd and env are for commands, and the server is a URL")
        if not is_url and auth is not None:
            raise ValueError("auth is for URLs, and the server is a command: give it a variable with env")
        if isinstance(auth, str) and not _TOKEN.fullmatch(auth):
            raise ValueError(
                "auth is not a token: it is empty, or has a space, a line break or a non-ASCII character"
            )
        headers = {"Authorization": f"Bearer {auth}"} if isinstance(auth, str) else {}
        folder = None if cwd is None else os.fspath(cwd)
        address = ServerAddress(
            words,
            is_command=not is_url,
            headers=headers,
            environment=dict(env or {}),
            inherits=False,
            folder=folder,
            auth=None if isinstance(auth, str) else auth,
        )
        return address, None
    if cwd is not None or env is not None or auth is not None:
        raise ValueError("cwd, env and auth are for servers at a URL or behind a command")
    return ServerAddress("", is_command=True), server
