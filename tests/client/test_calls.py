"""Calls of a generated client: typed requests and responses, declared errors, streams, content, pages."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import pytest
from toolgen.client import Question
from toolgen.runtime.errors import (
    ConfirmationRequiredError,
    DeclinedError,
    InvalidRequestError,
    QuestionCancelledError,
    ToolTimeoutError,
)


def item(sku: str) -> Any:
    """Return an item of an order."""
    return importlib.import_module("cafe.models.order").Item(sku=sku)


async def test_a_response_is_an_instance_of_its_model(client: ModuleType, server: Any) -> None:
    async with client.CafeClient.connect(server) as shop:
        order = await shop.order(items=[item("A")], note=None)
    assert isinstance(order, client.OrderResponse)
    assert order.items[0].sku == "A"


async def test_only_what_is_given_is_sent(client: ModuleType, server: Any) -> None:
    async with client.CafeClient.connect(server) as shop:
        await shop.order(items=[item("A")], note=None)
        await shop.order(items=[item("B")], deliver_on="today")
    sent = importlib.import_module("cafe_tools.order").CALLS
    assert sent == [{"items": [{"sku": "A"}], "note": None}, {"items": [{"sku": "B"}], "deliverOn": "today"}]


async def test_a_declared_error_is_an_exception_of_its_own(client: ModuleType, server: Any) -> None:
    errors = importlib.import_module("cafe.tools.order")
    async with client.CafeClient.connect(server) as shop:
        with pytest.raises(errors.OutOfStockError, match=r"There is no NONE\.") as raised:
            await shop.order(items=[item("NONE")])
    assert raised.value.details == {"sku": "NONE"}


async def test_invalid_arguments_are_refused_before_they_are_sent(client: ModuleType, server: Any) -> None:
    async with client.CafeClient.connect(server) as shop:
        with pytest.raises(InvalidRequestError, match="note: expected at most 20 characters"):
            await shop.order(items=[item("A")], note="x" * 21)
    assert importlib.import_module("cafe_tools.order").CALLS == []


async def test_a_stream_yields_its_chunks_and_then_the_response(client: ModuleType, server: Any) -> None:
    progress: list[Any] = []
    content: list[Any] = []
    async with client.CafeClient.connect(server) as shop:
        reporting = shop.with_options(
            on_progress=lambda *told: progress.append(told), on_content=content.append
        )
        found = [each async for each in reporting.lines(count=2)]
        numbers = [each async for each in shop.numbers(count=3)]
    assert found == ["line 0", "line 1", client.LinesResponse(sent=2)]
    assert progress == [(1, 10, "begins")]
    assert content == []
    assert numbers == [0, 1, 2]


async def test_content_comes_with_the_response(client: ModuleType, server: Any) -> None:
    async with client.CafeClient.connect(server) as shop:
        chart = await shop.chart()
    assert chart.response == client.ChartResponse(total=3)
    assert [(each.type, each.media_type) for each in chart.content] == [("image", "image/png")]
    assert chart.content[0].data.startswith(b"\x89PNG")


async def test_a_tool_without_output_schema_returns_json_and_blocks(client: ModuleType, server: Any) -> None:
    async with client.CafeClient.connect(server) as shop:
        note = await shop.note(anything=[1, 2])
    assert note.response == {"given": {"anything": [1, 2]}}
    assert [each.text for each in note.content] == ["for people"]


async def test_pages_are_an_iterator(client: ModuleType, server: Any) -> None:
    async with client.CafeClient.connect(server) as shop:
        found = [page.found async for page in shop.pages(shop.search, size=2)]
        with pytest.raises(TypeError, match="order has no pages"):
            [page async for page in shop.pages(shop.order, items=[])]
    assert found == [[0, 1], [2, 3], [4]]


async def test_a_retryable_error_is_repeated_only_if_that_is_wanted(client: ModuleType, server: Any) -> None:
    errors = importlib.import_module("cafe.tools.order")
    async with client.CafeClient.connect(server) as shop:
        with pytest.raises(errors.BusyError):
            await shop.order(items=[item("BUSY")])
        order = await shop.with_options(retries=2).order(items=[item("BUSY")])
    assert order.id == 7
    assert len(importlib.import_module("cafe_tools.order").CALLS) == 3


async def test_a_timeout_is_repeated_for_a_read_only_tool(client: ModuleType, server: Any) -> None:
    told: list[Any] = []
    async with client.CafeClient.connect(server) as shop:
        with pytest.raises(ToolTimeoutError, match=r"slow did not answer within 0\.2 seconds"):
            await shop.with_options(timeout=0.2).slow(seconds=30)
        importlib.import_module("cafe_tools.slow").CALLS.clear()
        patient = shop.with_options(timeout=0.5, retries=1, on_progress=lambda *each: told.append(each))
        assert (await patient.slow(seconds=30)).calls == 2
    assert (1, 2, "half") in told


@pytest.mark.parametrize(
    ("answer", "error"), [(True, None), (False, DeclinedError), (None, QuestionCancelledError)]
)
async def test_a_question_is_answered_by_the_callback(
    client: ModuleType, server: Any, answer: bool | None, error: type[Exception] | None
) -> None:
    asked: list[Question] = []

    async def confirm(question: Question) -> bool | None:
        asked.append(question)
        return answer

    async with client.CafeClient.connect(server, confirm=confirm) as shop:
        if error is None:
            assert (await shop.buy(what="tea")).bought == "tea"
        else:
            with pytest.raises(error):
                await shop.buy(what="tea")
    assert [each.message for each in asked] == ["Buy tea?"]


async def test_without_a_callback_nobody_confirms(client: ModuleType, server: Any) -> None:
    async with client.CafeClient.connect(server) as shop:
        with pytest.raises(ConfirmationRequiredError, match="Buy tea"):
            await shop.buy(what="tea")


def test_the_synchronous_client_does_the_same(client: ModuleType, server: Any) -> None:
    sync = importlib.import_module("cafe.sync")
    with sync.CafeClient.connect(server, confirm=lambda question: True) as shop:
        assert shop.order(items=[item("A")]).id == 7
        assert list(shop.numbers(count=2)) == [0, 1]
        assert [page.found for page in shop.pages(shop.search, size=3)] == [[0, 1, 2], [3, 4]]
        assert shop.buy(what="tea").bought == "tea"
        with pytest.raises(ToolTimeoutError):
            shop.with_options(timeout=0.2).slow(seconds=30)
