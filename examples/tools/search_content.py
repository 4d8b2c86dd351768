"""search_content over the shop's website."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import ToolContext

from examples.store import content
from examples.store.text_search import NoSearchTermsError as NoWordsError
from generated.models.search_content import ContentItem
from generated.tools.search_content import (
    NoSearchTermsError,
    SearchContentRequest,
    SearchContentResponse,
    SearchContentTool,
)

from ._search import counted, some_words


class SearchContent(SearchContentTool):
    def execute(
        self, request: SearchContentRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> SearchContentResponse:
        try:
            found = content.search_items(db, request.query, request.types or (), request.limit)
        except NoWordsError as fault:
            raise NoSearchTermsError(str(fault)) from fault
        return SearchContentResponse(
            items=[ContentItem.model_validate(item, from_attributes=True) for item in found.items],
            total=found.total,
            message=counted("item", len(found.items), found.total),
            warnings=some_words(found),
            next_actions=[] if found.total else _wider(request),
        )


def _wider(request: SearchContentRequest) -> list[str]:
    """Suggest how to find more, given the conditions of the search."""
    leave_out = ["Search again without types."] if request.types else []
    return [*leave_out, "Search again with fewer or more general words."]
