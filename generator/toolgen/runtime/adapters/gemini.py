"""Gemini: function declarations, and the answer to each function call. Plain data, no SDK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import block_as_text, takes_data
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.schema.document import JsonObject
from toolgen.schema.providers import GEMINI

from .provider import Provider, ProviderCall, get
from .published_tools import ProviderTool

_STORAGE: Final = "gs://"  # addresses that Vertex AI reads; the Gemini API has no such parts


def gemini_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the `tools` of a request, with all functions. Raises ValueError if two have the same name."""
    return [{"function_declarations": function_declarations(definitions)}]


def function_declarations(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the function declarations. Raises ValueError if two have the same name."""
    return [_describe(tool) for tool in PROVIDER.tools(definitions)]


def _describe(tool: ProviderTool) -> JsonObject:
    described: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "parameters_json_schema": tool.input_schema,
    }
    if tool.output_schema is not None:
        described["response_json_schema"] = tool.output_schema
    return described | tool.chosen("behavior")


def _module_names(tools: Sequence[ProviderTool]) -> Mapping[str, Any]:
    functions = [_describe(tool) for tool in tools]
    return {"FUNCTION_DECLARATIONS": functions, "TOOLS": [{"function_declarations": functions}]}


def _function_call(call: Any) -> Any:
    """Return the `FunctionCall` of a part of a message; anything else unchanged."""
    for key in ("function_call", "functionCall"):
        call = call if get(call, key) is None else get(call, key)
    return call


def _is_function_call(item: Any) -> bool:
    return isinstance(get(_function_call(item), "name"), str)


def _read(call: Any) -> ProviderCall:
    call = _function_call(call)
    name, sent, call_id = get(call, "name"), get(call, "args"), get(call, "id")
    if not isinstance(name, str):
        raise TypeError(
            f"a tool call is one of `response.function_calls`, or a part with one, not {type(call).__name__}"
        )
    # streamed arguments are complete only in the last part
    if get(call, "partial_args") or get(call, "will_continue"):
        raise TypeError(f"the tool call of {name} is incomplete: its arguments are still being streamed")
    return ProviderCall(call_id, name, {} if sent is None else sent, partial(_part, call_id, name))


def _part(call_id: Any, name: str, response: ToolResponse) -> JsonObject:
    answer: JsonObject = {"name": name, "response": _response(response)}
    if parts := [part for block in response.blocks if (part := _data(block)) is not None]:
        answer["parts"] = parts
    return {"function_response": answer if call_id is None else {"id": call_id, **answer}}


def _response(response: ToolResponse) -> JsonObject:
    """Return the value of a response, and the texts beside it.

    By the documentation of `FunctionResponse`, one with neither `output` nor `error` is all output.
    """
    if not response.success:
        return {"error": response.as_text()}
    texts = [block_as_text(block) for block in response.blocks if _data(block) is None]
    return {"result": response.content, "content": texts} if texts else {"output": response.content}


def _data(block: Block) -> JsonObject | None:
    """Return the part that holds the data of a block; None if it can only be told in words."""
    if takes_data(GEMINI, block):
        return {"inline_data": {"mime_type": block.media_type, "data": block.data}}
    if block.type == "link" and block.media_type is not None and (block.uri or "").startswith(_STORAGE):
        return {"file_data": {"mime_type": block.media_type, "file_uri": block.uri}}
    return None


PROVIDER: Final = Provider(
    "gemini", _read, _is_function_call, ("candidates", "content", "parts"), _module_names
)
