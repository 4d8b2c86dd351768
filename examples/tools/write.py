"""write: a text file of the workspace, shown to the user first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import files
from examples.store import workspace as paths
from examples.store.words import count
from examples.store.workspace import Workspace
from generated.tools.write import (
    AlreadyExistsError,
    ChangedMeanwhileError,
    IsFolderError,
    NotTextError,
    NotWritableError,
    OutsideWorkspaceError,
    PathNotFoundError,
    TooLargeError,
    WriteRequest,
    WriteResponse,
    WriteTool,
)


class Write(WriteTool):
    def preview(self, request: WriteRequest, context: ToolContext, *, workspace: Workspace) -> str:
        with _declared():
            return files.describe(files.plan(workspace, request.path, request.text, request.mode))

    def execute(self, request: WriteRequest, context: ToolContext, *, workspace: Workspace) -> WriteResponse:
        with _declared():
            written = files.plan(workspace, request.path, request.text, request.mode)
            files.write(workspace, written)
        verb = "Wrote" if written.created else "Changed"
        return WriteResponse(
            is_preview=False,
            path=written.path,
            created=written.created,
            line_count=written.lines,
            message=f"{verb} {written.path}, now {count(written.lines, 'line')}.",
            warnings=[] if written.after.endswith(b"\n") else ["The file does not end with a line break."],
            next_actions=[],
        )


@contextmanager
def _declared() -> Iterator[None]:
    """The store's errors as the ones that the spec declares."""
    try:
        yield
    except (paths.PathNotFoundError, paths.UnreadableError) as fault:
        raise PathNotFoundError(str(fault)) from fault
    except paths.OutsideWorkspaceError as fault:
        raise OutsideWorkspaceError(str(fault)) from fault
    except files.FileExistsAlreadyError as fault:
        raise AlreadyExistsError(str(fault)) from fault
    except files.IsFolderError as fault:
        raise IsFolderError(str(fault)) from fault
    except files.NotTextError as fault:
        raise NotTextError(str(fault)) from fault
    except files.TooLargeError as fault:
        raise TooLargeError(str(fault)) from fault
    except paths.NotWritableError as fault:
        raise NotWritableError(str(fault)) from fault
    except paths.ChangedMeanwhileError as fault:
        raise ChangedMeanwhileError(str(fault)) from fault
