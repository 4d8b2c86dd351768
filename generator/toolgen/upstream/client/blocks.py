"""Content of MCP results as blocks of the runtime."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from toolgen.runtime.content.block import Block, digest
from toolgen.runtime.content.values import BlockType


def blocks_of(result: Any, response_text: str | None) -> tuple[Block, ...]:
    """Return the content of an `mcp_types.CallToolResult` without the text that repeats the response.

    Raises ValueError for data that is not base64.
    """
    content = list(result.content)
    if response_text is not None and content and getattr(content[0], "text", None) == response_text:
        del content[0]
    return tuple(map(_block, content))


def _block(content: Any) -> Block:
    match content.type:
        case "text":
            return _of_data("text", content.text.encode(), "text/plain", content)
        case "image" | "audio" as kind:
            return _of_data(kind, _decoded(content.data), content.mime_type, content)
        case "resource_link":
            return Block(
                "link",
                b"",
                media_type=content.mime_type,
                name=content.name,
                title=content.title,
                description=content.description,
                uri=str(content.uri),
                size=content.size,
                **_annotations(content),
            )
        case _:
            resource = content.resource
            text = getattr(resource, "text", None)
            data = _decoded(resource.blob) if text is None else text.encode()
            return _of_data("file", data, resource.mime_type, content, uri=str(resource.uri))


def _of_data(
    kind: BlockType, data: bytes, media_type: str | None, content: Any, *, uri: str | None = None
) -> Block:
    return Block(
        kind,
        data,
        media_type=media_type,
        uri=uri,
        size=len(data),
        sha256=digest(data),
        **_annotations(content),
    )


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"a block is not base64: {error}") from None


def _annotations(content: Any) -> dict[str, Any]:
    found = content.annotations
    if found is None:
        return {}
    return {"audience": tuple(found.audience or ()), "priority": found.priority}
