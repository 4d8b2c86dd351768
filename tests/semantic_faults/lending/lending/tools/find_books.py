"""find_books."""

from __future__ import annotations

from dataclasses import asdict

from generated.tools.find_books import FindBooksRequest, FindBooksResponse, FindBooksTool, NoWordsError
from toolgen.runtime import ToolContext

from lending.store import Library, RefusedError


class FindBooks(FindBooksTool):
    def execute(
        self, request: FindBooksRequest, context: ToolContext, *, library: Library
    ) -> FindBooksResponse:
        try:
            books, total = library.find_books(
                request.words, request.language, request.available_only, request.limit
            )
        except RefusedError as fault:
            raise NoWordsError(str(fault)) from fault
        return FindBooksResponse.model_validate({"books": [asdict(book) for book in books], "total": total})
