"""What tools of adopted servers share: the call, its result, and its error."""

from __future__ import annotations

import logging
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, ClassVar, Final, cast

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from toolgen.runtime.confirmation.question import Confirmation, ConfirmationPending
from toolgen.runtime.content.block import Block
from toolgen.runtime.content.media_type import MediaTypeError, media_type_of
from toolgen.runtime.content.values import Audio, Content, File, Image, Link, Text, ToolResult
from toolgen.runtime.context import CallFailure, ToolContext
from toolgen.runtime.errors import ToolError
from toolgen.serving.current_call import CurrentCall, current_call
from toolgen.serving.listed_tool import ADOPTED_ERROR
from toolgen.serving.received_results import block_of, repeats

from .lifespan import LIFESPANS

MISSING: Final = "the server has no tool %s any more, or not for this caller; import the server again"
"""A log record, with the name of a tool."""
_BINARY: Final = "application/octet-stream"
_CRASH: ContextVar[BaseException | None] = ContextVar("toolgen_crash", default=None)  # of the current call
_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "notice": logging.INFO}  # else a warning


class AdoptedToolError(ToolError):
    """An error of an adopted tool, with its own text. Clients of MCP get that text alone, as before."""

    code = ADOPTED_ERROR["code"]
    description = ADOPTED_ERROR["description"]


class AdoptedTool:
    """A tool of another server: a base for implementations, before the generated class.

    Attributes:
        server: the server object, which fills in what its functions ask for, converts what they return, and
            whose lifespan is entered before the first call.
        listed_name: the name by which the server knows the tool.
    """

    forwards: ClassVar[bool] = True
    server: ClassVar[Any]
    listed_name: ClassVar[str]

    async def setup(self) -> None:
        """Enter the server's lifespan unless another of its tools has done so."""
        await LIFESPANS.enter(self.server)

    async def close(self) -> None:
        """Leave the server's lifespan after the last of its tools."""
        await LIFESPANS.leave(self.server)

    async def execute(self, request: Any, context: ToolContext) -> Any:
        """Call the function with the arguments as they came. Return its result, or raise its error."""
        arguments = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
        call = current_call()
        _CRASH.set(None)
        try:
            if call is None:
                result = await self._call(arguments, request_without_client(context), None)
            else:
                result = await self._call(arguments, self._request_of(call, context), call.params)
        except MCPError as raised:
            if call is not None:
                call.protocol_error = raised
            raise AdoptedToolError(raised.error.message) from raised
        if (crash := _CRASH.get()) is not None:  # the answer does not tell it from an error that is expected
            context.failure = CallFailure(f"failed with {type(crash).__name__}", crash, level=logging.ERROR)
        return answer_of(result, call, context)

    def _request_of(self, call: CurrentCall, context: ToolContext) -> ServerRequestContext[Any, Any]:
        """Return the request of the client, as the tool sees it."""
        return call.request

    async def _call(
        self,
        arguments: dict[str, Any],
        request: ServerRequestContext[Any, Any],
        params: types.CallToolRequestParams | None,
    ) -> types.CallToolResult | types.InputRequiredResult:
        """Call the tool on its server. `params` is None if no client of MCP makes the call."""
        raise NotImplementedError


def request_without_client(context: ToolContext) -> ServerRequestContext[Any, Any]:
    """Return the request of a call that no client of MCP makes, but `toolgen call`, tests or an adapter.

    It reports progress and logs as the caller of toolgen wants it.
    """
    return ServerRequestContext(
        session=cast("ServerSession", _NoClient(context)),
        lifespan_context={},
        protocol_version="2025-11-25",
        method="tools/call",
        request_id=context.call_id,
        meta={"progress_token": context.call_id},
    )


class _NoClient:
    """The session of such a request: what needs a client is refused."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._connection = SimpleNamespace(session_id=context.session_id or context.call_id, state={})

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        await self._context.report_progress(progress, total, message)

    async def send_progress_notification(
        self, progress_token: object, progress: float, total: float | None = None, message: str | None = None,
        related_request_id: object = None,
    ) -> None:  # fmt: skip
        await self._context.report_progress(progress, total, message)

    async def send_log_message(
        self, level: str, data: Any, logger: str | None = None, related_request_id: object = None
    ) -> None:
        text = getattr(data, "msg", data)  # FastMCP's own class has the text there
        self._context.logger.log(_LEVELS.get(level, logging.WARNING), "%s", text)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"{self._context.tool_name} was not called by a client of MCP, so it has no {name}"
        )


def answer_of(
    result: types.CallToolResult | types.InputRequiredResult, call: CurrentCall | None, context: ToolContext
) -> Any:
    """Return a result as implementations do, after noting it for the client of `call`. Raises its error."""
    if isinstance(result, types.InputRequiredResult):
        raise _question(result, call, context)
    if call is not None:
        call.result = result
    if not result.is_error:
        return returned(result)
    texts = [each.text for each in result.content if isinstance(each, types.TextContent)]
    error = AdoptedToolError("\n".join(texts))
    if call is not None:
        call.message = error.message
    raise error


def failed(error: Exception, *, is_crash: bool) -> types.CallToolResult:
    """Return an exception as the server would answer it. Raises an error of toolgen behind it.

    `is_crash`: the function raised no error of its framework, which has put `error` in the place of it.
    """
    cause = error.__cause__
    if isinstance(cause, ToolError):
        raise cause
    if is_crash:
        _CRASH.set(cause or error)
    return types.CallToolResult(content=[types.TextContent(text=str(error))], is_error=True)


def _question(result: types.InputRequiredResult, call: CurrentCall | None, context: ToolContext) -> Exception:
    """Return what to raise for a tool that asks the user by its result."""
    if call is None:
        return AdoptedToolError(f"{context.tool_name} asks the user, which works for clients of MCP only.")
    call.question = result
    return ConfirmationPending(Confirmation(context.tool_name, "", {}))


def returned(result: types.CallToolResult) -> Any:
    """Return a result as implementations return it: for adapters other than MCP, and for validation."""
    structured = result.structured_content
    blocks = [
        each
        for each in result.content
        if structured is None or not (isinstance(each, types.TextContent) and repeats(each.text, structured))
    ]
    if structured is None and len(blocks) == 1 and isinstance(blocks[0], types.TextContent):
        return blocks[0].text
    try:
        content = [_value_of(block_of(each)) for each in blocks]
    except ValueError as error:
        raise AdoptedToolError(f"In the answer of the server, {error}") from None
    return content if structured is None else ToolResult(structured, *content)


def _value_of(block: Block) -> Content:
    own: Any = {"audience": block.audience or None, "priority": block.priority}
    if block.type == "text":
        return Text(block.text, **own)
    own["media_type"] = block.media_type
    if block.type == "link":
        texts: Any = {"name": block.name, "title": block.title, "description": block.description}
        return Link(block.uri or "", size=block.size, private=True, **texts, **own)
    if block.type == "file":
        return File(block.data, uri=block.uri, **own)
    try:
        media_type_of(block.type, block.data, given=block.media_type)
    except MediaTypeError:  # providers refuse a request with an image that is none
        return File(block.data, **own | {"media_type": _BINARY})
    return (Image if block.type == "image" else Audio)(block.data, **own)
