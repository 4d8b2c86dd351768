"""The request of a call that no client of MCP makes: `toolgen call`, tests, adapters of other providers."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any, Final, cast

from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession

from toolgen.runtime.context import ToolContext

_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "notice": logging.INFO}  # else a warning


def request_without_client(context: ToolContext) -> ServerRequestContext[Any, Any]:
    """Return a request that reports progress and logs as the caller of toolgen wants it."""
    return ServerRequestContext(
        session=cast("ServerSession", _NoClient(context)),
        lifespan_context={},
        protocol_version="2025-11-25",
        method="tools/call",
        request_id=context.call_id,
        meta={"progress_token": context.call_id},
    )


class _NoClient:
    """The session of such a request: what needs a client is refused."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._connection = SimpleNamespace(session_id=context.session_id or context.call_id, state={})

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        await self._context.report_progress(progress, total, message)

    async def send_progress_notification(
        self, progress_token: object, progress: float, total: float | None = None, message: str | None = None,
        related_request_id: object = None,
    ) -> None:  # fmt: skip
        await self._context.report_progress(progress, total, message)

    async def send_log_message(
        self, level: str, data: Any, logger: str | None = None, related_request_id: object = None
    ) -> None:
        text = getattr(data, "msg", data)  # FastMCP's own class has the text there
        self._context.logger.log(_LEVELS.get(level, logging.WARNING), "%s", text)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{self._context.tool_name} was not called by a client of MCP, so it has no {name}"
        )
