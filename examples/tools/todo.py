"""todo: the list in the workspace's todo.md."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import files
from examples.store import todo as store
from examples.store import workspace as paths
from examples.store.wording import count
from examples.store.workspace import Workspace
from generated.models.todo import Item
from generated.tools.todo import (
    ChangedMeanwhileError,
    ListFullError,
    ListUnreadableError,
    NoSuchItemError,
    TodoRequest,
    TodoResponse,
    TodoTool,
)


class Todo(TodoTool):
    def execute(self, request: TodoRequest, context: ToolContext, *, workspace: Workspace) -> TodoResponse:
        states: dict[int, store.State] = {change.number: change.state for change in request.set or ()}
        added = request.add or []
        with _declared():
            items = store.change(workspace, states, added) if states or added else store.read(workspace)
        left = [item for item in items if item.state in ("open", "doing")]
        busy = [number for number, item in enumerate(items, 1) if item.state == "doing"]
        waiting = [number for number, item in enumerate(items, 1) if item.state == "open"]
        return TodoResponse(
            items=[
                Item(number=number, text=item.text, state=item.state) for number, item in enumerate(items, 1)
            ],
            left=len(left),
            message=_message(len(items), len(left)),
            warnings=[f"{len(busy)} items are being done at once."] if len(busy) > 1 else [],
            next_actions=[f"Set item {waiting[0]} to doing and begin it."] if waiting and not busy else [],
        )


def _message(total: int, left: int) -> str:
    if not total:
        return "The list is empty."
    return f"{left} of {count(total, 'item')} left." if left else f"All done, {count(total, 'item')}."


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except store.NoSuchItemError as fault:
        raise NoSuchItemError(str(fault)) from fault
    except store.ListFullError as fault:
        raise ListFullError(str(fault)) from fault
    except paths.ChangedMeanwhileError as fault:
        raise ChangedMeanwhileError(str(fault)) from fault
    except (files.IsFolderError, files.NotTextError, files.TooLargeError) as fault:
        raise ListUnreadableError(str(fault)) from fault
    except (paths.OutsideWorkspaceError, paths.UnreadableError, paths.NotWritableError) as fault:
        raise ListUnreadableError(str(fault)) from fault
