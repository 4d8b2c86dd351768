"""A response arrives by every route as the code has put it together, types included."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from adapter_samples import Request, define
from mcp import Client
from pydantic import BaseModel, ConfigDict, Field
from test_adapters_agree import texts
from toolgen import serving
from toolgen.runtime import BaseTool, ToolContext, Toolkit
from toolgen.upstream.client.tool import ClientTool


class Line(BaseModel):
    model_config = ConfigDict(extra="allow")

    sku: str
    notes: list[str] = Field(default_factory=list)


class PricedLine(Line):
    price: float = 0.0


class Order(BaseModel):
    model_config = ConfigDict(extra="allow", validate_by_name=True)

    first: Line
    lines: list[Line] = Field(default_factory=list)
    note: str | None = None
    ship_to: str | None = Field(None, alias="shipTo")
    warnings: list[str] = Field(default_factory=list)
    total: float = 0.0


TEXTS = {"type": "array", "items": {"type": "string"}}
LINE = {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string"}, "notes": TEXTS}}
SCHEMA = {
    "type": "object",
    "required": ["first"],
    "properties": {
        "first": LINE,
        "lines": {"type": "array", "items": LINE},
        "note": {"type": "string"},
        "shipTo": {"type": ["string", "null"]},
        "warnings": TEXTS,
        "total": {"type": "number"},
    },
}
SENT = {
    "first": {"sku": "A", "notes": ["größer"], "price": 1.5},
    "lines": [{"sku": "B"}, {"sku": "C", "notes": [""]}],
    "shipTo": None,
    "warnings": ["late"],
    "total": 2.0,
    "more": {"n": 1, "x": None},
}


def first() -> PricedLine:
    line = PricedLine(sku="A", price=1.5)
    line.notes.append("größer")
    return line


def lines() -> list[Line]:
    return [Line(sku="B"), Line(sku="C", notes=[""])]


def in_place() -> Any:
    order = Order.model_validate({"first": first(), "shipTo": None, "more": {"n": 1}})
    order.lines.extend(lines())
    order.warnings.append("late")
    order.total += 2
    order.note = None
    order.model_extra["more"]["x"] = None  # type: ignore[index]
    return order


def mapping_with_models() -> Any:
    return {**SENT, "note": None, "first": first(), "lines": lines()}


WAYS = (in_place, mapping_with_models)  # of those that tests/fidelity/test_responses_arrive.py has


def tool_of(make: Callable[[], Any], **more: Any) -> BaseTool[Any, Any]:
    class Made(BaseTool[Request, Any]):
        definition = define("make", "Make.", {"type": "object"}, output_schema=SCHEMA, **more)
        request_model = Request
        response_model = Order

        async def execute(self, request: Request, context: ToolContext) -> Any:
            return make()

        async def preview(self, request: Request, context: ToolContext) -> str:
            make()
            return "It is made."

    return Made()


def as_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("make", WAYS)
def test_what_was_put_in_arrives_by_every_route(make: Callable[[], Any]) -> None:
    found = asyncio.run(texts("make", {}, Toolkit([tool_of(make)])))
    assert len(found) == 8
    assert {route: as_text(json.loads(text)) for route, text in found.items()} == dict.fromkeys(
        found, as_text(SENT)
    )


@pytest.mark.parametrize("make", WAYS)
async def test_a_typed_client_reads_what_was_put_in(make: Callable[[], Any]) -> None:
    tool = tool_of(make)
    async with Client(serving.build_server(Toolkit([tool]), name="orders")) as client:
        read = ClientTool(tool.definition, Order).read(await client.call_tool("make", {}))
    assert isinstance(read, Order)
    assert as_text(read.model_dump(mode="json", by_alias=True, exclude_unset=True)) == as_text(SENT)


@pytest.mark.parametrize("make", WAYS[:-1])  # a chunk is a model or JSON
async def test_a_chunk_is_what_was_put_in(make: Callable[[], Any]) -> None:
    class Stream(BaseTool[Request, Any]):
        definition = define("make", "Make.", {"type": "object"}, stream={"chunk_schema": SCHEMA})
        request_model = Request

        async def execute(self, request: Request, context: ToolContext) -> AsyncIterator[Any]:
            yield make()

    seen: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        seen.append(message or "")

    toolkit = Toolkit([Stream()])
    async with Client(serving.build_server(toolkit, name="orders")) as client:
        await client.call_tool("make", {}, progress_callback=progress)
    found = await texts("make", {}, toolkit)
    assert {as_text(json.loads(text)) for text in found.values()} == {as_text([SENT])}
    assert [as_text(json.loads(text)) for text in seen] == [as_text(SENT)]
