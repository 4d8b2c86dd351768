"""The base class of generated synchronous clients: an asynchronous one in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, TypeVar

from .tool_client import OnDrift, ToolClient

if TYPE_CHECKING:
    import os
    from typing import Self

    from toolgen.runtime.execution.threads.loop_thread import LoopThread

    from .connection import Server
    from .options import OnContent, Progress
    from .questions import Confirm

P = ParamSpec("P")
T = TypeVar("T")


class SyncToolClient:
    """Base class of generated synchronous clients: `with ShopClient.connect(…) as shop`."""

    _package: ClassVar[str | None]
    _tools: ClassVar[Mapping[str, tuple[str, str, str]]]
    _uses: ClassVar[Mapping[str, Collection[str]] | None] = None

    _client: ToolClient
    _loop: LoopThread

    @classmethod
    @contextmanager
    def connect(
        cls,
        server: Server,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        auth: Any = None,
        confirm: Confirm | None = None,
        on_drift: OnDrift = "error",
    ) -> Iterator[Self]:
        """Connect to a server until the end of the block. See `ToolClient.connect` for the options."""
        from toolgen.runtime.execution.threads.loop_thread import LoopThread

        loop = LoopThread()
        members = {"_package": cls._package, "_tools": cls._tools, "_uses": cls._uses}
        kind: type[ToolClient] = type(cls.__name__, (ToolClient,), members)
        opening = kind.connect(server, cwd=cwd, env=env, auth=auth, confirm=confirm, on_drift=on_drift)
        try:
            client = cls.__new__(cls)
            client._loop, client._client = loop, loop.run(opening.__aenter__)
            try:
                yield client
            finally:
                loop.run(lambda: _closed(opening))
        finally:
            loop.stop()

    def with_options(
        self,
        *,
        timeout: float | None = None,
        retries: int | None = None,
        on_progress: Progress | None = None,
        on_content: OnContent | None = None,
    ) -> Self:
        """Return a client of the same connection whose calls have these options, as `ToolClient` does."""
        made = copy(self)
        made._client = self._client.with_options(
            timeout=timeout, retries=retries, on_progress=on_progress, on_content=on_content
        )
        return made

    def pages(self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """Yield all pages of a tool: `for page in shop.pages(shop.search, query="tea")`."""
        from .paging import PageCursor

        client, name = copy(self), getattr(method, "__name__", "")
        client._client = copy(self._client)
        client._client._cursor = cursor = PageCursor(self._client._tool(name))
        while cursor.has_more:
            page: T = getattr(client, name)(*args, **kwargs)
            yield page

    @property
    def session(self) -> Any:
        """The SDK's client (`mcp.Client`). It belongs to the event loop of another thread."""
        return self._client.session

    def _call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        return self._loop.run(lambda: self._client._call(method, arguments))

    def _stream(self, method: str, arguments: Mapping[str, Any]) -> Iterator[Any]:
        items: Any = self._client._stream(method, arguments)
        try:
            while True:
                try:
                    item = self._loop.run(items.__anext__)
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self._loop.run(items.aclose)


async def _closed(opening: Any) -> None:
    await opening.__aexit__(None, None, None)
