"""`confirm.only_if` in a project: generated types, stubs, tests and the command line."""

from __future__ import annotations

import json
import re

from tests.end_to_end.project import Project

SPEC = """
name: order
description: Order an article.
annotations: {readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false}
input_schema:
  type: object
  additionalProperties: false
  required: [article]
  properties:
    article: {type: string, maxLength: 40}
    confirm: {type: boolean, default: false}
output_schema:
  type: object
  additionalProperties: false
  required: [message]
  properties: {message: {type: string}}
confirm: {message: "Order {article}?", preview: true, only_if: /confirm}
examples:
  - {name: preview, input: {article: bell}, output: {message: Order bell}}
  - {name: order, input: {article: bell, confirm: true}, output: {message: Ordered bell}}
"""
TOOL = """
from pathlib import Path
from generated.tools.order import OrderRequest, OrderResponse, OrderTool

class Order(OrderTool):
    def preview(self, request: OrderRequest, context: object) -> OrderResponse:
        return OrderResponse(message=f"Order {request.article}")

    def execute(self, request: OrderRequest, context: object) -> OrderResponse:
        with Path("ordered.txt").open("a") as file:
            file.write(f"{request.article}\\n")
        return OrderResponse(message=f"Ordered {request.article}")
"""


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


def test_the_examples_pass_and_the_command_line_previews(project: Project) -> None:
    project.add_tool("order", SPEC, TOOL)
    project.generate()
    tested = project.toolgen("test", "--examples-only")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    (project.root / "ordered.txt").unlink(missing_ok=True)
    shown = project.toolgen("call", "order", "--input", '{"article": "bell"}')
    assert json.loads(shown.stdout) == {"message": "Order bell"}, shown.stderr
    assert not (project.root / "ordered.txt").exists()
    done = project.toolgen("call", "order", "--yes", "--input", '{"article": "bell", "confirm": true}')
    assert json.loads(done.stdout) == {"message": "Ordered bell"}, done.stderr
    assert (project.root / "ordered.txt").read_text() == "bell\n"
