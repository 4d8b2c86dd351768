"""`confirm.only_if` in a project: generated types, stubs, tests and the command line."""

from __future__ import annotations

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
