"""The bytes of definitions are those of the lists that targets send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.request_limits import target_sizes, tool_sizes
from toolgen.language.package import PackageSettings
from toolgen.runtime.adapters.anthropic import anthropic_tools
from toolgen.runtime.adapters.bedrock import tool_config
from toolgen.runtime.adapters.gemini import function_declarations
from toolgen.runtime.adapters.openai import chat_tools
from toolgen.serving import mcp_tools

from tests.models.helpers import TARGETS

FULL = (Path(__file__).parent.parent / "cases/accepted/everything/spec.yaml").read_text()
STRICT = """\
name: strict_tool
description: Étage ✓ \U0001f600
input_schema:
  type: object
  additionalProperties: false
  required: [a]
  properties: {a: {type: string, minLength: 2}}
output_schema: {type: object, properties: {b: {type: integer}}}
examples: [{name: one, input: {a: xyz}}]
targets:
  openai: {strict: true}
  anthropic: {strict: true, cache_control: {}}
  gemini: {output_schema: false}
  bedrock: {strict: true, cachePoint: {}}
"""
PLAIN = "name: plain\ndescription: Do it.\ninput_schema: {type: object}\nload: deferred\n"
LISTS: dict[str, Any] = {
    "mcp": lambda definitions: {"tools": mcp_tools(definitions)},
    "openai": chat_tools,
    # without the tool that searches deferred ones, which is no definition of the project
    "anthropic": lambda definitions: [each for each in anthropic_tools(definitions) if "description" in each],
    "gemini": function_declarations,
    "bedrock": lambda definitions: tool_config(definitions)["tools"],
}


@pytest.mark.parametrize("specs", [[PLAIN], [STRICT, PLAIN], [FULL, STRICT, PLAIN]], ids=len)
def test_sizes_are_those_of_the_lists(specs: list[str]) -> None:
    texts = {f"{number}.yaml": text for number, text in enumerate(specs)}
    tools = lower(analyze(texts, TARGETS), PackageSettings()).tools
    sizes = target_sizes({tool.wire_name: tool_sizes(tool, TARGETS) for tool in tools}, TARGETS)
    definitions: Any = {tool.wire_name: tool.definition for tool in tools}
    measured = {size.target: size.bytes for size in sizes if size.target in LISTS}
    assert measured == {target: compact(listed(definitions)) for target, listed in LISTS.items()}
    assert {size.tools for size in sizes} == {len(specs)}


def compact(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
