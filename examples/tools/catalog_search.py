"""catalog_search over the shop's library."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import ToolContext

from examples.store import catalog
from examples.store.text_search import NoSearchTermsError as NoWordsError
from generated.models.catalog_search import Document
from generated.tools.catalog_search import (
    CatalogSearchRequest,
    CatalogSearchResponse,
    CatalogSearchTool,
    NoSearchTermsError,
)

from ._search import counted, some_words


class CatalogSearch(CatalogSearchTool):
    def execute(
        self, request: CatalogSearchRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> CatalogSearchResponse:
        limits = catalog.Limits(
            subjects=request.subjects or (),
            year_from=request.year_from,
            year_to=request.year_to,
            count=request.limit,
        )
        try:
            found = catalog.search_documents(db, request.query, limits)
        except NoWordsError as fault:
            raise NoSearchTermsError(str(fault)) from fault
        return CatalogSearchResponse(
            documents=[
                Document.model_validate(document, from_attributes=True) for document in found.documents
            ],
            total=found.total,
            message=counted("document", len(found.documents), found.total),
            warnings=some_words(found),
            next_actions=[] if found.total else _wider(request),
        )


def _wider(request: CatalogSearchRequest) -> list[str]:
    """Suggest how to find more, given the conditions of the search."""
    narrowed = [name for name in ("subjects", "year_from", "year_to") if getattr(request, name) is not None]
    leave_out = [f"Search again without {' and '.join(narrowed)}."] if narrowed else []
    return [*leave_out, "Search again with fewer or more general words."]
