"""The base class of generated synchronous clients: an asynchronous one in a thread of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from .tool_client import ClientBase, OnDrift

if TYPE_CHECKING:
    from toolgen.runtime.execution.threads.event_loop import LoopThread  # with the first connection

    from .connection import Server
    from .questions import Confirm

P = ParamSpec("P")
T = TypeVar("T")


class SyncToolClient(ClientBase):
    """Base class of generated synchronous clients: `with ShopClient.connect(…) as shop`."""

    _loop: LoopThread  # of the connection

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
        from toolgen.runtime.execution.threads.event_loop import LoopThread  # with the first connection

        loop = LoopThread()
        opening = cls._connected(server, on_drift, cwd=cwd, env=env, auth=auth, confirm=confirm)
        try:
            client = loop.run(opening.__aenter__)
            client._loop = loop
            try:
                yield client
            finally:
                loop.run(lambda: opening.__aexit__(None, None, None))
        finally:
            loop.stop()

    def pages(self, method: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        """Yield all pages of a tool: `for page in shop.pages(shop.search, query="tea")`."""
        from .calls import PageCursor  # with the first connection

        client, name = copy(self), getattr(method, "__name__", "")
        client._cursor = cursor = PageCursor(self._tool(name))
        while cursor.has_more:
            page: T = getattr(client, name)(*args, **kwargs)
            yield page

    def _call(self, method: str, arguments: Mapping[str, Any]) -> Any:
        return self._loop.run(lambda: self._answer(method, arguments))

    def _stream(self, method: str, arguments: Mapping[str, Any]) -> Iterator[Any]:
        items: Any = self._chunks(method, arguments)
        try:
            while True:
                try:
                    item = self._loop.run(items.__anext__)
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self._loop.run(items.aclose)
