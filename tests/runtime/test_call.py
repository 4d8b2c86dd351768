"""One call through the sample packages."""

from __future__ import annotations

import asyncio
from typing import Any

from shop import catalog
from toolgen.runtime import Confirmation, ToolResponse

ORDER = {"supplier_id": 1, "items": [{"sku": "AB-1", "quantity": 2}]}


def call(name: str, arguments: Any = None, **options: Any) -> ToolResponse:
    return asyncio.run(catalog.toolkit().call(name, arguments, **options))


def test_a_valid_call_returns_content() -> None:
    response = call("create_order", ORDER)
    assert (response.success, response.content, response.error) == (True, {"order_id": 7, "total": 5.0}, None)
    assert response.as_text() == '{"order_id":7,"total":5.0}'


def test_an_alias_answers_under_the_wire_name() -> None:
    assert call("make_po", ORDER).tool_name == "create_order"


def test_an_invalid_request_is_answered_with_every_fault() -> None:
    response = call(
        "create_order", {"supplier_id": "1", "items": [{"sku": "AB-1", "quantity": 0}], "prority": "low"}
    )
    head, *lines = response.as_text().splitlines()
    assert head == "Error [invalid_request]: Invalid arguments for create_order:"
    assert sorted(lines, reverse=True) == [
        '- $.supplier_id: expected integer, got the string "1"',
        '- $.prority: unknown property; did you mean "priority"?',
        "- $.items[0].quantity: expected at least 1, got 0",
    ]


def test_a_declared_error_has_its_hint() -> None:
    response = call("create_order", ORDER | {"supplier_id": 99})
    assert response.as_text() == (
        "Error [supplier_not_found]: No supplier 99.\nHint: Call search_suppliers first."
    )


def test_a_tool_without_implementation_answers_not_implemented() -> None:
    assert (
        call("planned").as_text()
        == "Error [not_implemented]: planned is not implemented in this application."
    )


def test_an_unknown_tool_is_answered_with_a_suggestion() -> None:
    assert call("create_orders").as_text() == (
        'Error [unknown_tool]: There is no tool called "create_orders". Did you mean "create_order"?'
    )


def test_the_user_is_asked_with_message_and_preview() -> None:
    asked: list[Confirmation] = []

    async def confirm(confirmation: Confirmation) -> bool:
        asked.append(confirmation)
        return True

    arguments = {"table": "supplier", "also": ["a", "b"]}
    assert call("drop_table", arguments, confirm=confirm).content == {"left": ["line"]}
    preview = "2 rows of supplier would be lost."
    assert asked == [Confirmation("drop_table", "Drop supplier and 2 more?", arguments, preview)]


def test_the_user_can_decline() -> None:
    async def confirm(confirmation: Confirmation) -> bool:
        return False

    response = call("drop_table", {"table": "supplier"}, confirm=confirm)
    assert response.error is not None
    assert response.error.code == "declined"
