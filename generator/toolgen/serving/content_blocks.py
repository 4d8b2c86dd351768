"""Blocks of a result as content of MCP, for each protocol version."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import mcp_types as types

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import text_of_file

ContentBlock: TypeAlias = (
    types.TextContent | types.ImageContent | types.AudioContent | types.EmbeddedResource | types.ResourceLink
)

_AUDIO_SINCE: Final = "2025-03-26"
_LINKS_SINCE: Final = "2025-06-18"


def _text_of(block: Block) -> str | None:
    """Return the text of a text, or of a file that holds text in UTF-8; None for others."""
    return block.text if block.type == "text" else text_of_file(block)


def content_block(block: Block, protocol_version: str) -> ContentBlock:
    """Return a block as content, of another kind if the client's version has no such content."""
    annotations = _annotations(block)
    if block.type == "text":
        return types.TextContent(text=block.text, annotations=annotations)
    if block.type == "image" or (block.type == "audio" and protocol_version >= _AUDIO_SINCE):
        media = types.ImageContent if block.type == "image" else types.AudioContent
        return media(data=block.base64, mime_type=block.media_type or "", annotations=annotations)
    if block.type == "link":
        if protocol_version < _LINKS_SINCE:
            return types.TextContent(text=block.as_text(), annotations=annotations)
        return _link(block, annotations)
    return types.EmbeddedResource(
        resource=resource_contents(block, block.uri or block.identifier), annotations=annotations
    )


def resource_contents(block: Block, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
    """Return the data of a block as the contents of a resource: text as it is, anything else in base64."""
    text = None if block.type in ("image", "audio") else _text_of(block)
    if text is not None:
        return types.TextResourceContents(uri=uri, mime_type=block.media_type, text=text)
    return types.BlobResourceContents(uri=uri, mime_type=block.media_type, blob=block.base64)


def _link(block: Block, annotations: types.Annotations | None) -> types.ResourceLink:
    return types.ResourceLink(
        uri=block.uri or block.identifier,
        name=block.default_name,
        title=block.title,
        description=block.description,
        mime_type=block.media_type,
        size=block.size,
        annotations=annotations,
    )


def _annotations(block: Block) -> types.Annotations | None:
    if not block.audience and block.priority is None:
        return None
    audience: Any = list(block.audience) or None
    return types.Annotations(audience=audience, priority=block.priority)
