"""Search of tools: what users say finds them, and nothing in a query is syntax."""

from __future__ import annotations

import pytest
from toolgen.runtime.tool_search import SearchedTool, ToolSearch

from tests.processes import processor_limit

ORDERS = SearchedTool(
    "createPurchaseOrder",
    "Send an order to a supplier.",
    {"properties": {"due": {"type": "string", "description": "The day of delivery."}, "odd": True}},
    title="Order parts",
)
TICKETS = SearchedTool("list_tickets", "List open tickets of customers.", {})
CHARTS = SearchedTool("chart", "Dessine un diagramme à barres.", {"properties": {"Größe": {}}})
JAPANESE = SearchedTool("jp", "新しい注文を作成する", {})
ALL = [ORDERS, TICKETS, CHARTS, JAPANESE]


def found(text: str, limit: int = 5) -> list[str]:
    with ToolSearch(ALL) as search:
        return list(search.find(text, limit))


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("create a purchase order, please", "createPurchaseOrder"),
        ("which day is the delivery?", "createPurchaseOrder"),
        ("un diagramme a barres", "chart"),
        ("注文", "jp"),
    ],
)
def test_words_of_users_find_the_tool(text: str, tool: str) -> None:
    assert found(text)[:1] == [tool]


@pytest.mark.parametrize("text", ["", "  ", "?!", "zebra", "\ud800"])
def test_a_text_without_a_known_word_finds_nothing(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '" OR name:* tickets',
        "tickets'); DROP TABLE tools; --",
        "{name}:tickets -tickets +",
    ],
)
def test_nothing_in_a_query_is_syntax(text: str) -> None:
    assert "list_tickets" in found(text)


def test_huge_texts_are_bounded() -> None:
    with processor_limit(5):
        tool = SearchedTool("x", "word " * 1_000_000, {"properties": {f"p{n}": {} for n in range(100_000)}})
        with ToolSearch([tool, *ALL]) as search:
            query = " ".join(f"w{n}" for n in range(200_000))
            assert next(iter(search.find(f"tickets {query}"))) == "list_tickets"
            assert search.find(f"{query} tickets") == {}  # beyond the words that count
