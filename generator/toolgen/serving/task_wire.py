"""Tasks as the MCP extension `io.modelcontextprotocol/tasks` writes them (SEP-2663).

Clients since 2026-07-28 declare the extension in each request. The SDK has neither its types nor its methods;
its `mcp_types.Task` is that of 2025-11-25, whose fields have other names.
"""

from __future__ import annotations

from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from toolgen.runtime.task import Task

EXTENSION: Final = "io.modelcontextprotocol/tasks"
POLL_MS: Final = 1_000  # between two requests for the state of a task
CREATED: ContextVar[dict[str, Any] | None] = ContextVar("toolgen_created_task", default=None)
"""The task with which the current request is answered, past the SDK's check of the result."""
PLACEHOLDER: Final[dict[str, Any]] = {"content": [], "isError": False, "resultType": "complete"}
"""A result that passes the check in the place of a task."""


class TaskParams(types.RequestParams):
    """Params of `tasks/get`, `tasks/update` and `tasks/cancel`."""

    task_id: str = Field(alias="taskId")


def knows_tasks(context: ServerRequestContext[Any, Any]) -> bool:
    """True if the client of a request has declared the extension."""
    if context.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        return False
    capabilities = context.session.client_capabilities
    return capabilities is not None and EXTENSION in (capabilities.extensions or {})


def task_fields(task: Task, status: str) -> dict[str, Any]:
    """Return the fields that all results about a task have."""
    return {
        "taskId": task.id,
        "status": status,
        "createdAt": datetime.fromtimestamp(task.created_at, UTC).isoformat(),
        "lastUpdatedAt": datetime.now(UTC).isoformat(),
        "ttlMs": task.result_ttl * 1000,
        "pollIntervalMs": POLL_MS,
    }


def created(task: Task) -> dict[str, Any]:
    """Return the result of a `tools/call` that a worker runs."""
    return {"resultType": "task", **task_fields(task, "working")}
