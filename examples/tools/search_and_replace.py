"""search_and_replace in the workspace folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from toolgen.runtime import ToolContext

from examples.store import patterns, replace, text_files
from examples.store import workspace as files
from examples.store.wording import count
from examples.store.workspace import Workspace
from generated.models.search_and_replace import ChangedFile
from generated.models.shared.workspace import SkippedFile
from generated.tools.search_and_replace import (
    ChangedMeanwhileError,
    InvalidPatternError,
    NotWritableError,
    OutsideWorkspaceError,
    PathNotFoundError,
    PatternTooExpensiveError,
    SearchAndReplaceRequest,
    SearchAndReplaceResponse,
    SearchAndReplaceTool,
    TooManyFilesError,
)


class SearchAndReplace(SearchAndReplaceTool):
    def preview(
        self, request: SearchAndReplaceRequest, context: ToolContext, *, workspace: Workspace
    ) -> SearchAndReplaceResponse:
        with _declared():
            planned = replace.plan(workspace, _wanted(request))
        return _response(planned, is_preview=True, message=replace.describe(planned))

    def execute(
        self, request: SearchAndReplaceRequest, context: ToolContext, *, workspace: Workspace
    ) -> SearchAndReplaceResponse:
        with _declared():
            planned = replace.plan(workspace, _wanted(request))
            context.check_approval(replace.describe(planned))
            replace.apply(workspace, planned)  # refuses files that have changed since the plan
        changed = f"{count(planned.replacements, 'replacement')} in {count(len(planned.changes), 'file')}."
        message = changed if planned.changes else "Nothing matched; no file changed."
        return _response(planned, is_preview=False, message=message)


def _wanted(request: SearchAndReplaceRequest) -> replace.Replacement:
    return replace.Replacement(
        search=request.search,
        replacement=request.replacement,
        mode=request.mode,
        ignore_case=request.ignore_case,
        path=request.path,
        include=request.include,
    )


def _response(done: replace.Plan, *, is_preview: bool, message: str) -> SearchAndReplaceResponse:
    return SearchAndReplaceResponse(
        is_preview=is_preview,
        files=[ChangedFile(path=change.path, replacements=change.replacements) for change in done.changes],
        replacements=done.replacements,
        files_searched=done.searched,
        skipped=[SkippedFile(path=skipped.path, reason=skipped.reason) for skipped in done.skipped],
        message=message,
        warnings=["Some files were not searched; see skipped."] if done.skipped else [],
        next_actions=[] if done.changes else ["Check the spelling, or search again with ignore_case."],
    )


@contextmanager
def _declared() -> Iterator[None]:
    """Map the store's errors to those that the spec declares."""
    try:
        yield
    except files.PathNotFoundError as fault:
        raise PathNotFoundError(str(fault)) from fault
    except files.OutsideWorkspaceError as fault:
        raise OutsideWorkspaceError(str(fault)) from fault
    except files.UnreadableError as fault:
        raise PathNotFoundError(str(fault)) from fault
    except files.NotWritableError as fault:
        raise NotWritableError(str(fault)) from fault
    except files.ChangedMeanwhileError as fault:
        raise ChangedMeanwhileError(str(fault)) from fault
    except patterns.InvalidPatternError as fault:
        raise InvalidPatternError(str(fault)) from fault
    except patterns.PatternTooExpensiveError as fault:
        raise PatternTooExpensiveError(str(fault)) from fault
    except text_files.TooManyFilesError as fault:
        raise TooManyFilesError(str(fault)) from fault
