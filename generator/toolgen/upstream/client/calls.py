"""Calls of a client: retries, two-step confirmation, streams, pages."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from toolgen.runtime.contract.page import replaced, value_at
from toolgen.runtime.definition.tool_definition import is_idempotent
from toolgen.runtime.errors import (
    ConfirmationRequiredError,
    DeclinedError,
    QuestionCancelledError,
    ToolError,
    ToolTimeoutError,
    UnreachableError,
)
from toolgen.runtime.isolation import called
from toolgen.schema.document import pointer_tokens
from toolgen.serving.received_results import response_of

from .connection import Connection
from .errors import UndeclaredContentWarning
from .options import CallSettings
from .questions import Question
from .tool import ClientTool

_CONFIRMATION: Final = "toolgen/confirmation"  # in a result's `_meta`
_TOKEN: Final = "toolgen/confirmation_token"  # noqa: S105  in a request's `_meta`
_FIRST_PAUSE: Final = 0.5  # seconds before the second attempt, doubled for each other one
_LONGEST_PAUSE: Final = 30.0  # seconds between two attempts
_ROUNDS: Final = 5  # of questions in one call
_END: Final = object()


class PageCursor:
    """Where the next page begins."""

    def __init__(self, tool: ClientTool) -> None:
        page = tool.definition.get("page")
        if page is None:
            raise TypeError(f"{tool.name} has no pages: its spec has no `page`")
        self._of_request, self._of_response = pointer_tokens(page["from"]), pointer_tokens(page["cursor"])
        self._cursor: Any = None
        self._seen: set[str] = set()
        self.has_more = True

    def applied(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments of the next page."""
        if self._cursor is None:
            return arguments
        return replaced(arguments, self._of_request, self._cursor)

    def move(self, result: Any) -> None:
        """Go on to the page after a result. A server that repeats a cursor has no more pages."""
        value = value_at(response_of(result, lambda _: True), self._of_response)
        self._cursor = value if isinstance(value, str) else None
        self.has_more = self._cursor is not None and self._cursor not in self._seen
        if self._cursor is not None:
            self._seen.add(self._cursor)


async def call(
    connection: Connection,
    tool: ClientTool,
    given: Mapping[str, Any],
    settings: CallSettings,
    cursor: PageCursor | None,
) -> Any:
    """Return the response of a call. Raises ToolError."""
    arguments = tool.arguments(given if cursor is None else cursor.applied(given))
    attempt = 0
    while True:
        try:
            result = await _confirmed(connection, tool, arguments, settings)
            response = tool.read(result)
            break
        except ToolError as error:
            if attempt == settings.retries or not _is_retryable(error, tool):
                raise
            pause = min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE)
            await asyncio.sleep(pause if error.retry_after is None else max(error.retry_after, 0.0))
            attempt += 1
    await _report_content(tool, result, settings)
    if cursor is not None:
        cursor.move(result)
    return response


async def _report_content(tool: ClientTool, result: Any, settings: CallSettings) -> None:
    """Pass blocks that the method's return type cannot hold to the callback, or else warn."""
    callback = settings.on_content
    blocks = tool.undeclared_blocks(result, with_texts=callback is not None)
    if not blocks:
        return
    if callback is None:
        kinds = ", ".join(sorted({each.type for each in blocks}))
        message = f"{tool.name} sent more than it declares: {kinds}. with_options(on_content=…) gets it."
        warnings.warn(message, UndeclaredContentWarning, stacklevel=4)
        return
    await called(callback, blocks)


def _is_retryable(error: ToolError, tool: ClientTool) -> bool:
    """True if the call may be made again: nothing was done, or doing it twice is doing it once."""
    if isinstance(error, UnreachableError | ToolTimeoutError) and type(error) not in tool.errors:
        return is_idempotent(tool.definition)
    return error.retryable


async def _confirmed(
    connection: Connection, tool: ClientTool, arguments: dict[str, Any], settings: CallSettings
) -> Any:
    """Return the result of a call, after the user has confirmed it if the server wants that in two steps."""
    meta: dict[str, Any] | None = None
    for _ in range(_ROUNDS):
        result = await connection.call(
            tool.name, arguments, timeout=settings.timeout, progress=settings.on_progress, meta=meta
        )
        asked = (result.meta or {}).get(_CONFIRMATION) if result.is_error else None
        if connection.confirm is None or not isinstance(asked, Mapping):
            return result
        token, message, preview = (asked.get(key) for key in ("token", "message", "preview"))
        if not isinstance(token, str) or not isinstance(message, str):
            return result
        text = f"{preview}\n\n{message}" if isinstance(preview, str) else message
        answer = await called(connection.confirm, Question(text))
        if answer is None:
            raise QuestionCancelledError
        if answer is not True:
            raise DeclinedError
        meta = {_TOKEN: token}
    raise ConfirmationRequiredError(f"The server asks the user about {tool.name} again and again.")


async def stream(
    connection: Connection, tool: ClientTool, given: Mapping[str, Any], settings: CallSettings
) -> AsyncIterator[Any]:
    """Yield the chunks of a stream, then its response if it has one.

    A server sends chunks as progress. One that sends only the result gets it read at the end.
    """
    arguments = tool.arguments(given)
    chunks: asyncio.Queue[Any] = asyncio.Queue()

    async def progress(done: float, total: float | None, message: str | None) -> None:
        try:
            # a chunk has no total: nobody knows how many there are
            if message is None or total is not None:
                raise ValueError
            chunks.put_nowait(tool.read_chunk(message))
        except ValueError:
            if settings.on_progress is not None:
                await called(settings.on_progress, done, total, message)

    async def work() -> Any:
        try:
            return await connection.call(
                tool.name, arguments, timeout=settings.timeout, progress=progress, meta=None
            )
        finally:
            # the last notification may be on its way to the callback
            await asyncio.sleep(0)
            chunks.put_nowait(_END)

    task, sent = asyncio.ensure_future(work()), 0
    try:
        while (chunk := await chunks.get()) is not _END:
            sent += 1
            yield chunk
        result = await task
        if result.is_error:
            raise tool.error_of(result)
        if tool.contract.response_schema is not None:
            yield tool.read(result)
            await _report_content(tool, result, settings)
        else:
            for chunk in tool.read_chunks(result)[sent:]:
                yield chunk
    finally:
        task.cancel()
