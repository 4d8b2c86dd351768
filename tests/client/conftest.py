"""Fixtures: a server of toolgen's own in this process, and a client that was generated from its specs."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.end_to_end.project import Project

SPECS = {
    path.stem: path.read_text("utf-8") for path in sorted(Path(__file__).with_name("specs").glob("*.yaml"))
}
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOOLS = {
    "order": """
        CALLS = []

        class Order(OrderTool):
            def execute(self, request, context):
                CALLS.append(request.model_dump(mode="json", by_alias=True, exclude_unset=True))
                if request.items[0].sku == "NONE":
                    raise OutOfStockError("There is no NONE.", details={"sku": "NONE"})
                if request.items[0].sku == "BUSY" and len(CALLS) < 3:
                    raise BusyError(retry_after=0)
                return {"id": 7, "items": [{"sku": item.sku} for item in request.items], "note": None}
    """,
    "lines": """
        class Lines(LinesTool):
            async def execute(self, request, context):
                await context.progress(1, 10, "begins")
                for number in range(request.count):
                    yield f"line {number}"
                yield LinesResponse(sent=request.count)
    """,
    "numbers": """
        class Numbers(NumbersTool):
            async def execute(self, request, context):
                for number in range(request.count):
                    yield number
    """,
    "chart": f"""
        from base64 import b64decode
        from toolgen.runtime import Image, ToolResult

        class Chart(ChartTool):
            def execute(self, request, context):
                return ToolResult(ChartResponse(total=3), Image(b64decode("{PNG}"), media_type="image/png"))
    """,
    "search": """
        class Search(SearchTool):
            def execute(self, request, context):
                at, size = int(request.cursor or 0), request.size or 2
                more = {"next": str(at + size)} if at + size < 5 else {}
                return {"found": list(range(at, min(at + size, 5))), **more}
    """,
    "buy": """
        class Buy(BuyTool):
            def execute(self, request, context):
                return BuyResponse(bought=request.what)
    """,
    "note": """
        from toolgen.runtime import Text, ToolResult

        class Note(NoteTool):
            def execute(self, request, context):
                return ToolResult({"given": request.model_extra}, Text("for people"))
    """,
    "list": """
        class List(ListTool):
            def execute(self, request, context):
                return list(range(request.self_))
    """,
    "slow": """
        import asyncio

        CALLS = []

        class Slow(SlowTool):
            async def execute(self, request, context):
                CALLS.append(1)
                await context.progress(1, 2, "half")
                await asyncio.sleep(request.seconds if len(CALLS) == 1 else 0)
                return SlowResponse(calls=len(CALLS))
    """,
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the server `cafe_server` and the client `cafe`, both importable."""
    root = tmp_path_factory.mktemp("client")
    made = Project.create(root, output="cafe_server", implementations="cafe_tools")
    for name, spec in SPECS.items():
        made.write(f"specs/{name}.yaml", spec)
        imports = f"from cafe_server.tools.{name} import *\n"
        text = "\n".join(line.removeprefix(" " * 8) for line in TOOLS[name].split("\n"))
        made.write(f"cafe_tools/{name}.py", imports + text)
    for command in (["generate"], ["client", ".", "--package", "cafe"]):
        done = made.toolgen(*command)
        assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(root))
    yield root
    sys.path.remove(str(root))


@pytest.fixture
def client(folder: Path) -> ModuleType:
    """The package of the client."""
    return importlib.import_module("cafe")


@pytest.fixture
def server(folder: Path) -> Any:
    """The server, new for each test."""
    for name in ("order", "slow"):
        importlib.import_module(f"cafe_tools.{name}").CALLS.clear()
    return importlib.import_module("cafe_server.mcp_server").build_server()
