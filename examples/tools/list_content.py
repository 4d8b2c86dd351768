"""list_content over the shop's website."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import ToolContext

from examples.store import content
from examples.store.wording import count
from generated.models.list_content import ListedItem
from generated.tools.list_content import ListContentRequest, ListContentResponse, ListContentTool


class ListContent(ListContentTool):
    def execute(
        self, request: ListContentRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> ListContentResponse:
        items, total = content.list_items(db, request.types or (), request.limit, request.offset)
        after = request.offset + len(items)
        more = bool(items) and after < total
        shown = f", {request.offset + 1} to {after} shown" if items and len(items) < total else ""
        past_the_end = total > 0 and not items
        return ListContentResponse(
            items=[ListedItem.model_validate(item, from_attributes=True) for item in items],
            total=total,
            message=f"{count(total, 'item')}{shown}.",
            warnings=[f"offset {request.offset} is past the last item."] if past_the_end else [],
            next_actions=[f"For the next page, call with offset {after}."] if more else [],
        )
