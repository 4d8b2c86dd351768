"""search: lines of the workspace's files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import patterns, text_files, text_find
from examples.store import workspace as paths
from examples.store.wording import count
from examples.store.workspace import Workspace
from generated.models.search import Match
from generated.models.shared.workspace import SkippedFile
from generated.tools.search import (
    InvalidPatternError,
    OutsideWorkspaceError,
    PathNotFoundError,
    PatternTooExpensiveError,
    SearchRequest,
    SearchResponse,
    SearchTool,
    TooManyFilesError,
)


class Search(SearchTool):
    def execute(
        self, request: SearchRequest, context: ToolContext, *, workspace: Workspace
    ) -> SearchResponse:
        wanted = text_find.Query(
            request.query, request.mode, request.ignore_case, request.path, request.include
        )
        with _declared():
            found = text_find.search(workspace, wanted, request.limit)
        return SearchResponse(
            matches=[Match.model_validate(match, from_attributes=True) for match in found.matches],
            total=found.total,
            files_searched=found.searched,
            skipped=[SkippedFile(path=skipped.path, reason=skipped.reason) for skipped in found.skipped],
            message=_message(found),
            warnings=["Some files were not searched; see skipped."] if found.skipped else [],
            next_actions=[]
            if found.total
            else ["Search again with another word, or in the whole workspace."],
        )


def _message(found: text_find.Matches) -> str:
    searched = count(found.searched, "file")
    if not found.total:
        return f"No line matches in {searched}."
    cut = "" if found.total == len(found.matches) else f"; only the first {len(found.matches)} shown"
    return f"{count(found.total, 'line')} in {searched} searched{cut}."


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except (paths.PathNotFoundError, paths.UnreadableError) as fault:
        raise PathNotFoundError(str(fault)) from fault
    except paths.OutsideWorkspaceError as fault:
        raise OutsideWorkspaceError(str(fault)) from fault
    except patterns.InvalidPatternError as fault:
        raise InvalidPatternError(str(fault)) from fault
    except patterns.PatternTooExpensiveError as fault:
        raise PatternTooExpensiveError(str(fault)) from fault
    except text_files.TooManyFilesError as fault:
        raise TooManyFilesError(str(fault)) from fault
