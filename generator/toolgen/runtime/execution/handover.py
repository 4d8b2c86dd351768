"""Hand a call to a worker, and run it there."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from toolgen.runtime.background.task import Task, TaskCall
from toolgen.runtime.background.tasks import RESTARTS, Tasks
from toolgen.runtime.confirmation.audit import KnownWay
from toolgen.runtime.confirmation.question import Confirm, Confirmation, displayed_preview
from toolgen.runtime.context import Caller, Progress, ToolContext, WorkerCaller
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import ChangedSinceConfirmedError, OutcomeUnknownError
from toolgen.runtime.instrumentation.spans import current_context
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.stores.opening import StoreError
from toolgen.runtime.validation.json_value import is_json

_OWN_META = "toolgen/"


def task_call(
    contract: ToolContract, arguments: Mapping[str, Any], context: ToolContext, caller: Caller
) -> TaskCall:
    """Return a call as it travels to a worker."""
    approval = context.approval
    return TaskCall(
        tool=contract.name,
        contract=contract.digest,
        arguments=arguments,
        principal=context.principal,
        scopes=sorted(caller.scopes or ()),
        # tokens and keys are for the process that has read them
        meta={
            key: value
            for key, value in context.meta.items()
            if not key.startswith(_OWN_META) and is_json({key: value})
        },
        approval=None if approval is None else [approval.message, approval.preview],
        most=RESTARTS if contract.is_idempotent else 1,
        trace=current_context(),
    )


def worker_caller(call: TaskCall, progress: Progress) -> WorkerCaller:
    """Return the caller of a call that a worker runs."""
    return WorkerCaller(
        confirm=None if call.approval is None else _agree_to(*call.approval),
        meta=call.meta,
        progress=progress,
        scopes=call.scopes,
        principal=call.principal,
    )


def _agree_to(message: str | None, preview: str | None) -> Confirm:
    """Return a `confirm` that agrees to what the user has approved before the call was queued."""

    async def confirm(asked: Confirmation) -> bool:
        shown = preview and displayed_preview(preview, asked.arguments)
        if (asked.message, asked.preview) != (message, shown):
            raise ChangedSinceConfirmedError
        return True

    return KnownWay(confirm, "repeated")


async def await_task(
    tasks: Tasks, task: Task, principal: str | None, progress: Progress | None
) -> ToolResponse:
    """Return the response of a task. If the caller leaves, the task is cancelled."""
    try:
        return await tasks.wait(task, principal, progress)
    except StoreError:
        raise OutcomeUnknownError("The worker that runs the call cannot be asked.") from None
    except asyncio.CancelledError:
        await asyncio.shield(_cancel(tasks, task, principal))
        raise


async def _cancel(tasks: Tasks, task: Task, principal: str | None) -> None:
    try:
        await tasks.cancel(task.id, principal)
    except StoreError:
        return  # it runs to its end
