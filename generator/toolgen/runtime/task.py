"""Tasks: calls that continue after their caller was answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from toolgen.runtime.response import ToolResponse

TaskState: TypeAlias = Literal["queued", "running", "finished", "cancelled"]


@dataclass(frozen=True, slots=True)
class Task:
    """A call that a worker runs. Its id works for the principal who made the call, and nobody else."""

    id: str
    tool_name: str
    created_at: float  # seconds since the epoch
    result_ttl: int  # seconds that the result is kept


@dataclass(frozen=True, slots=True)
class TaskStatus:
    """How far a task is.

    Example:
        status = await toolkit.task(task.id, principal="ann")
        if status is not None and status.response is not None:
            print(status.response.as_text())
    """

    task: Task
    state: TaskState
    progress: tuple[float, float | None, str | None] | None = None  # that the tool has reported last
    response: ToolResponse | None = None  # of a finished task; an error may be `outcome_unknown`


class TaskStarted(Exception):  # noqa: N818  not an error
    """The call was handed to a worker: neither a success nor a failure."""

    def __init__(self, task: Task) -> None:
        self.task = task
        super().__init__(f"{task.tool_name} runs as a task")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCall:
    """A call as it travels to a worker: JSON values only."""

    tool: str
    contract: str  # digest of the contract that the caller was shown, and the arguments checked against
    arguments: Mapping[str, Any]
    principal: str | None
    scopes: list[str]
    meta: Mapping[str, Any]
    approved: str | None  # digest of the question and the preview that the user has approved
    most: int  # times that it may be started, if workers die
    approvers: Sequence[str] = ()  # with `proof: person`: who has signed
    receipt: str | None = None  # digest of what they signed
    trace: Mapping[str, str] = field(default_factory=dict)  # W3C Trace Context of the call
