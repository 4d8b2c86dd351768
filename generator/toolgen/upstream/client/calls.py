"""Calls of a client: retries, two-step confirmation, streams."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Mapping
from inspect import isawaitable
from typing import Any, Final

from toolgen.runtime.errors import (
    ConfirmationRequiredError,
    DeclinedError,
    QuestionCancelledError,
    ToolError,
    ToolTimeoutError,
    UnreachableError,
)

from .connection import Connection, report
from .errors import UndeclaredContentWarning
from .options import CallSettings
from .paging import PageCursor
from .questions import Question, ask
from .tool import ClientTool

_CONFIRMATION: Final = "toolgen/confirmation"  # in a result's `_meta`
_TOKEN: Final = "toolgen/confirmation_token"  # noqa: S105  in a request's `_meta`
_FIRST_PAUSE: Final = 0.5  # seconds before the second attempt, doubled for each other one
_LONGEST_PAUSE: Final = 30.0
_ROUNDS: Final = 5  # of questions in one call
_END: Final = object()


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
    found = callback(blocks)
    if isawaitable(found):
        await found


def _is_retryable(error: ToolError, tool: ClientTool) -> bool:
    """True if the call may be made again: nothing was done, or doing it twice is doing it once."""
    if isinstance(error, UnreachableError | ToolTimeoutError) and type(error) not in tool.errors:
        return tool.may_repeat
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
        answer = await ask(connection.confirm, Question(text))
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
                await report(settings.on_progress, done, total, message)

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
