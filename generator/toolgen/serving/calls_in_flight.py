"""The running tool calls of a server: each can be ended early, and none can end the server."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

import mcp_types as types
from anyio import current_effective_deadline
from mcp.shared.exceptions import MCPError

from toolgen.runtime.logs.logger import LOGGER

Result = TypeVar("Result")

STOPPING_CODE: Final = -32000  # JSON-RPC leaves -32000 to -32099 to servers
STOPPING: Final = "The server is stopping."


class CallsInFlight:
    """The running tool calls of a server, by task."""

    def __init__(self) -> None:
        # True if all requests run in tasks of a transport of ours, which only scopes of anyio cancel. The
        # tasks of clients in the same process are their own, and asyncio may cancel them, too.
        self.has_own_tasks = False
        self._ending: dict[asyncio.Task[Any], bool] = {}  # True: the server has cancelled the task

    async def run(self, work: Awaitable[Result]) -> Result:
        """Await a call. Raises MCPError if the server ends it early, or if the call cancels its own task."""
        task = asyncio.current_task()
        assert task is not None
        before = task.cancelling()
        self._ending[task] = False
        try:
            return await work
        except asyncio.CancelledError:
            if self._ending[task]:  # its client gets an answer, and the connection goes on
                task.uncancel()
                raise MCPError(code=STOPPING_CODE, message=STOPPING) from None
            if not self.has_own_tasks or current_effective_deadline() == -math.inf:
                raise  # the caller has cancelled: by asyncio, or by a scope around the request
            LOGGER.error("a call ended with a cancellation that no client requested")
            # the task belongs to the transport, which would end with it
            while task.cancelling() > before:
                task.uncancel()
            raise MCPError(code=types.INTERNAL_ERROR, message="Internal error") from None
        finally:
            del self._ending[task]

    def end_all(self) -> None:
        """End the calls of this event loop, because the server stops."""
        running = asyncio.get_running_loop()
        for task in list(self._ending):
            if task.get_loop() is running:
                self._ending[task] = True
                task.cancel()
