"""Anthropic, the Messages API: definitions, and the answer to each `tool_use` block. Plain data, no SDK."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from toolgen.runtime.adapters.calls import Directory, Incoming, Speaker, get, identifier
from toolgen.runtime.adapters.naming import published, published_name, wire_names
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

JsonObject = dict[str, Any]

TARGET: Final = "anthropic"
_DIRECTORY: Final = Directory(TARGET)


def anthropic_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The `tools` of a Messages request. Raises ValueError where two have one name."""
    wire_names(definitions, TARGET)
    return [_tool(each) for each in definitions.values()]


def _tool(definition: ToolDefinition) -> JsonObject:
    made = published(definition, TARGET)
    tool = {
        "name": published_name(definition, TARGET),
        "description": definition["description"],
        "input_schema": made.schema,
    }
    return {**tool, "strict": True} if made.strict else tool


def _read(toolkit: Toolkit, block: Any) -> Incoming:
    kind, name = get(block, "type"), get(block, "name")
    if kind != "tool_use" or not isinstance(name, str):
        raise TypeError(
            "a tool call is a block of `message.content` of type tool_use, "
            f"not {type(block).__name__}" + (f" of type {kind!r}" if isinstance(kind, str) else "")
        )
    wire_name = _DIRECTORY.wire_name(toolkit, name)
    arguments = _DIRECTORY.restored(toolkit, wire_name, get(block, "input"))
    return Incoming(wire_name, arguments, partial(_result, identifier(block, "id")))


def _result(tool_use_id: str, response: ToolResponse) -> JsonObject:
    block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": response.as_text()}
    return block if response.success else {**block, "is_error": True}


SPEAKER: Final = Speaker(_read)

execute_tool_use = SPEAKER.execute
"""Answer one `tool_use` block with the `tool_result` block to send back."""

answer_tool_use = SPEAKER.answer
stream_tool_use = SPEAKER.stream
