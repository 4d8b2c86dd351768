"""Anthropic, the Messages API: definitions, and the answer to each `tool_use` block. Plain data, no SDK."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import block_as_text, takes_data, text_of_file
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.schema.document import JsonObject
from toolgen.schema.providers import MESSAGES

from .provider import Provider, ProviderCall, get, identifier
from .published_tools import ProviderTool

TOOL_SEARCH: Final[JsonObject] = {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
"""The tool by which the model finds deferred tools, which it does not see before."""


def anthropic_tools(definitions: Mapping[str, ToolDefinition]) -> list[JsonObject]:
    """Return the `tools` of a Messages request, with TOOL_SEARCH first if a tool is deferred.

    Raises ValueError if two tools have the same name.
    """
    return _tools(PROVIDER.tools(definitions))


def _tools(tools: Sequence[ProviderTool]) -> list[JsonObject]:
    search = [TOOL_SEARCH] if any(tool.is_deferred for tool in tools) else []
    return [*search, *map(_describe, tools)]


def _describe(tool: ProviderTool) -> JsonObject:
    described: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
    if tool.strict:
        described["strict"] = True
    if tool.input_examples:
        described["input_examples"] = list(tool.input_examples)
    if tool.is_deferred:
        described["defer_loading"] = True
    described |= tool.chosen("allowed_callers", "eager_input_streaming")
    if "cache_control" in tool.options:
        described["cache_control"] = {"type": "ephemeral", **tool.options["cache_control"]}
    return described


def _module_names(tools: Sequence[ProviderTool]) -> Mapping[str, Any]:
    return {"TOOLS": _tools(tools)}


def _is_tool_use(block: Any) -> bool:
    """True for calls of functions; a block with a toolset is a call of Anthropic's browser, for example."""
    return get(block, "type") == "tool_use" and get(block, "toolset_name") is None


def _read(block: Any) -> ProviderCall:
    kind, name = get(block, "type"), get(block, "name")
    if kind != "tool_use" or not isinstance(name, str):
        raise TypeError(
            "a tool call is a block of `message.content` of type tool_use, "
            f"not {type(block).__name__}" + (f" of type {kind!r}" if isinstance(kind, str) else "")
        )
    call_id, toolset = identifier(block, "id"), get(block, "toolset_name")
    result: JsonObject = {"type": "tool_result", "tool_use_id": call_id}
    if toolset is not None:
        result["toolset_name"] = toolset
    return ProviderCall(call_id, name, get(block, "input"), partial(_result, result))


def _result(result: JsonObject, response: ToolResponse) -> JsonObject:
    block = {**result, "content": _content(response)}
    return block if response.success else {**block, "is_error": True}


def _content(response: ToolResponse) -> str | list[JsonObject]:
    text = response.content_as_text()
    if not response.blocks:
        return text
    first = [_text(text)] if text.strip() else []  # the API refuses blank text
    return [*first, *map(_content_block, response.blocks)]


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _content_block(block: Block) -> JsonObject:
    if takes_data(MESSAGES, block):
        data = {"type": "base64", "media_type": block.media_type, "data": block.base64}
        is_image = block.media_type in MESSAGES.image
        return {"type": "image", "source": data} if is_image else _document(block, data)
    text = text_of_file(block)
    if text is None:
        return _text(block_as_text(block))
    # a search result needs a source, and can be cited
    if block.uri is None:
        return _document(block, {"type": "text", "media_type": "text/plain", "data": text})
    found = {"source": block.uri, "title": block.default_name, "content": [_text(text)]}
    return {"type": "search_result", **found}


def _document(block: Block, source: JsonObject) -> JsonObject:
    document = {"type": "document", "source": source}
    return document if block.name is None else {**document, "title": block.name}


PROVIDER: Final = Provider("anthropic", _read, _is_tool_use, ("content",), _module_names)
