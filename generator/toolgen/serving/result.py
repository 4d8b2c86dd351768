"""Convert responses to MCP results, and chunks and progress to progress notifications."""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp_types.version import LATEST_PROTOCOL_VERSION

from toolgen.runtime.content.block import Block
from toolgen.runtime.content.carried import text_of_file
from toolgen.runtime.contract.result import as_text
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.response import DEPRECATED_KEY, ERROR_KEY, MOCK_KEY, ToolResponse
from toolgen.runtime.text import well_formed
from toolgen.schema.inline import RESULT_PROPERTY

TOKEN_KEY: Final = "toolgen/confirmation_token"  # noqa: S105  in a request's `_meta`
CONFIRMATION_KEY: Final = "toolgen/confirmation"  # in a result's `_meta`
APPROVAL_KEY: Final = "toolgen/approval"  # where people approve the call
METADATA_KEY: Final = "toolgen/metadata"  # set by the tool
COERCED_KEY: Final = "toolgen/coerced"  # which arguments were coerced, and how
LEFT_OUT_KEY: Final = "toolgen/left_out"  # which arguments a lenient server has left out
PREVIEW_KEY: Final = "toolgen/preview"  # in `_meta` of a request and of its result: nothing is executed
REPLAYED_KEY: Final = "toolgen/replayed"  # the answer of an earlier call with the same idempotency key
FINAL_KEY: Final = "toolgen/final_answer"

StructuredForm = Literal["none", "unwrapped", "wrapped"]
"""Form of a result's structured content: none, the content itself, or as the property of an object."""

_META_KEYS: Final = {
    "approval": APPROVAL_KEY,
    "coerced": COERCED_KEY,
    "confirmation": CONFIRMATION_KEY,
    "deprecated": DEPRECATED_KEY,
    "left_out": LEFT_OUT_KEY,
    "preview": PREVIEW_KEY,
    "replayed": REPLAYED_KEY,
    MOCK_KEY: MOCK_KEY,
}
"""Metadata of the runtime → its key in the result; all other is set by the tool, except `call_id`."""


ContentBlock: TypeAlias = (
    types.TextContent | types.ImageContent | types.AudioContent | types.EmbeddedResource | types.ResourceLink
)

_AUDIO_SINCE: Final = "2025-03-26"
_LINKS_SINCE: Final = "2025-06-18"


def result_of(
    response: ToolResponse, form: StructuredForm, protocol_version: str = LATEST_PROTOCOL_VERSION
) -> types.CallToolResult:
    """Return a response as a result, with structured content unless `form` is "none"."""
    return types.CallToolResult.model_validate(wire_result(response, form, protocol_version))


def wire_result(
    response: ToolResponse,
    form: StructuredForm,
    protocol_version: str = LATEST_PROTOCOL_VERSION,
) -> dict[str, Any]:
    """Return the same as JSON, which the SDK validates for the client's version.

    The server returns this and not a model, because creating and dumping models takes a quarter of the time
    of the call.
    """
    result = {
        "content": _content(response, protocol_version),
        "isError": response.error is not None,
        "resultType": "complete",
    }
    structured = _structured(response.content, form) if response.error is None else None
    if structured is not None:
        result["structuredContent"] = structured
    meta = _meta(response)
    if meta:
        result["_meta"] = meta
    return result


def _meta(response: ToolResponse) -> dict[str, Any]:
    """Return the `_meta` of a response's result."""
    meta: dict[str, Any] = {}
    # `call_id` is always there: most responses have no other metadata
    if len(response.metadata) > 1:
        own = {key: value for key, value in response.metadata.items() if key not in _META_KEYS}
        own.pop("call_id", None)
        if own:
            meta[METADATA_KEY] = own
        meta |= {
            key: response.metadata[name] for name, key in _META_KEYS.items() if name in response.metadata
        }
    if response.final_answer:
        meta[FINAL_KEY] = True
    if response.error is not None:
        meta[ERROR_KEY] = response.error.as_dict()
    return meta


def _content(response: ToolResponse, protocol_version: str) -> list[dict[str, Any]]:
    text = response.content_as_text()
    if not response.blocks:
        return [{"type": "text", "text": text}]
    content = [_content_block(each, protocol_version) for each in response.blocks]
    first = [{"type": "text", "text": text}] if text else []
    return [*first, *(each.model_dump(by_alias=True, mode="json", exclude_none=True) for each in content)]


def _content_block(block: Block, protocol_version: str) -> ContentBlock:
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
        resource=_resource_contents(block, block.uri or block.identifier), annotations=annotations
    )


def _resource_contents(block: Block, uri: str) -> types.TextResourceContents | types.BlobResourceContents:
    """Return the data of a block as the contents of a resource: text as it is, anything else in base64."""
    text = None if block.type in ("image", "audio") else text_of_file(block)
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


def _structured(content: Any, form: StructuredForm) -> Any:
    if form == "none":
        return None
    return {RESULT_PROPERTY: content} if form == "wrapped" else content


class CallProgress:
    """Sends progress notifications of one call: progress that the tool reports, and chunks."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._report = context.session.report_progress
        self._last = 0.0

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Send progress that the tool reports."""
        self._last = progress
        await self._report(progress, total, message)

    async def chunk(self, chunk: Any) -> None:
        """Send a chunk of the result as a step of progress: a string, the text of a block, or JSON."""
        self._last += 1
        try:
            text = chunk.as_text() if isinstance(chunk, Block) else as_text(chunk)
            await self._report(self._last, None, well_formed(text))
        except Exception as error:  # a client that has disconnected must not undo the work
            LOGGER.error("a chunk could not be sent as progress", exc_info=without_text(error))
