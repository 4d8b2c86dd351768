"""The MCP extension `io.modelcontextprotocol/tasks` (SEP-2663): its results, and its methods.

Clients since 2026-07-28 declare the extension in each request. The SDK has neither its types nor its methods;
its `mcp_types.Task` is that of 2025-11-25, whose fields have other names.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import Field

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.stores.store import StoreError
from toolgen.runtime.task import Task

from .auth.grant import grant_of, scopes_of
from .held_questions import is_modern
from .result import wire_result
from .server_state import ServerState

EXTENSION: Final = "io.modelcontextprotocol/tasks"
METHODS: Final = ("tasks/get", "tasks/cancel", "tasks/update")
POLL_MS: Final = 1_000  # between two requests for the state of a task


class TaskParams(types.RequestParams):
    """Params of the methods."""

    task_id: str = Field(alias="taskId")


def knows_tasks(context: ServerRequestContext[Any, Any]) -> bool:
    """True if the client of a request has declared the extension."""
    capabilities = context.session.client_capabilities if is_modern(context) else None
    return capabilities is not None and EXTENSION in (capabilities.extensions or {})


def created(task: Task) -> dict[str, Any]:
    """Return the result of a `tools/call` that a worker runs."""
    return {"resultType": "task", **_fields(task, "working")}


def _fields(task: Task, status: str) -> dict[str, Any]:
    """Return the fields that all results about a task have."""
    return {
        "taskId": task.id,
        "status": status,
        "createdAt": datetime.fromtimestamp(task.created_at, UTC).isoformat(),
        "lastUpdatedAt": datetime.now(UTC).isoformat(),
        "ttlMs": task.result_ttl * 1000,
        "pollIntervalMs": POLL_MS,
    }


async def answer_task_method(
    state: ServerState, context: ServerRequestContext[Any, Any], params: TaskParams
) -> dict[str, Any]:
    """Return the JSON of the result of one of METHODS.

    Raises MCPError, the same for a task of another principal as for one that does not exist.
    """
    if not knows_tasks(context):
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message=f"This method needs the extension {EXTENSION}",
            data={"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
        )
    try:
        match context.method:
            case "tasks/get":
                return {"resultType": "complete", **await _get(state, context, params)}
            case "tasks/cancel":
                principal = grant_of(context, state.settings).principal
                if not await state.toolkit.cancel_task(params.task_id, principal=principal):
                    raise _not_found()
                return {"resultType": "complete"}
            case _:
                raise MCPError(code=types.INVALID_PARAMS, message="The task waits for no input")
    except StoreError as error:
        LOGGER.error("a request about a task could not be answered: %s", error)
        raise MCPError(code=types.INTERNAL_ERROR, message="The task cannot be looked up now") from None


async def _get(
    state: ServerState, context: ServerRequestContext[Any, Any], params: TaskParams
) -> dict[str, Any]:
    grant = grant_of(context, state.settings)
    status = await state.toolkit.task(params.task_id, principal=grant.principal)
    tool = None if status is None else state.tools.of(status.task.tool_name)
    # a token may have lost the scopes that the call needed
    if status is None or tool is None or not scopes_of(tool.definition) <= grant.scopes:
        raise _not_found()
    if status.state == "cancelled":
        return _fields(status.task, "cancelled")
    if status.response is None:
        message = None if status.progress is None else status.progress[2]
        return _fields(status.task, "working") | ({"statusMessage": message} if message else {})
    result = wire_result(status.response, tool.form_for(context), context.protocol_version)
    return {**_fields(status.task, "completed"), "result": result}


def _not_found() -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message="There is no such task, or it has expired")
