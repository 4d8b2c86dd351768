"""Answer `tasks/get`, `tasks/cancel` and `tasks/update`, the methods of the tasks extension."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.stores.opening import StoreError

from .auth.grant import grant_of, scopes_of
from .result import wire_result
from .server_state import ServerState
from .task_wire import EXTENSION, TaskParams, knows_tasks, task_fields
from .tools_call import structured_form

METHODS = ("tasks/get", "tasks/cancel", "tasks/update")


async def answer_task_method(
    state: ServerState, context: ServerRequestContext[Any, Any], params: TaskParams
) -> dict[str, Any]:
    """Return the JSON of the result.

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
                return await _get(state, context, params)
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
        return {"resultType": "complete", **task_fields(status.task, "cancelled")}
    if status.response is None:
        message = None if status.progress is None else status.progress[2]
        fields = task_fields(status.task, "working") | ({"statusMessage": message} if message else {})
        return {"resultType": "complete", **fields}
    result = wire_result(status.response, structured_form(context, tool), context.protocol_version)
    return {"resultType": "complete", **task_fields(status.task, "completed"), "result": result}


def _not_found() -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message="There is no such task, or it has expired")
