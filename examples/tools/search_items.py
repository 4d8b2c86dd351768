"""search_items in the shop's stock."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import ToolContext

from examples.store import items
from examples.store.orders import money
from examples.store.text_search import NoSearchTermsError as NoWordsError
from generated.models.search_items import Item
from generated.tools.search_items import (
    NoSearchTermsError,
    SearchItemsRequest,
    SearchItemsResponse,
    SearchItemsTool,
)

from ._search import counted, some_words


class SearchItems(SearchItemsTool):
    def execute(
        self, request: SearchItemsRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> SearchItemsResponse:
        try:
            found = items.search(
                db, request.query, request.category, request.below_reorder_point, request.limit
            )
        except NoWordsError as fault:
            raise NoSearchTermsError(str(fault)) from fault
        return SearchItemsResponse(
            items=[_item(item) for item in found.items],
            total=found.total,
            message=counted("item", len(found.items), found.total),
            warnings=some_words(found),
            next_actions=[] if found.total else _wider(request),
        )


def _item(item: items.Item) -> Item:
    return Item(
        sku=item.sku,
        name=item.name,
        category=item.category,
        supplier_id=item.supplier_id,
        list_price=money(item.list_price_cents),
        in_stock=item.in_stock,
        reorder_point=item.reorder_point,
    )


def _wider(request: SearchItemsRequest) -> list[str]:
    """Suggest how to find more, given the conditions of the search."""
    narrowed = ["category"] if request.category else []
    narrowed += ["below_reorder_point"] if request.below_reorder_point else []
    leave_out = [f"Search again without {' and '.join(narrowed)}."] if narrowed else []
    return [*leave_out, "Search again with fewer or more general words."]
