"""load: a text file of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import files
from examples.store import workspace as paths
from examples.store.wording import count
from examples.store.workspace import Workspace
from generated.tools.load import (
    IsFolderError,
    LoadRequest,
    LoadResponse,
    LoadTool,
    NotTextError,
    OutsideWorkspaceError,
    PathNotFoundError,
    TooLargeError,
)


class Load(LoadTool):
    def execute(self, request: LoadRequest, context: ToolContext, *, workspace: Workspace) -> LoadResponse:
        with _declared():
            part = files.load(workspace, request.path, request.first_line, request.line_count)
        more = part.last < part.total_lines and bool(part.text)
        past_the_end = part.first > max(part.total_lines, 1)
        return LoadResponse(
            path=part.path,
            text=part.text,
            first_line=part.first,
            last_line=part.last,
            total_lines=part.total_lines,
            truncated=more,
            message=_message(part),
            warnings=[f"The file has only {count(part.total_lines, 'line')}."] if past_the_end else [],
            next_actions=[f"For more, call with first_line {part.last + 1}."] if more else [],
        )


def _message(part: files.Part) -> str:
    if not part.text:
        return "No lines."
    if part.first == 1 and part.last == part.total_lines:
        return f"The whole file, {count(part.total_lines, 'line')}."
    return f"Lines {part.first} to {part.last} of {part.total_lines}."


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except (paths.PathNotFoundError, paths.UnreadableError) as fault:
        raise PathNotFoundError(str(fault)) from fault
    except paths.OutsideWorkspaceError as fault:
        raise OutsideWorkspaceError(str(fault)) from fault
    except files.IsFolderError as fault:
        raise IsFolderError(str(fault)) from fault
    except files.NotTextError as fault:
        raise NotTextError(str(fault)) from fault
    except files.TooLargeError as fault:
        raise TooLargeError(str(fault)) from fault
