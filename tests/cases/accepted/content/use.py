import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

from generated import (
    OrderRequest,
    OrderResponse,
    OrderTool,
    PrintOrderRequest,
    PrintOrderTool,
    SalesChartRequest,
    SalesChartResponse,
    SalesChartTool,
)
from toolgen.runtime import File, Image, Link, Text, ToolContext, Toolkit, ToolResult

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(20)
PDF = b"%PDF-1.7\n1 0 obj\n"


class SalesChart(SalesChartTool):
    def execute(
        self, request: SalesChartRequest, context: ToolContext
    ) -> ToolResult[SalesChartResponse, Image | Link]:
        report = Link(f"https://example.com/reports/{request.year}", media_type="text/html")
        return ToolResult(SalesChartResponse(total=7), Image(io.BytesIO(PNG)), report)


class PrintOrder(PrintOrderTool):
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def execute(self, request: PrintOrderRequest, context: ToolContext) -> list[File | Text]:
        return [File(self.folder / "order.pdf"), Text("One page.")]


class Order(OrderTool):
    async def execute(
        self, request: OrderRequest, context: ToolContext
    ) -> OrderResponse | ToolResult[OrderResponse, File]:
        return ToolResult(OrderResponse(id=1), File(pages(), name="receipt.pdf"))


async def pages() -> AsyncIterator[bytes]:
    yield PDF[:5]
    yield PDF[5:]


with TemporaryDirectory() as folder:
    Path(folder, "order.pdf").write_bytes(PDF)
    kit = Toolkit([SalesChart(), PrintOrder(Path(folder)), Order()])
    for name in ("sales_chart", "print_order", "order"):
        response = asyncio.run(kit.call(name, {"year": 2026}))
        print(name, response.success, response.content)
        for block in response.blocks:
            print(" ", block.as_dict())
