"""A connection to a running MCP server: one call at a time, with limits; opened again when it was lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any, Final

from toolgen.base.suggestions import quoted
from toolgen.project import UnableError
from toolgen.runtime.errors import OutcomeUnknownError
from toolgen.schema.document import JsonObject
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client import limits
from toolgen.sources.mcp_client.client import (
    OpenTransport,
    ServerAddress,
    describe_failure,
    first_cause,
    open_transport,
    require_sdk,
)
from toolgen.sources.mcp_client.limits import ByteBudget

CALL_SECONDS: Final = 600.0
"""That a call may take which a user makes."""
MAX_QUESTIONS: Final = 20
"""More questions to the user in one call are endless."""
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""Of everything that a server sends during one call."""
_CLOSE_SECONDS: Final = 5.0

Ask = Callable[[Any], Awaitable[bool]]
"""Answers a question to the user (`mcp_types.ElicitRequestParams`): True for a yes."""


async def agree(question: Any) -> bool:
    """Answer every question with yes."""
    return True


class ServerLostError(Exception):
    """The server cannot be reached, ended, hangs or floods; the message says which.

    Attributes:
        is_outcome_unknown: a call had been sent, which may have been done.
    """

    is_outcome_unknown = False


@dataclass(slots=True)
class ServerAnswer:
    """What a server sent during one call."""

    result: Any = None  # mcp_types.CallToolResult; None: see `refusal`
    refusal: str = ""  # kind of a JSON-RPC error, or of a result that is not one of MCP
    message: str = ""  # of the refusal
    messages: list[str] = field(default_factory=list)  # of progress notifications
    questions: list[str] = field(default_factory=list)  # to the user


@dataclass(slots=True)
class _Exchange:
    """The call that is being made."""

    ask: Ask | None
    answer: ServerAnswer
    work: asyncio.Task[None]  # is cancelled if there are too many questions


class ServerConnection:
    """A connection to a server. Belongs to one event loop; calls are made one after another."""

    def __init__(
        self,
        server: ServerAddress,
        *,
        asks_user: bool,
        elicit: Callable[[Any], Awaitable[Any]] | None = None,
        is_patient: bool = False,
        transport: Any = None,
    ) -> None:
        """Prepare it; the first call connects. With `asks_user`, the client can ask the user questions.

        `elicit` answers all questions to the user in place of the `ask` of a call. With `is_patient`, any
        time may pass between two parts of an HTTP response. `transport` is what the SDK's client connects to
        instead of the server's address.
        """
        self.server, self._asks_user = server, asks_user
        self._elicit, self._is_patient, self._transport = elicit, is_patient, transport
        self._task: asyncio.Task[None] | None = None
        self._opened: OpenTransport | None = None
        self._closing = asyncio.Event()
        self._exchange: _Exchange | None = None
        self.noise = ""  # the first thing that the server sent and that is no message

    async def open(self) -> Any:
        """Return the SDK's client, connected. Raises ServerLostError."""
        if self._task is not None and self._task.done():
            reason = await self._reason()
            self._task = None
            raise ServerLostError(reason)
        if self._task is None:
            self._ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            self._closing = asyncio.Event()
            self._task = asyncio.create_task(self._hold())
        await asyncio.wait(
            {self._task, self._ready}, timeout=limits.TIME_LIMIT, return_when=asyncio.FIRST_COMPLETED
        )
        if self._ready.done():
            return self._ready.result()
        reason = f"the server did not answer within {limits.TIME_LIMIT:.0f} seconds"
        if self._task.done():
            reason = await self._reason()
        await self.abort()
        raise ServerLostError(reason)

    async def call(
        self, name: str, arguments: JsonObject, *, ask: Ask | None = None, seconds: float
    ) -> ServerAnswer:
        """Make a call. `ask` answers questions to the user; without it, the answer is no.

        Raises ServerLostError if there is no answer within `seconds`; the next call connects again.
        """
        client = await self.open()
        assert self._task is not None
        assert self._opened is not None
        self._opened.budget.renew()
        answer = ServerAnswer()
        work = asyncio.create_task(_request(client, name, arguments, answer))
        self._exchange = _Exchange(ask, answer, work)
        try:
            await asyncio.wait({work, self._task}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if work.done() and not work.cancelled() and work.exception() is None:
                return answer
            lost = ServerLostError(await self._why_no_answer(answer, work, seconds))
            lost.is_outcome_unknown = True
            await self.abort()
            raise lost
        finally:
            self._exchange = None
            await _cancelled(work)

    def renew_budget(self) -> None:
        """Let the server send as many bytes again as one call may have."""
        if self._opened is not None:
            self._opened.budget.renew()

    async def why_lost(self, *, is_lost: bool = False) -> str:
        """Return why the connection has ended; empty if it has not.

        `is_lost`: a call has found that it has, so that a server's process is about to end, too.
        """
        process = None if self._opened is None else self._opened.process
        ended = self._task is not None and self._task.done()
        return await self._reason() if ended or (process and (is_lost or process.describe_end())) else ""

    async def close(self) -> None:
        """End the connection, as clients do."""
        self._closing.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_CLOSE_SECONDS)
        await self.abort()

    async def abort(self) -> None:
        """End the connection at once."""
        task, self._task = self._task, None
        if self._opened is not None and self._opened.process is not None:
            self._opened.process.kill()
        if task is not None:
            await _cancelled(task)

    async def _hold(self) -> None:
        """Connect, and stay connected until `close`; the SDK needs one task for opening and closing."""
        from mcp import Client

        budget = ByteBudget(self.server.shown, MAX_ANSWER_BYTES)
        async with self._open_transport(budget) as self._opened:
            answer: Any = self._answer_question if self._asks_user else None
            client = Client(self._opened.transport, elicitation_callback=answer, message_handler=self._handle)
            async with client:
                # the schema of the spec decides, and a result that breaks it is shown
                client.session.validate_tool_result = _accept  # type: ignore[method-assign]
                self._ready.set_result(client)
                await self._closing.wait()

    def _open_transport(self, budget: ByteBudget) -> AbstractAsyncContextManager[OpenTransport]:
        if self._transport is not None:
            return nullcontext(OpenTransport(self._transport, budget))
        return open_transport(self.server, budget, is_patient=self._is_patient)

    async def _handle(self, message: Any) -> None:
        """Remember the first thing that the server sent and that is no message."""
        if isinstance(message, Exception) and not self.noise:
            self.noise = describe_failure(message)

    async def _answer_question(self, context: Any, question: Any) -> Any:
        """Answer for the user: yes with a form that is filled in, or no."""
        import mcp_types as types

        if self._elicit is not None:
            return await self._elicit(question)
        exchange = self._exchange
        if exchange is None:
            return types.ElicitResult(action="cancel")
        exchange.answer.questions.append(question.message)
        if len(exchange.answer.questions) > MAX_QUESTIONS:
            exchange.work.cancel()
        content = yes_to_all(question.requested_schema) if question.mode == "form" else None
        if content is None or exchange.ask is None or not await exchange.ask(question):
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=content)

    async def _why_no_answer(self, answer: ServerAnswer, work: asyncio.Task[None], seconds: float) -> str:
        from mcp import InputRequiredRoundsExceededError

        error = None if not work.done() or work.cancelled() else work.exception()
        # Protocols after 2025-11-25 ask in results of calls, which the SDK makes again only so many times.
        if work.cancelled() or isinstance(error, InputRequiredRoundsExceededError):
            return f"the server asks the user again and again, {quoted((answer.questions or [''])[-1])}"
        if error is not None or self._task is None or self._task.done():
            return await self._reason(error)
        process = None if self._opened is None else self._opened.process
        if process is not None and (end := process.describe_end()):
            return end
        noise = f"; it sent {self.noise}, which is no message of MCP" if self.noise else ""
        return f"there is no answer within {seconds:g} seconds{noise}"

    async def _reason(self, error: BaseException | None = None) -> str:
        """Return why the connection ended."""
        if self._opened is not None and self._opened.budget.excess:
            return self._opened.budget.excess  # the SDK may call it an end of the stream
        # Its pipes close a moment before a process ends, and its exit code says more than their end does.
        process = None if self._opened is None else self._opened.process
        end = "" if process is None else await process.wait_for_end()
        if self._task is not None and self._task.done() and not self._task.cancelled():
            failure = self._task.exception()
            cause = None if failure is None else first_cause(failure)
            if isinstance(cause, SourceError):
                return cause.message
            error = error or cause
        about = "" if error is None else describe_failure(error)
        return end or f"the connection ended: {about}".removesuffix(": Connection closed").removesuffix(": ")


def call_server(server: ServerAddress, name: str, arguments: JsonObject, ask: Ask | None) -> ServerAnswer:
    """Make one call. `ask` answers questions to the user; without it, the client says that there is no user.

    If the connection ends during the call, the refusal is `outcome_unknown`. Raises UnableError without a
    connection.
    """
    require_sdk("calling a server")
    return asyncio.run(_call_once(server, name, arguments, ask))


async def _call_once(
    server: ServerAddress, name: str, arguments: JsonObject, ask: Ask | None
) -> ServerAnswer:
    connection = ServerConnection(server, asks_user=ask is not None)
    try:
        return await connection.call(name, arguments, ask=ask, seconds=CALL_SECONDS)
    except ServerLostError as error:
        if error.is_outcome_unknown:
            message = f"{error}. {OutcomeUnknownError.hint}"
            return ServerAnswer(refusal=OutcomeUnknownError.code, message=message)
        hint = "does the server start, and speak MCP?"
        raise UnableError("bad-source", f"{server.shown}: {error}", hint) from None
    finally:
        await connection.close()


async def _request(client: Any, name: str, arguments: JsonObject, answer: ServerAnswer) -> None:
    """Make a call, and put what the server answers into `answer`. Raises if the connection ends."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import CONNECTION_CLOSED
    from pydantic import ValidationError

    async def progress(done: float, total: float | None, message: str | None) -> None:
        if message is not None:
            answer.messages.append(message)

    try:
        answer.result = await client.call_tool(name, arguments, progress_callback=progress)
        await asyncio.sleep(0)  # the last notification may be on its way to the callback
    except MCPError as error:
        if error.code == CONNECTION_CLOSED:
            raise
        answer.refusal, answer.message = f"JSON-RPC error {error.code}", str(error)
    except ValidationError as error:
        answer.refusal, answer.message = "an invalid answer", describe_failure(error)


def yes_to_all(schema: Any) -> dict[str, Any] | None:
    """Return the content of a form with yes to every question; None if it wants to know something else."""
    properties = schema.get("properties", {})
    # Nobody is there who could write a text, and a made-up one would be the test's data, not the user's.
    questions = {name: True for name, each in properties.items() if each.get("type") == "boolean"}
    return questions if questions.keys() >= set(schema.get("required", ())) else None


async def _accept(name: str, result: Any) -> None:
    """Accept every result."""


async def _cancelled(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks, and wait until they have ended; not for ever."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=_CLOSE_SECONDS)
    for task in tasks:
        if task.done() and not task.cancelled():
            with suppress(Exception):
                task.exception()  # was reported
