"""The connection of a client to its server: opened once, calls in parallel, failures as errors of tools."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from inspect import isawaitable
from typing import Any, Final, TypeAlias

from mcp import InputRequiredRoundsExceededError
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from toolgen.base.suggestions import quoted
from toolgen.runtime.errors import (
    InvalidResponseError,
    ToolError,
    ToolTimeoutError,
    UnknownToolError,
    UnreachableError,
)
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client.client import ServerAddress, describe_failure, first_cause, read_tools
from toolgen.sources.mcp_client.connection import ServerConnection, ServerLostError

from .errors import ConnectError, ProtocolError
from .options import Progress
from .questions import Confirm, elicited

Server: TypeAlias = str | Sequence[str] | Any
"""A URL, a quoted command or its words, or what the SDK's `Client` takes: a server in this process."""
_CLOSED: Final = "Connection closed"  # the SDK's message
_TOKEN: Final = re.compile("[!-~]+")
_UNKNOWN_TOOL: Final = -32602  # MCP has no code of its own for it


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
            asks_user=confirm is not None,
            elicit=elicit if confirm is not None else None,
            is_patient=True,
            transport=transport,
        )
        self._client: Any = None

    async def open(self) -> None:
        """Connect. Raises ConnectError."""
        try:
            self._client = await self._connection.open()
        except ServerLostError as error:
            raise ConnectError(f"{self.shown}: {error}") from None
        except BaseException:
            await self._connection.abort()
            raise

    async def close(self) -> None:
        """End the connection."""
        await self._connection.close()

    @property
    def sdk_client(self) -> Any:
        """The SDK's client (`mcp.Client`), for all that MCP has besides tools."""
        return self._client

    async def listed_tools(self) -> list[dict[str, Any]]:
        """Return the definitions that the server lists. Raises ConnectError."""
        try:
            if not self._client.server_capabilities.tools:
                return []
            return await read_tools(self._client, self.shown)
        except SourceError as error:
            raise ConnectError(error.message) from None
        except Exception as error:
            raise ConnectError(f"{self.shown}: {describe_failure(error)}") from None

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

        Raises ToolTimeoutError, UnreachableError if the connection ended, ProtocolError if the server refuses
        the request, InvalidResponseError for an answer that is not MCP.
        """
        self._connection.renew_budget()
        callback: Any = None if progress is None else partial(report, progress)
        options: Any = {} if meta is None else {"meta": dict(meta)}
        try:
            async with asyncio.timeout(timeout) as limit:
                return await self._client.call_tool(name, arguments, progress_callback=callback, **options)
        except TimeoutError:
            if not limit.expired():
                raise
            raise ToolTimeoutError(f"{name} did not answer within {timeout:g} seconds.") from None
        except MCPError as error:
            raise await self._error_of(name, error) from None
        except ValidationError as error:
            raise InvalidResponseError(
                f"The answer of {name} breaks MCP: {describe_failure(error)}"
            ) from None
        except InputRequiredRoundsExceededError:
            raise ProtocolError(f"The server asks the user about {name} again and again.") from None
        except RuntimeError as error:
            if not await self._connection.why_lost():
                raise
            raise await self._lost(error) from None

    async def _error_of(self, name: str, error: MCPError) -> ToolError:
        # the code of the SDK is also the first one that servers may use as they like
        is_closed = error.code == CONNECTION_CLOSED and str(error) == _CLOSED
        if is_closed or await self._connection.why_lost():
            return await self._lost(error)
        if error.code == _UNKNOWN_TOOL and "unknown tool" in str(error).lower():
            return UnknownToolError(f"The server has no tool {quoted(name)}.")
        details = {"code": error.code, "data": error.error.data}
        return ProtocolError(
            f"The server refused the call of {name}: {quoted(str(error), 300)}", details=details
        )

    async def _lost(self, error: BaseException) -> ToolError:
        reason = await self._connection.why_lost(is_lost=True) or describe_failure(first_cause(error))
        return UnreachableError(f"{self.shown}: {reason}")


async def report(progress: Progress, done: float, total: float | None, message: str | None) -> None:
    """Report progress to a callback, sync or async."""
    found = progress(done, total, message)
    if isawaitable(found):
        await found


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
