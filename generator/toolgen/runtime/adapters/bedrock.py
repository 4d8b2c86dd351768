"""Amazon Bedrock, Converse: the tool configuration, and the answer to each `toolUse` block. No SDK."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from toolgen.runtime.content.block import Block, digest
from toolgen.runtime.content.carried import block_as_text, takes_data
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.schema.document import JsonObject
from toolgen.schema.providers import CONVERSE

from .provider import Provider, ProviderCall, get, identifier
from .published_tools import ProviderTool

_STORAGE: Final = "s3://"
_FORMATS: Final = {**CONVERSE.image, **CONVERSE.file}
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9()\[\]-]+")


def tool_config(definitions: Mapping[str, ToolDefinition]) -> JsonObject:
    """Return the `toolConfig` of a Converse request. Raises ValueError if two tools have the same name."""
    return _tool_config(PROVIDER.tools(definitions))


def _tool_config(tools: Sequence[ProviderTool]) -> JsonObject:
    return {"tools": [entry for tool in tools for entry in _entries(tool)]}


def _entries(tool: ProviderTool) -> Iterator[JsonObject]:
    spec: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": {"json": tool.input_schema},
    }
    yield {"toolSpec": {**spec, "strict": True} if tool.strict else spec}
    if "cachePoint" in tool.options:
        yield {"cachePoint": {"type": "default", **tool.options["cachePoint"]}}


def _module_names(tools: Sequence[ProviderTool]) -> Mapping[str, Any]:
    return {"TOOL_CONFIG": _tool_config(tools)}


def _tool_use(block: Any) -> Any:
    """Return the `toolUse` of a content block; anything else unchanged."""
    inner = get(block, "toolUse")
    return block if inner is None else inner


def _is_tool_use(block: Any) -> bool:
    use = _tool_use(block)
    return get(use, "toolUseId") is not None and get(use, "type") != "server_tool_use"


def _read(block: Any) -> ProviderCall:
    use = _tool_use(block)
    name = get(use, "name")
    if not isinstance(name, str):
        raise TypeError(
            f"a tool call is a block of `message.content` with `toolUse`, not {type(block).__name__}"
        )
    call_id = identifier(use, "toolUseId")
    return ProviderCall(call_id, name, get(use, "input"), partial(_result, call_id))


def _result(tool_use_id: str, response: ToolResponse) -> JsonObject:
    text = response.content_as_text()
    if not text.strip() and not response.blocks:
        text = json.dumps(text)  # the API refuses blank text, and an empty list says nothing to the model
    first = [{"text": text}] if text.strip() else []
    return {
        "toolResult": {
            "toolUseId": tool_use_id,
            "content": [
                *first,
                *(_content_block(tool_use_id, *each) for each in enumerate(response.blocks)),
            ],
            "status": "success" if response.success else "error",
        }
    }


def _content_block(tool_use_id: str, number: int, block: Block) -> JsonObject:
    source = _source(block)
    if source is None:
        return {"text": block_as_text(block)}
    media_type = block.media_type or ""
    content: JsonObject = {"format": _FORMATS[media_type], "source": source}
    if media_type.startswith("image/"):
        return {"image": content}
    if media_type.startswith("video/"):
        return {"video": content}
    return {"document": {"name": _document_name(f"{tool_use_id} {number}", block), **content}}


def _source(block: Block) -> JsonObject | None:
    """Return where Converse finds the data of a block; None if it takes no such data."""
    if takes_data(CONVERSE, block):
        return {"bytes": block.data}
    if block.type == "link" and block.media_type in _FORMATS and (block.uri or "").startswith(_STORAGE):
        return {"s3Location": {"uri": block.uri}}
    return None


def _document_name(place: str, block: Block) -> str:
    """Return a name of the characters that Converse allows. Names of a request have to differ."""
    name = _NOT_IN_NAMES.sub(" ", block.name or "document").strip()[:150].strip() or "document"
    # the digest makes them differ even if a tool returns two files of one name
    return f"{name} ({digest(place.encode())[:8]})"


PROVIDER: Final = Provider("bedrock", _read, _is_tool_use, ("output", "message", "content"), _module_names)
