"""write: a text file of the workspace, shown to the user first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import files
from examples.store import workspace as paths
from examples.store.wording import count
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
    def preview(self, request: WriteRequest, context: ToolContext, *, workspace: Workspace) -> WriteResponse:
        with _declared():
            planned = files.plan(workspace, request.path, request.text, request.mode)
        return _response(planned, is_preview=True, message=files.describe(planned))

    def execute(self, request: WriteRequest, context: ToolContext, *, workspace: Workspace) -> WriteResponse:
        with _declared():
            written = files.change(
                workspace,
                request.path,
                request.text,
                request.mode,
                lambda planned: context.check_approval(files.describe(planned)),
            )
        verb = "Wrote" if written.created else "Changed"
        message = f"{verb} {written.path}, now {count(written.lines, 'line')}."
        return _response(written, is_preview=False, message=message)


def _response(written: files.Writing, *, is_preview: bool, message: str) -> WriteResponse:
    return WriteResponse(
        is_preview=is_preview,
        path=written.path,
        created=written.created,
        line_count=written.lines,
        message=message,
        warnings=[] if written.after.endswith(b"\n") else ["The file does not end with a line break."],
        next_actions=[],
    )


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
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
