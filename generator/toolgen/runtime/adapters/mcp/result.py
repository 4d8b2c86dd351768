"""What goes back for a call: the result in the protocol's words, the chunks before it."""

from __future__ import annotations

from typing import Any, Final, Literal

import mcp_types as types
from mcp.server import ServerRequestContext

from toolgen.runtime.contract.result import as_text
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.logs.redaction import without_text
from toolgen.runtime.response import ToolResponse
from toolgen.schema.inline import RESULT_PROPERTY

TOKEN_KEY: Final = "toolgen/confirmation_token"  # noqa: S105  in a request's `_meta`
CONFIRMATION_KEY: Final = "toolgen/confirmation"  # in a result's `_meta`
ERROR_KEY: Final = "toolgen/error"
METADATA_KEY: Final = "toolgen/metadata"  # what the tool tells of its answer
COERCED_KEY: Final = "toolgen/coerced"  # which arguments were coerced, and how
PREVIEW_KEY: Final = "toolgen/preview"  # in a request's `_meta`, and its result's: nothing is done
FINAL_KEY: Final = "toolgen/final_answer"

Structure = Literal["none", "plain", "wrapped"]
"""How a result's content stands in it as data."""

# Of a response's metadata, what is not the tool's.
_OURS = frozenset({"call_id", "coerced", "confirmation", "preview"})


def result_of(response: ToolResponse, structure: Structure) -> types.CallToolResult:
    """A response as a result; its content as structure, too, where the tool has a schema for it."""
    meta: dict[str, Any] = {}
    if len(response.metadata) > 1:
        told = {key: value for key, value in response.metadata.items() if key not in _OURS}
        if told:
            meta[METADATA_KEY] = told
        if "coerced" in response.metadata:
            meta[COERCED_KEY] = response.metadata["coerced"]
        if "confirmation" in response.metadata:
            meta[CONFIRMATION_KEY] = response.metadata["confirmation"]
        if "preview" in response.metadata:
            meta[PREVIEW_KEY] = True
    if response.final_answer:
        meta[FINAL_KEY] = True
    if response.error is not None:
        meta[ERROR_KEY] = response.error.as_dict()
    return types.CallToolResult(
        content=[types.TextContent(text=response.as_text())],
        structured_content=_structured(response.content, structure) if response.error is None else None,
        is_error=response.error is not None,
        _meta=meta or None,
    )


def _structured(content: Any, structure: Structure) -> Any:
    if structure == "none":
        return None
    return {RESULT_PROPERTY: content} if structure == "wrapped" else content


class Reporter:
    """Progress of one call: what the tool reports, and its chunks, each a step further."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._report = context.session.report_progress
        self._last = 0.0

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """What the tool says itself."""
        self._last = progress
        await self._report(progress, total, message)

    async def chunk(self, chunk: Any) -> None:
        """A chunk of the result: a text as it is, anything else as JSON."""
        self._last += 1
        try:
            await self._report(self._last, None, as_text(chunk))
        except Exception as error:  # a client that has gone away must not undo the work
            LOGGER.error("a chunk could not be sent as progress", exc_info=without_text(error))
