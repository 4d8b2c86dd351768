"""attempt_completion: present the result of a task after checking it."""

from __future__ import annotations

from toolgen.runtime import ToolContext

from examples.store import files, todo
from examples.store import workspace as paths
from examples.store.wording import count
from examples.store.workspace import Workspace
from generated.tools.attempt_completion import (
    AttemptCompletionRequest,
    AttemptCompletionResponse,
    AttemptCompletionTool,
    FileMissingError,
)


class AttemptCompletion(AttemptCompletionTool):
    def execute(
        self, request: AttemptCompletionRequest, context: ToolContext, *, workspace: Workspace
    ) -> AttemptCompletionResponse:
        named = request.files or []
        if missing := [path for path in named if not _is_file(workspace, path)]:
            raise FileMissingError(f"Not in the workspace: {', '.join(missing)}.", details={"files": missing})
        left = _left(workspace)
        warnings = [f"{count(left, 'item')} of the to-do list not done yet."] if left else []
        return AttemptCompletionResponse(
            result=request.result,
            files=named,
            message=f"Done, with {count(len(named), 'file')}." if named else "Done.",
            warnings=warnings,
            next_actions=["Finish or drop what is left, with todo."] if left else [],
        )


def _is_file(workspace: Workspace, path: str) -> bool:
    try:
        return workspace.kind(path) == "file"
    except (paths.PathNotFoundError, paths.OutsideWorkspaceError, paths.UnreadableError):
        return False


def _left(workspace: Workspace) -> int:
    """Return the items that are open or in progress; none if there is no readable list."""
    try:
        items = todo.read(workspace)
    except (files.NotTextError, files.TooLargeError, files.IsFolderError):
        return 0
    except (paths.OutsideWorkspaceError, paths.UnreadableError):
        return 0
    return sum(item.state in ("open", "doing") for item in items)
