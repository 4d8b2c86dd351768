"""The base class of generated clients: the connection, calls with retries, streams and pages."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from copy import copy
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, ParamSpec, Self, TypeVar

if TYPE_CHECKING:
    from .connection import Connection, Server
    from .drift import ContractDriftError
    from .options import CallSettings, OnContent, Progress
    from .questions import Confirm
    from .tool import ClientTool

P = ParamSpec("P")
T = TypeVar("T")
OnDrift = Literal["error", "warn", "ignore"]


class ClientBase:
    """What both kinds of clients share: their connection, the options of their calls, their tools."""

    _package: ClassVar[str | None]
    _tools: ClassVar[Mapping[str, tuple[str, str, str]]]  # method → listed name, hash, module
    _uses: ClassVar[Mapping[str, Collection[str]] | None] = None  # listed name → arguments; None: not known

    _connection: Connection
    _settings: CallSettings
    _cursor: Any = None  # of `pages`
    _unused_drift: Mapping[str, ContractDriftError] = {}  # by method; raised by its call

    @classmethod
    @asynccontextmanager
    async def _connected(cls, server: Server, on_drift: OnDrift, **options: Any) -> AsyncIterator[Self]:
        from .connection import Connection  # pydantic and all that calls need: with the first connection
        from .options import CallSettings

        client = cls.__new__(cls)
        client._settings = CallSettings()
        client._connection = Connection(server, **options)
        try:
            await client._connection.open()
            if on_drift != "ignore":
                await client._check_drift(on_drift)
            yield client
        finally:
            await client._connection.close()

    def with_options(
        self,
        *,
        timeout: float | None = None,
        retries: int | None = None,
        on_progress: Progress | None = None,
        on_content: OnContent | None = None,
    ) -> Self:
        """Return a client of the same connection whose calls have these options.

        Args:
            timeout: seconds that each attempt may take.
            retries: further attempts after an error that is declared retryable, or after a lost answer of a
                tool that is read-only or idempotent.
            on_progress: gets the progress of each call.
            on_content: receives the blocks that a tool sends beside its response without declaring them.
                Without it, blocks other than texts are reported by an UndeclaredContentWarning.
        """
        options = {
            "timeout": timeout,
            "retries": retries,
            "on_progress": on_progress,
            "on_content": on_content,
        }
        made = copy(self)
        given: Any = {name: value for name, value in options.items() if value is not None}
        made._settings = replace(self._settings, **given)
        return made

    @property
    def session(self) -> Any:
        """The SDK's client (`mcp.Client`), for resources, prompts and all else that MCP has."""
        return self._connection.sdk_client

    def _tool(self, method: str) -> ClientTool:
        if method not in self._tools:
            raise TypeError(f"{type(self).__name__} has no tool {method!r}")
        if method in self._unused_drift:
            raise self._unused_drift[method]
        module = import_module(f"{self._package}.tools.{self._tools[method][2]}")
        found: ClientTool = module.TOOL
        return found

    async def _answer(self, method: str, arguments: Mapping[str, Any]) -> Any:
        from .calls import call  # as above

        tool = self._tool(method)
        return await call(self._connection, tool, arguments, self._settings, self._cursor)

    def _chunks(self, method: str, arguments: Mapping[str, Any]) -> AsyncIterator[Any]:
        from .calls import stream  # as above

        return stream(self._connection, self._tool(method), arguments, self._settings)

    async def _check_drift(self, on_drift: OnDrift) -> None:
        from .drift import check_drift  # as above

        listed = await self._connection.listed_tools()
        tools = {listed_name: (digest, method) for method, (listed_name, digest, _) in self._tools.items()}
        # a warning stops nothing, so that it may be about all tools
        uses = self._uses if on_drift == "error" else None
        self._unused_drift = check_drift(listed, tools, self._tool, uses, is_error=on_drift == "error")


class ToolClient(ClientBase):
    """Base class of generated clients. Connect with `async with ShopClient.connect(…) as shop`."""

    @classmethod
    def connect(
        cls,
        server: Server,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        auth: Any = None,
        confirm: Confirm | None = None,
        on_drift: OnDrift = "error",
    ) -> AbstractAsyncContextManager[Self]:
        """Connect to a server until the end of the block.

        Args:
            server: a URL, or a command that starts the server: quoted, or a list of its words.
            cwd: the folder in which a command starts.
            env: variables that a command gets beside PATH, HOME and the like. It inherits no others.
            auth: a bearer token, or an `httpx2.Auth`, for a URL.
            confirm: answers the server's questions to the user. Without it, there is no user to ask.
            on_drift: what to do if the server lists a tool of this client in a way that breaks calls or
                readers: raise, warn, or not even look. If the client was generated with `--uses`, only used
                tools raise here, and each other one when it is called.

        Raises:
            ConnectError: There is no connection.
            ContractDriftError: The server has changed.
        """
        return cls._connected(server, on_drift, cwd=cwd, env=env, auth=auth, confirm=confirm)

    async def pages(
        self, method: Callable[P, Awaitable[T]], /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncIterator[T]:
        """Yield all pages of a tool: `async for page in shop.pages(shop.search, query="tea")`.

        Raises TypeError for a tool that has no pages.
        """
        from .calls import PageCursor  # as above

        client = copy(self)
        name: str = getattr(method, "__name__", "")
        client._cursor = cursor = PageCursor(self._tool(name))
        while cursor.has_more:
            page: T = await getattr(client, name)(*args, **kwargs)
            yield page

    async def _call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        return await self._answer(method, arguments)

    def _stream(self, method: str, arguments: Mapping[str, Any]) -> AsyncIterator[Any]:
        return self._chunks(method, arguments)
