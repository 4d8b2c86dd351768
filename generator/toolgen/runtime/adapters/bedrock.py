"""Amazon Bedrock, Converse: the tool configuration, and the answer to each `toolUse` block. No SDK."""

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

TARGET: Final = "bedrock"
_DIRECTORY: Final = Directory(TARGET)


def tool_config(definitions: Mapping[str, ToolDefinition]) -> JsonObject:
    """The `toolConfig` of a Converse request. Raises ValueError where two tools have one name."""
    wire_names(definitions, TARGET)
    return {"tools": [_tool(each) for each in definitions.values()]}


def _tool(definition: ToolDefinition) -> JsonObject:
    made = published(definition, TARGET)
    spec = {
        "name": published_name(definition, TARGET),
        "description": definition["description"],
        "inputSchema": {"json": made.schema},
    }
    return {"toolSpec": {**spec, "strict": True} if made.strict else spec}


def _read(toolkit: Toolkit, block: Any) -> Incoming:
    """A content block with `toolUse`, or what is in it."""
    inner = get(block, "toolUse")
    use = block if inner is None else inner
    name = get(use, "name")
    if not isinstance(name, str):
        raise TypeError(
            f"a tool call is a block of `message.content` with `toolUse`, not {type(block).__name__}"
        )
    wire_name = _DIRECTORY.wire_name(toolkit, name)
    arguments = _DIRECTORY.restored(toolkit, wire_name, get(use, "input"))
    return Incoming(wire_name, arguments, partial(_result, identifier(use, "toolUseId")))


def _result(tool_use_id: str, response: ToolResponse) -> JsonObject:
    text = response.as_text()
    return {
        "toolResult": {
            "toolUseId": tool_use_id,
            "content": [{"text": text}] if text else [],  # a block of no text is refused
            "status": "success" if response.success else "error",
        }
    }


SPEAKER: Final = Speaker(_read)

execute_tool_use = SPEAKER.execute
"""Answer one `toolUse` block with the `toolResult` block to send back."""

answer_tool_use = SPEAKER.answer
stream_tool_use = SPEAKER.stream
