"""Seed 004, the tool interface pattern: flat, typed, confirmed by the user, observed."""

from __future__ import annotations

import base64
import re
import zlib
from typing import Any

from mcp_types import BlobResourceContents, EmbeddedResource
from toolgen.runtime import ToolConfig, ToolEvent

from generated.models.create_purchase_order import CreatePurchaseOrderRequest

from .narration import chapter, must, quote, show, step, tell
from .shop import Log, Shop, as_json, data_of, refusal_of

ORDER: dict[str, Any] = {
    "supplier_id": 3,
    "location_id": 2,
    "order_number": "PO-2026-0005",
    "items": [{"sku": "CHN-11S", "quantity": 20}, {"sku": "CAS-1142", "quantity": 4, "unit_price": "59.90"}],
}
ONE_LINE = ORDER | {"items": ORDER["items"][:1]}
PAPER: dict[str, Any] = {"order_number": "PO-2026-0005", "lines": [{"sku": "CHN-11S", "quantity": 20}]}


async def walk(shop: Shop) -> None:
    """Show this design with real calls."""
    chapter(
        "004",
        "Tool interface pattern",
        "Typed requests and responses with flat parameters; the user is asked before an order is placed.",
    )
    await refuse(shop)
    await confirm(shop)
    await print_order(shop)
    await verify(shop)
    await observe(shop)


async def refuse(shop: Shop) -> None:
    step("An invalid request never reaches the code; an error has a hint for the model")
    quote("generated/models/create_purchase_order.py", "class CreatePurchaseOrderRequest")
    fields = CreatePurchaseOrderRequest.model_fields.keys()
    listed = {tool.name: tool.input_schema for tool in (await shop.client.list_tools()).tools}
    must(listed["create_purchase_order"]["properties"].keys() == fields, "its fields are the parameters")
    wrong = {"supplier_id": 0, "order_number": "5", "items": [{"sku": "CHN-11S"}], "urgent": True}
    tell("answer", refusal_of(await shop.call("create_purchase_order", wrong), "invalid_request"))
    unknown = await shop.call("create_purchase_order", ONE_LINE | {"supplier_id": 99})
    tell("answer", refusal_of(unknown, "supplier_not_found"))


async def confirm(shop: Shop) -> None:
    step("Preview, confirmation, order: nothing is ordered before the user agrees")
    quote("specs/create_purchase_order.yaml", "confirm:", 4)
    asked = shop.user.asked
    shop.user.agrees = False
    tell("orders", f"{await orders(shop)} in the database")
    declined = await shop.call("create_purchase_order", ORDER)
    tell("answer", refusal_of(declined, "declined"))
    tell("orders", f"{await orders(shop)} in the database")
    show()
    shop.user.agrees = True
    placed = data_of(await shop.call("create_purchase_order", ORDER, "the same again"))
    must(shop.user.asked == asked + 2, "the user is asked each time")
    tell("answer", f"{placed['message']}\nNext: {' '.join(placed['next_actions'])}")
    tell("", ", ".join(f"{key} {placed[key]}" for key in ("status", "total_cost", "is_preview")))
    tell("orders", f"{await orders(shop)} in the database")


async def print_order(shop: Shop) -> None:
    step("The order on paper: a PDF beside the response")
    quote("specs/print_purchase_order.yaml", "content:", 2)
    printed = await shop.call("print_purchase_order", {"order_number": ORDER["order_number"]})
    tell("answer", data_of(printed)["message"])
    file = printed.content[1]
    must(isinstance(file, EmbeddedResource), "MCP has the file as an embedded resource")
    if isinstance(file, EmbeddedResource) and isinstance(file.resource, BlobResourceContents):
        pdf = base64.b64decode(file.resource.blob)
        must(pdf.startswith(b"%PDF-"), "the file is a PDF")
        tell("file", f"{file.resource.mime_type}: {', '.join(texts(pdf))}")


async def verify(shop: Shop) -> None:
    step("A delivery note is compared with the order; a read-only tool needs no confirmation")
    asked = shop.user.asked
    found = data_of(await shop.call("verify_order_document", PAPER))
    must(shop.user.asked == asked, "the user was not asked")
    tell("answer", found["message"])
    for mismatch in found["mismatches"]:
        tell("", as_json(mismatch))
    tell("", f"Next: {' '.join(found['next_actions'])}")


async def observe(shop: Shop) -> None:
    step("Every call has events and log records, without code in the tool")
    events: list[ToolEvent] = []
    log = Log("demo.search")
    toolkit = shop.toolkit(ToolConfig(callback=events.append, logger=log.logger))
    for query in ("chain", "?!"):
        await toolkit.call("search_items", {"query": query})
    for call_id in dict.fromkeys(event.call_id for event in events):
        kinds = [event.kind for event in events if event.call_id == call_id]
        tell("events", f"call {call_id}: {', '.join(kinds)}")
    log.tell()


def texts(pdf: bytes) -> list[str]:
    """Return the texts that a PDF draws."""
    streams = re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)
    pages = b"".join(zlib.decompress(stream) for stream in streams)
    return [text.decode("latin-1") for text in re.findall(rb"\((.*?)\) Tj", pages)]


async def orders(shop: Shop) -> int:
    """How many orders the database holds."""
    query = {"query": "SELECT count(*) FROM purchase_orders"}
    rows = data_of(await shop.client.call_tool("sql_query", query))["rows"]
    return int(rows[0][0])
