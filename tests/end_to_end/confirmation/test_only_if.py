"""`confirm.only_if` in a project: generated types, stubs, tests and the command line."""

from __future__ import annotations

import re
from pathlib import Path

from tests.end_to_end.project import Project

SPEC = Path(__file__).with_name("only_if.yaml").read_text("utf-8")


def test_the_generated_preview_and_the_stub_return_a_response(project: Project) -> None:
    project.add_tool("order", SPEC)
    project.generate()
    generated = (project.root / "generated/tools/order.py").read_text()
    (returned,) = re.findall(r"def preview\(.*?\) -> (.*?):\n", generated, re.DOTALL)
    assert returned == "OrderResponse | Awaitable[OrderResponse]"
    assert project.toolgen("new", "--all").returncode == 0
    stub = (project.root / "tools/order.py").read_text()
    assert ") -> OrderResponse:" in stub.partition("def execute")[0]
    assert "import OrderRequest, OrderResponse, OrderTool\n" in stub
