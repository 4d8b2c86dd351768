"""Anthropic, the Messages API: definitions, and the answer to each `tool_use` block. Plain data, no SDK."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

from toolgen.runtime.adapters import calls
from toolgen.runtime.adapters.calls import Answer, Incoming, Names, get, identifier
from toolgen.runtime.adapters.naming import options, published_name, wire_names
from toolgen.runtime.confirm import Confirm
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit
from toolgen.schema.anthropic import publish

JsonObject = dict[str, Any]

TARGET: Final = "anthropic"


def anthropic_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """The `tools` of a Messages request. Raises ValueError where two have one name."""
    wire_names(definitions, TARGET)
    return [_tool(each) for each in definitions.values()]


def _tool(definition: ToolDefinition) -> JsonObject:
    wanted = bool(options(definition, TARGET).get("strict"))
    schema, strict, _ = publish(definition["input_schema"], wanted)
    tool = {
        "name": published_name(definition, TARGET),
        "description": definition["description"],
        "input_schema": schema,
    }
    return {**tool, "strict": True} if strict else tool


async def execute_tool_use(toolkit: Toolkit, block: Any, confirm: Confirm | None = None) -> JsonObject:
    """Answer one `tool_use` block of a model, SDK object or dict, with the `tool_result` block to send back.

    Whatever the model did wrong is in its text, for the model to mend. `confirm` asks the user. Raises
    TypeError for what is no tool_use block.
    """
    return (await answer_tool_use(toolkit, block, confirm)).message


async def answer_tool_use(toolkit: Toolkit, block: Any, confirm: Confirm | None = None) -> Answer:
    """As `execute_tool_use`, with the response beside the block: `.final_answer`, `.extras`."""
    return await calls.answer(toolkit, _read(toolkit, block), confirm)


def stream_tool_use(
    toolkit: Toolkit, block: Any, confirm: Confirm | None = None
) -> AsyncGenerator[Any, None]:
    """The chunks of a streamed result as they come, JSON values, and last the Answer."""
    return calls.stream(toolkit, _read(toolkit, block), confirm)


def _read(toolkit: Toolkit, block: Any) -> Incoming:
    kind, name = get(block, "type"), get(block, "name")
    if kind != "tool_use" or not isinstance(name, str):
        raise TypeError(
            "a tool call is a block of `message.content` of type tool_use, "
            f"not {type(block).__name__}" + (f" of type {kind!r}" if isinstance(kind, str) else "")
        )
    wire_name = _names(toolkit).wire.get(name, name)
    return Incoming(wire_name, get(block, "input"), partial(_result, identifier(block, "id")))


def _result(tool_use_id: str, response: ToolResponse) -> JsonObject:
    block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": response.as_text()}
    return block if response.success else {**block, "is_error": True}


_NAMES: WeakKeyDictionary[Toolkit, Names] = WeakKeyDictionary()


def _names(toolkit: Toolkit) -> Names:
    found = _NAMES.get(toolkit)
    if found is None or found.definitions is not toolkit.definitions:
        found = _NAMES[toolkit] = Names.of(toolkit, TARGET)
    return found
