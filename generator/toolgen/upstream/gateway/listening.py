"""Changes that an upstream announces: to everybody up to 2025-11-25, since 2026-07-28 over a stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Any, Final

import mcp_types as types
from mcp import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.server.subscriptions import PromptsListChanged, ResourcesListChanged, ResourceUpdated, ServerEvent

from toolgen.runtime.logs.logger import LOGGER

_LISTEN_SECONDS: Final = 1.0  # after a lost stream
_RENEW_SECONDS: Final = 10.0  # that a server may take to begin a stream


class ChangeStream:
    """The stream of changes of one connection. The connection's handler of notifications gets them.

    Args:
        client: the connection, of protocol 2026-07-28 or later.
        uris: the resources that are subscribed to. After a change of it, `renew`.
        lists: True to hear of changes of the lists of resources and prompts, too.
        lost: called after changes that may have happened unheard.
    """

    def __init__(
        self, client: Client, uris: Collection[str], *, lists: bool, lost: Callable[[], None]
    ) -> None:
        self._client, self._uris, self._lists, self._lost = client, uris, lists, lost
        self._wanted = asyncio.Event()
        self._waiting: list[asyncio.Future[None]] = []

    async def renew(self) -> None:
        """Listen to the present `uris`. Return when the upstream has agreed, or refused."""
        agreed = asyncio.get_running_loop().create_future()
        self._waiting.append(agreed)
        self._wanted.set()
        await asyncio.wait({agreed}, timeout=_RENEW_SECONDS)

    async def run(self, closing: asyncio.Event) -> None:
        """Listen until the connection is closed."""
        ending = asyncio.create_task(closing.wait())
        listening = asyncio.create_task(self._listen(asyncio.Event()))
        try:
            while not ending.done():
                await _first({ending}, self._wanted)
                self._wanted.clear()
                waiting, self._waiting = self._waiting, []
                begun = asyncio.Event()
                # the old stream ends after the new one has begun: nothing is missed in between
                old, listening = listening, asyncio.create_task(self._listen(begun))
                await _first({ending, listening}, begun)
                old.cancel()
                for each in waiting:
                    if not each.done():
                        each.set_result(None)
        finally:
            ending.cancel()
            listening.cancel()
            await asyncio.wait({listening})

    async def _listen(self, begun: asyncio.Event) -> None:
        while True:
            try:
                async with self._client.listen(
                    tools_list_changed=True,
                    prompts_list_changed=self._lists,
                    resources_list_changed=self._lists,
                    resource_subscriptions=[*self._uris],
                ) as events:
                    begun.set()
                    async for _ in events:
                        pass
            except SubscriptionLost:
                LOGGER.debug("an upstream has ended the stream of its changes")
            except Exception as error:
                LOGGER.debug("an upstream does not say when its list changes: %s", type(error).__name__)
                return
            self._lost()
            await asyncio.sleep(_LISTEN_SECONDS)


async def _first(tasks: set[asyncio.Task[Any]], event: asyncio.Event) -> None:
    """Wait for one of the tasks, or the event."""
    waiting = asyncio.create_task(event.wait())
    try:
        await asyncio.wait({*tasks, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


def event_of(message: Any) -> ServerEvent | None:
    """Return the change of resources or prompts that a notification announces; None for any other."""
    match message:
        case types.ResourceListChangedNotification():
            return ResourcesListChanged()
        case types.PromptListChangedNotification():
            return PromptsListChanged()
        case types.ResourceUpdatedNotification():
            return ResourceUpdated(uri=str(message.params.uri))
    return None
