"""OpenAI, Chat Completions and Responses: definitions, and the answer to each call. Plain data, no SDK."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import block_as_text, takes_data
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.errors import InvalidRequestError
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.text import quote
from toolgen.schema.document import JsonObject
from toolgen.schema.providers import RESPONSES

from .provider import Provider, ProviderCall, as_plain_data, get, identifier
from .published_tools import ProviderTool

TOOL_SEARCH: Final[JsonObject] = {"type": "tool_search"}
"""The tool by which the model finds deferred tools, of which it sees no more than names before."""

_SHOWN_MEMBERS: Final = 20  # tools that the description of a namespace names


def chat_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the `tools` of a Chat Completions request. Raises ValueError if two have the same name."""
    return _chat_tools(PROVIDER.tools(definitions))


def responses_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the `tools` of a Responses request: functions, then a namespace for each group.

    TOOL_SEARCH is the last one if a tool is deferred. Raises ValueError if two tools have the same name.
    """
    return _responses_tools(PROVIDER.tools(definitions))


def _chat_tools(tools: Sequence[ProviderTool]) -> list[JsonObject]:
    return [{"type": "function", "function": _function(tool)} for tool in tools]


def _responses_tools(tools: Sequence[ProviderTool]) -> list[JsonObject]:
    found: list[JsonObject] = []
    namespaces: dict[str, list[ProviderTool]] = {}
    for tool in tools:
        if tool.group is None:
            found.append(_responses_function(tool))
        else:
            namespaces.setdefault(tool.group, []).append(tool)
    found += (_namespace(name, members) for name, members in sorted(namespaces.items()))
    return [*found, TOOL_SEARCH] if any(tool.is_deferred for tool in tools) else found


def _function(tool: ProviderTool) -> JsonObject:
    # `strict` is always given: the defaults of the two APIs differ
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.input_schema,
        "strict": tool.strict,
    }


def _responses_function(tool: ProviderTool) -> JsonObject:
    described = {"type": "function", **_function(tool)}
    if tool.output_schema is not None and not tool.has_content:  # of outputs that are strings of JSON
        described["output_schema"] = tool.output_schema
    if tool.is_deferred:
        described["defer_loading"] = True
    return described | tool.chosen("allowed_callers", "async")


def _namespace(name: str, members: Sequence[ProviderTool]) -> JsonObject:
    return {
        "type": "namespace",
        "name": name,
        "description": namespace_description(name, members),
        "tools": [_responses_function(tool) for tool in members],
    }


def namespace_description(name: str, members: Sequence[ProviderTool]) -> str:
    """Return the description of a namespace: the titles of its tools, by which the model searches."""
    titles = [tool.title or tool.name for tool in members]
    shown, more = titles[:_SHOWN_MEMBERS], len(titles) - _SHOWN_MEMBERS
    return f"Tools of {name}: {'; '.join(shown)}" + (f"; and {more} more." if more > 0 else ".")


def _module_names(tools: Sequence[ProviderTool]) -> Mapping[str, Any]:
    return {"CHAT_TOOLS": _chat_tools(tools), "RESPONSES_TOOLS": _responses_tools(tools)}


def _is_function_call(item: Any) -> bool:
    kind = get(item, "type")
    if kind == "function_call":
        return True
    # dicts that an application has stored may lack the type
    return kind in ("function", None) and get(item, "id") is not None and get(item, "function") is not None


def _read(call: Any) -> ProviderCall:
    kind, function = get(call, "type"), get(call, "function")
    if function is not None:
        call_id = identifier(call, "id")
        return _function_call(call_id, function, partial(_message, call_id))
    if kind == "function_call":
        call_id = identifier(call, "call_id")
        item = {"type": "function_call_output", "call_id": call_id}
        # the API wants them back
        returned = {key: value for key in ("caller", "namespace") if (value := get(call, key)) is not None}
        item |= {key: as_plain_data(value) for key, value in returned.items()}
        return _function_call(call_id, call, partial(_item, item))
    raise TypeError(
        "a tool call is an item of `message.tool_calls` (Chat) or an output item of type function_call "
        f"(Responses), not {type(call).__name__}" + (f" of type {kind!r}" if isinstance(kind, str) else "")
    )


def _message(tool_call_id: str, response: ToolResponse) -> JsonObject:
    return {"role": "tool", "tool_call_id": tool_call_id, "content": all_text(response)}


def all_text(response: ToolResponse) -> str:
    """Return all that Chat Completions can hold of a response: text, and a line for each other block."""
    texts = (response.content_as_text(), *map(block_as_text, response.blocks))
    return "\n".join(text for text in texts if text)


def _item(item: JsonObject, response: ToolResponse) -> JsonObject:
    return {**item, "output": _content(response)}


def _content(response: ToolResponse) -> str | list[JsonObject]:
    text = response.content_as_text()
    if not response.blocks:
        return text
    return [*([_text(text)] if text else []), *map(_input, response.blocks)]


def _text(text: str) -> JsonObject:
    return {"type": "input_text", "text": text}


def _input(block: Block) -> JsonObject:
    if not takes_data(RESPONSES, block):
        return _text(block_as_text(block))
    if block.media_type in RESPONSES.image:
        return {"type": "input_image", "image_url": block.data_url}
    return {"type": "input_file", "filename": file_name(block), "file_data": block.data_url}


def file_name(block: Block) -> str:
    """Return the name of a file, whose end says to OpenAI how the file is read."""
    return block.name or f"file.{RESPONSES.file[block.media_type or '']}"


def _function_call(call_id: str, call: Any, write: Callable[[ToolResponse], JsonObject]) -> ProviderCall:
    name, arguments = get(call, "name"), get(call, "arguments")
    if not isinstance(name, str):
        raise TypeError("the tool call names no tool")
    if arguments is None or arguments == "":  # as models send for a call without arguments
        arguments = {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply, or a number has too many digits"
            if isinstance(error, json.JSONDecodeError):
                reason = f"{error.msg} at line {error.lineno}, column {error.colno}"
            refused = InvalidRequestError(
                f"Invalid arguments for {quote(name)[1:-1]}:\n"
                f"- $: expected a JSON object, got invalid JSON: {reason}"
            )
            return ProviderCall(call_id, name, None, write, refused)
    return ProviderCall(call_id, name, arguments, write)


PROVIDER: Final = Provider(
    "openai", _read, _is_function_call, ("choices", "message", "tool_calls", "output"), _module_names
)
