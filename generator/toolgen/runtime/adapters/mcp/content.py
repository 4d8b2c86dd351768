"""Blocks of a result as content of MCP, for each protocol version."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final, TypeAlias

import mcp_types as types

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.media_type import is_text

ContentBlock: TypeAlias = (
    types.TextContent | types.ImageContent | types.AudioContent | types.EmbeddedResource | types.ResourceLink
)

_AUDIO_SINCE: Final = "2025-03-26"
_LINKS_SINCE: Final = "2025-06-18"


def content_block(block: Block, protocol_version: str) -> ContentBlock:
    """Return a block as content; as text if the client's version has no such content."""
    annotations = _annotations(block)
    if block.type == "text":
        return types.TextContent(text=block.text, annotations=annotations)
    if block.type == "image":
        return types.ImageContent(
            data=_base64(block), mime_type=block.media_type or "", annotations=annotations
        )
    if block.type == "audio" and protocol_version >= _AUDIO_SINCE:
        return types.AudioContent(
            data=_base64(block), mime_type=block.media_type or "", annotations=annotations
        )
    if block.type == "link":
        if protocol_version < _LINKS_SINCE:
            return types.TextContent(text=block.as_text(), annotations=annotations)
        return _link(block, annotations)
    return types.EmbeddedResource(resource=resource_contents(block), annotations=annotations)


def resource_contents(
    block: Block, uri: str | None = None
) -> types.TextResourceContents | types.BlobResourceContents:
    """Return the data of a block as the contents of a resource: text as it is, anything else in base64."""
    address = uri or block.uri or block.identifier
    if block.media_type is not None and is_text(block.media_type):
        try:
            return types.TextResourceContents(uri=address, mime_type=block.media_type, text=block.text)
        except UnicodeDecodeError:  # of another encoding
            pass
    return types.BlobResourceContents(uri=address, mime_type=block.media_type, blob=_base64(block))


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


def _base64(block: Block) -> str:
    return b64encode(block.data).decode("ascii")
