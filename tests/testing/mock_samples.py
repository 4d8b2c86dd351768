"""Specs of a small shop, and calls of its mock."""

from __future__ import annotations

import asyncio
import textwrap
from pathlib import Path
from typing import Any

from toolgen.runtime import ToolResponse
from toolgen.testing import mock_toolkit

ORDER = """\
name: order
description: Order articles.
input_schema:
  type: object
  additionalProperties: false
  required: [article]
  properties:
    article: {type: string, minLength: 1}
    count: {type: integer, minimum: 1}
output_schema:
  type: object
  additionalProperties: false
  required: [number, article, price]
  properties:
    number: {type: integer, minimum: 1}
    article: {type: string}
    price: {type: number, minimum: 0}
errors:
  - {code: out_of_stock, description: None is left., retryable: true, hint: Ask again tomorrow.}
examples:
  - name: brakes
    input: {article: brakes, count: 2}
    output: {number: 7, article: brakes, price: 12.5}
  - {name: none left, input: {article: saddle}, error: out_of_stock}
  - {name: only the input matters, input: {article: chain}}
"""


def write_specs(folder: Path, **specs: str) -> Path:
    """Write a project with these specs, and return its folder."""
    (folder / "specs").mkdir(parents=True)
    (folder / "toolgen.toml").write_text("")
    for name, text in specs.items():
        (folder / "specs" / f"{name}.yaml").write_text(textwrap.dedent(text))
    return folder


def call(
    folder: Path, name: str, arguments: Any, *, mock: dict[str, Any] | None = None, **options: Any
) -> ToolResponse:
    """Call a tool of the mock of a project once."""
    toolkit = mock_toolkit(folder, **(mock or {}))
    return asyncio.run(toolkit.call(name, arguments, **options))


def how(response: ToolResponse) -> Any:
    """Return what a response says about the mock's answer."""
    return response.metadata.get("toolgen/mock")
