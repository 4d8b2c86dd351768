"""The `tools/call` request that the current task answers, for tools of adopted and upstream servers.

Such a tool was written for another server: it uses the SDK's request (progress, log messages, questions), and
gives its result in MCP's own form, which this server then sends as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError

from toolgen.runtime.response import ToolResponse
from toolgen.runtime.task import Task
from toolgen.runtime.validation.json_value import is_json

from .held_questions import Exchange

_ALL_CONTENT_SINCE: Final = "2025-06-18"  # older versions lack audio or links, which are sent otherwise


@dataclass(slots=True)
class CurrentCall:
    """A request, and what the adopted tool has answered."""

    request: ServerRequestContext[Any, Any]
    params: types.CallToolRequestParams
    result: types.CallToolResult | None = None  # None: the tool is not an adopted one
    fields: dict[str, Any] | None = None  # the result as JSON, if the tool has it so
    message: str = ""  # of the error that the tool raised with its result
    question: types.InputRequiredResult | None = None  # to the user, instead of a result
    exchange: Exchange | None = None  # where its questions go
    answer: ToolResponse | Task | None = None  # when the call has ended
    protocol_error: MCPError | None = None  # raised by the tool for the client's host, instead of a result

    def own_fields(self, response: ToolResponse) -> dict[str, Any] | None:
        """Return `content`, `structuredContent` and `_meta` as the tool gave them.

        None if the response is not what the tool returned: it was refused, paged or redacted since then, or
        the client's version lacks a kind of content.
        """
        result = self.result
        if result is None or self.request.protocol_version < _ALL_CONTENT_SINCE:
            return None
        if result.is_error:
            is_same = response.error is not None and response.error.message == self.message
        else:
            structured = result.structured_content
            is_same = response.error is None and structured in (None, response.content)
        fields = self.fields or result.model_dump(mode="json", by_alias=True, exclude_none=True)
        kept: dict[str, Any] = {
            key: fields[key] for key in ("content", "structuredContent", "_meta") if key in fields
        }
        return kept if is_same and is_json(kept) else None


_CURRENT: ContextVar[CurrentCall | None] = ContextVar("toolgen_current_call", default=None)


def current_call() -> CurrentCall | None:
    """Return the request that this task answers; None outside of an MCP server."""
    return _CURRENT.get()


@contextmanager
def answering(
    request: ServerRequestContext[Any, Any],
    params: types.CallToolRequestParams,
    exchange: Exchange | None = None,
) -> Iterator[CurrentCall]:
    """Make a request the current one of this task."""
    call = CurrentCall(request, params, exchange=exchange)
    token = _CURRENT.set(call)
    try:
        yield call
    finally:
        _CURRENT.reset(token)
