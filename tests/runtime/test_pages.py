"""`max_result_bytes` and `page`: responses that fit, of whole items."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_core import to_json
from toolgen.runtime import Toolkit

from tests.runtime.tool_factory import code_of, make_tool, run

ORDERS = {
    "type": "object",
    "required": ["orders"],
    "additionalProperties": False,
    "properties": {
        "orders": {"type": "array", "items": {"type": "object"}},
        "next": {"type": "string"},
        "total": {"type": "integer"},
    },
}
REQUEST = {
    "type": "object",
    "additionalProperties": False,
    "properties": {"cursor": {"type": "string", "maxLength": 2000}, "of": {"type": "string"}},
}
PAGE = {"items": "/orders", "cursor": "/next", "from": "/cursor"}
ITEMS = [{"id": number, "note": "größer " * (number % 7)} for number in range(50)]


def listing(
    items: list[Any] = ITEMS, *, chunk: int | None = None, limit: int = 400, **definition: Any
) -> Any:
    """Return a tool that lists items, by its own cursor in chunks."""

    async def execute(self: Any, request: Any, context: Any) -> Any:
        start = int(getattr(request, "cursor", None) or 0)
        end = len(items) if chunk is None else start + chunk
        more = {"next": str(end)} if end < len(items) else {}
        return {"orders": items[start:end], "total": len(items), **more}

    fields = {"input_schema": REQUEST, "output_schema": ORDERS, "page": PAGE, **definition}
    return make_tool(execute, max_result_bytes=limit, **fields)


def all_pages(tool: Any, arguments: dict[str, Any], **options: Any) -> list[dict[str, Any]]:
    async def ask() -> list[dict[str, Any]]:
        kit, pages, cursor = Toolkit([tool]), [], None
        while True:
            asked = arguments if cursor is None else {**arguments, "cursor": cursor}
            response = await kit.call("x", asked, **options)
            assert response.error is None, response.error
            pages.append(response.content)
            cursor = response.content.get("next")
            if cursor is None:
                return pages

    return asyncio.run(ask())


@pytest.mark.parametrize("chunk", [None, 50, 20, 7, 1])
@pytest.mark.parametrize("limit", [250, 400, 4000])
def test_pages_have_every_item_once_and_fit(chunk: int | None, limit: int) -> None:
    pages = all_pages(listing(chunk=chunk, limit=limit), {"of": "Nordic"})
    assert [item for page in pages for item in page["orders"]] == ITEMS
    assert all(len(to_json(page)) <= limit for page in pages)
    assert {page["total"] for page in pages} == {50}


@pytest.mark.parametrize("max_page_bytes", [250, 4000])
def test_a_caller_may_ask_for_smaller_pages_and_never_gets_larger_ones(max_page_bytes: int) -> None:
    pages = all_pages(listing(limit=400), {"of": "Nordic"}, max_page_bytes=max_page_bytes)
    sizes = [len(to_json(page)) for page in pages]

    assert [item for page in pages for item in page["orders"]] == ITEMS
    assert max(sizes) <= min(max_page_bytes, 400)
    assert max(sizes) > min(max_page_bytes, 400) - 100


def test_a_response_without_pages_is_refused_and_never_cut() -> None:
    def execute(self: Any, request: Any, context: Any) -> Any:
        return request.model_dump()["given"]

    tool = make_tool(execute, max_result_bytes=100)
    assert run(tool, {"given": "x" * 98}).success
    assert code_of(run(tool, {"given": "x" * 99})) == "too_large"
    assert code_of(run(tool, {"given": "ß" * 50})) == "too_large"
    assert code_of(run(tool, {"given": ["x" * 50, "x" * 50]})) == "too_large"


def test_an_item_larger_than_a_page_is_refused() -> None:
    response = run(listing([{"id": 1}, {"note": "x" * 500}]))
    assert response.content["orders"] == [{"id": 1}]
    rest = run(listing([{"id": 1}, {"note": "x" * 500}]), {"cursor": response.content["next"]})
    assert rest.error is not None
    assert (rest.error.code, rest.error.message) == (
        "too_large",
        "One item of the result of x is larger than 400 bytes.",
    )


@pytest.mark.parametrize(
    "cursor", ["toolgen-page.", "toolgen-page.e30=", "toolgen-page.Wy0xLG51bGxd", "toolgen-page.ä"]
)
def test_a_cursor_that_is_not_ours_is_refused(cursor: str) -> None:
    response = run(listing(), {"cursor": cursor})
    assert response.error is not None
    assert response.error.code == "invalid_request"
    assert "$.cursor: expected the cursor of an earlier response" in response.error.message
