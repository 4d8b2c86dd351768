"""A connection to an MCP server: it opens when it is needed, explains each failure, and opens again."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from toolgen.base import MIB
from toolgen.base.suggestions import quoted
from toolgen.project import UnableError
from toolgen.runtime.errors import OutcomeUnknownError, ToolError
from toolgen.runtime.isolation import WorkClock
from toolgen.schema.document import JsonObject
from toolgen.sources.imported_tool import SourceError
from toolgen.sources.mcp_client import limits
from toolgen.sources.mcp_client.client import (
    OpenTransport,
    ServerAddress,
    describe_failure,
    first_cause,
    open_transport,
    read_list,
    read_listing,
    require_sdk,
)
from toolgen.sources.mcp_client.limits import ByteBudget
from toolgen.sources.mcp_client.listing import Listing
from toolgen.sources.mcp_client.outcomes import Failure, RequestFailedError, of_answer

T = TypeVar("T")
CALL_SECONDS: Final = 600.0
"""That a call may take which a user makes."""
MAX_QUESTIONS: Final = 20
"""More questions to the user in one call are endless."""
MAX_ANSWER_BYTES: Final = 64 * MIB
"""Of everything that a server sends from one request to the next."""
_CLOSE_SECONDS: Final = 5.0  # for a server to end when its client goes
_CLOSED: Final = "Connection closed"  # the SDK's message: servers use its code for errors of their own
_NOT_RESUMED: Final = "SSE stream ended and reconnection attempts were exhausted"  # the SDK's, with this code
HINT: Final = "does the server start, and speak MCP?"
_HINTS: Final = {
    Failure.UNAUTHORIZED: "--header Authorization=VARIABLE sends the value of an environment variable",
    Failure.UNSCOPED: "the credentials of --header need more scopes",
    Failure.BUSY: "try again later",
    Failure.UNAVAILABLE: "try again later",
}

Ask = Callable[[Any], Awaitable[bool]]
"""Answers a question to the user (`mcp_types.ElicitRequestParams`): True for a yes."""


async def agree(question: Any) -> bool:
    """Answer every question with yes."""
    return True


class ServerConnection:
    """A connection to a server. Belongs to one event loop.

    Attributes:
        server: where it is.
        noise: the first thing that the server sent and that was dropped; empty: there was none.
    """

    def __init__(
        self,
        server: ServerAddress,
        *,
        elicit: Callable[[Any], Awaitable[Any]] | None = None,
        is_patient: bool = False,
        transport: Any = None,
    ) -> None:
        """Prepare it; the first request connects.

        `elicit` answers questions to the user; without it, there is none. With `is_patient`, any time may
        pass between two parts of an HTTP response. `transport` is what the SDK's client connects to instead
        of the server's address.
        """
        self.server, self.noise = server, ""
        self._elicit, self._is_patient, self._transport = elicit, is_patient, transport
        self._task: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Any]
        self._closing = asyncio.Event()
        self._opened: OpenTransport | None = None
        self._clocks: dict[int, WorkClock] = {}  # of the requests that are made, by their ids
        self._is_doubtful = False  # the last request was refused, perhaps because its session is gone

    async def open(self) -> Any:
        """Return the SDK's client, connected. Raises RequestFailedError."""
        if self._task is not None and self._has_ended():
            self.end()  # after the last request: nothing is lost
        if self._task is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._closing = asyncio.Event()
            # without variables of the call that happens to be the first
            self._task = asyncio.create_task(
                self._hold(self._ready, self._closing), context=contextvars.Context()
            )
        task, ready = self._task, self._ready
        if ready.done():
            return ready.result()
        waiting: set[asyncio.Future[Any]] = {task, ready}
        await asyncio.wait(waiting, timeout=limits.TIME_LIMIT, return_when=asyncio.FIRST_COMPLETED)
        if ready.done():
            return ready.result()
        if task.done():
            failed = await self._explained(Failure.UNREACHABLE)
        else:
            failed = _not_opened(limits.TIME_LIMIT)
        if self._task is task:
            self.give_up(failed)
        raise failed

    def give_up(self, failed: RequestFailedError) -> None:
        """End a connection that could not be opened."""
        self.end()

    async def request(self, make: Callable[[Any], Awaitable[T]], seconds: float | None = None) -> T:
        """Return the result of a request that `make` makes with the SDK's client, within `seconds` with all.

        Raises RequestFailedError, and what is raised by `make` itself: SourceError and ToolError. After LOST,
        the next request connects again. A session that is gone is opened anew at once: nothing was done.
        """
        clock = WorkClock()
        if seconds is None:
            return await self._made(make, clock)
        self._clocks[id(clock)] = clock
        try:
            async with clock.limit(monotonic() + seconds) as limit:
                try:
                    return await self._made(make, clock)
                except RequestFailedError:
                    if not limit.expired():
                        raise
        except TimeoutError:
            pass
        finally:
            del self._clocks[id(clock)]
        if self._task is not None and not self._ready.done():
            failed = _not_opened(seconds)
            self.give_up(failed)
            raise failed
        noise = f"; it sent {self.noise}" if self.noise else ""
        raise RequestFailedError(Failure.LATE, f"there is no answer within {seconds:g} seconds{noise}")

    async def _made(
        self, make: Callable[[Any], Awaitable[T]], clock: WorkClock, *, is_again: bool = False
    ) -> T:
        client = await self.open()
        is_doubtful, self._is_doubtful = self._is_doubtful, False
        if is_doubtful and not await self._is_known(client):
            client = await self.open()
        task = self._task
        if self._opened is not None:
            self._opened.budget.renew()
        try:
            return await make(client)
        except (SourceError, ToolError):
            raise
        except Exception as error:
            with clock.stopped():  # to wait for the end of a process
                failed = await self._failed(error)
        is_answer = failed.failure is Failure.REFUSED or failed.status is not None
        self._is_doubtful = is_answer and failed.failure is not Failure.BUSY and not self.server.is_command
        if failed.failure in (Failure.LOST, Failure.SESSION) and self._task is task:
            self.end()
        if failed.failure is Failure.SESSION and not is_again:
            return await self._made(make, clock, is_again=True)
        if failed.failure is Failure.SESSION and failed.status == HTTPStatus.BAD_REQUEST:
            # it was not about the session
            failed = RequestFailedError(Failure.REJECTED, str(failed), failed.error, status=failed.status)
        raise failed from None

    async def _is_known(self, client: Any) -> bool:
        """True if the server knows the session of a client, or there is none; if not, end the connection.

        Not every server says HTTP 404, as it should: some say 401 or 503, some send an error of JSON-RPC.
        """
        import mcp_types as types  # the SDK is loaded when it is used
        from mcp_types.version import MODERN_PROTOCOL_VERSIONS

        task = self._task
        try:
            if client.protocol_version not in MODERN_PROTOCOL_VERSIONS:  # without sessions and pings
                await client.session.send_request(types.PingRequest(), types.EmptyResult)
        except Exception as error:
            if getattr(error, "code", None) != types.METHOD_NOT_FOUND:
                if self._task is task:
                    self.end()
                return False
        return True

    async def why_lost(self) -> str:
        """Return why the connection has ended; empty if it has not, or was not opened."""
        lost = self._task is not None and self._has_ended()
        return str(await self._explained(Failure.LOST)) if lost else ""

    def end(self) -> None:
        """Begin to close the connection. The next request opens a new one."""
        if self._task is not None:
            self._closing.set()
            task, self._task, self._opened = self._task, None, None
            asyncio.get_running_loop().call_later(_CLOSE_SECONDS, task.cancel)
            _ENDING.add(task)
            task.add_done_callback(_ended)

    async def close(self) -> None:
        """End the connection as clients do, or at once if that takes long."""
        task = self._task
        self.end()
        if task is not None:
            await asyncio.wait({task}, timeout=_CLOSE_SECONDS)
            task.cancel()

    def _open_transport(self) -> AbstractAsyncContextManager[OpenTransport]:
        budget = ByteBudget(self.server.shown, MAX_ANSWER_BYTES)
        if self._transport is not None:
            return nullcontext(OpenTransport(self._transport, budget))
        return open_transport(self.server, budget, is_patient=self._is_patient, report=self._report)

    async def _hold(self, ready: asyncio.Future[Any], closing: asyncio.Event, **options: Any) -> None:
        """Connect, and stay connected: the SDK's scopes must be left by the task that entered them."""
        from mcp import Client  # its import takes longer than the other modules of a command

        answer: Any = None if self._elicit is None else self._answer_question
        async with (
            self._open_transport() as self._opened,
            Client(
                self._opened.transport,
                elicitation_callback=answer,
                message_handler=self._handle,
                **options,
            ) as client,
        ):
            # the schema of the spec decides, and a result that breaks it is shown
            client.session.validate_tool_result = _accept  # type: ignore[method-assign]
            await self._prepare(client)
            ready.set_result(client)
            await self._attend(client, closing)

    async def _prepare(self, client: Any) -> None:
        """Look at the server before the first request."""

    async def _attend(self, client: Any, closing: asyncio.Event) -> None:
        """Wait until the connection is closed."""
        await closing.wait()

    async def _handle(self, message: Any) -> None:
        """Handle a notification."""

    def _report(self, kind: str, sent: str) -> None:
        """Remember the first thing that the server sent and that was dropped."""
        self.noise = self.noise or f"{sent}, {kind}"

    async def _answer_question(self, context: Any, question: Any) -> Any:
        assert self._elicit is not None
        return await self._elicit(question)

    def _has_ended(self) -> bool:
        opened = self._opened
        if self._task is None or self._task.done():
            return True
        if opened is None or opened.process is None:
            return opened is not None and opened.budget.excess is not None
        is_silent = opened.process.is_silent or bool(opened.process.describe_end())
        return is_silent or opened.budget.excess is not None

    async def _failed(self, error: Exception) -> RequestFailedError:
        """Return the failure of a request for what the SDK raises: `outcomes` has the kinds."""
        from mcp import InputRequiredRoundsExceededError, MCPError  # the SDK is loaded when it is used
        from mcp_types import CONNECTION_CLOSED

        if isinstance(error, RequestFailedError):
            return error
        reported, opened = of_answer(error), self._opened
        if reported is not None and (opened is None or opened.budget.excess is None):
            return reported
        code = error.code if isinstance(error, MCPError) else None
        if code == CONNECTION_CLOSED and str(error) == _NOT_RESUMED:
            return RequestFailedError(Failure.FAILED, "the stream of its answer ended, and is not resumed")
        if (code == CONNECTION_CLOSED and str(error) == _CLOSED) or self._has_ended():
            return await self._explained(Failure.LOST, error)
        if isinstance(error, InputRequiredRoundsExceededError):
            return RequestFailedError(Failure.ENDLESS, "the server asks the user again and again", error)
        if code is not None:
            return RequestFailedError(Failure.REFUSED, str(error), error)
        if isinstance(error, ValidationError | RuntimeError):
            return RequestFailedError(Failure.INVALID, describe_failure(error), error)
        return await self._explained(Failure.LOST, error)

    async def _explained(self, failure: Failure, error: BaseException | None = None) -> RequestFailedError:
        """Return a failure with the reason why the connection ended."""
        opened, task = self._opened, self._task
        if opened is not None and opened.budget.excess is not None:
            # the SDK may call it an end of the stream
            return RequestFailedError(failure, opened.budget.excess.message, opened.budget.excess)
        # Its pipes close a moment before a process ends, and its exit code says more than their end does.
        end = "" if opened is None or opened.process is None else await opened.process.wait_for_end()
        raised = task.exception() if task is not None and task.done() and not task.cancelled() else None
        cause = error if raised is None else first_cause(raised)
        if isinstance(cause, SourceError):
            return RequestFailedError(failure, cause.message, cause)
        reported = None if cause is None else of_answer(cause)
        if failure is Failure.UNREACHABLE and reported is not None and not reported.failure.may_be_done:
            return reported
        about = "" if cause is None else describe_failure(cause)
        if failure is Failure.LOST:
            about = f"the connection ended: {about}".removesuffix(f": {_CLOSED}").removesuffix(": ")
        return RequestFailedError(failure, end or about, cause)


@dataclass(slots=True)
class ServerAnswer:
    """The messages and the result that a server sent during one call."""

    result: Any = None  # mcp_types.CallToolResult; None: see `refusal`
    refusal: str = ""  # kind of a JSON-RPC error, or of a result that is not one of MCP
    message: str = ""  # of the refusal
    messages: list[str] = field(default_factory=list)  # of progress notifications
    questions: list[str] = field(default_factory=list)  # to the user


class CallingConnection(ServerConnection):
    """Makes one call after another, and answers what the server asks the user meanwhile: yes or no."""

    def __init__(self, server: ServerAddress, *, asks_user: bool) -> None:
        """Prepare it. Without `asks_user`, the client says that it cannot ask."""
        super().__init__(server, elicit=self._decide if asks_user else None)
        self._ask: Ask | None = None
        self._answer = ServerAnswer()  # of the call that is made

    async def call(
        self, name: str, arguments: JsonObject, *, ask: Ask | None = None, seconds: float
    ) -> ServerAnswer:
        """Make a call. `ask` answers questions to the user; without it, the answer is no.

        Raises RequestFailedError if there is no answer; the next call connects again.
        """
        self._ask, self._answer = ask, ServerAnswer()
        answer = self._answer

        async def progress(done: float, total: float | None, message: str | None) -> None:
            if message is not None:
                answer.messages.append(message)

        async def make(client: Any) -> None:
            answer.result = await client.call_tool(name, arguments, progress_callback=progress)
            await asyncio.sleep(0)  # the last notification may be on its way to the callback

        try:
            await self.request(make, seconds)
        except RequestFailedError as failed:
            if failed.failure is Failure.REFUSED:
                answer.refusal = f"JSON-RPC error {getattr(failed.error, 'code', '')}"
            elif failed.failure is Failure.INVALID:
                answer.refusal = "an invalid answer"
            elif failed.status is not None or failed.failure is Failure.FAILED:
                answer.refusal = failed.failure.outcome.code
            else:
                self._abort()
                if len(answer.questions) > MAX_QUESTIONS or failed.failure is Failure.ENDLESS:
                    reason = f"the server {Failure.ENDLESS.text}, {quoted((answer.questions or [''])[-1])}"
                    raise RequestFailedError(Failure.ENDLESS, reason) from None
                raise
            answer.message = str(failed)
            if failed.failure is Failure.FAILED:
                answer.message += f". {OutcomeUnknownError.hint}"
        return answer

    def _abort(self) -> None:
        """End the connection, and the server's process at once: it may hang."""
        if self._opened is not None and self._opened.process is not None:
            self._opened.process.kill()
        self.end()

    async def _decide(self, question: Any) -> Any:
        """Answer for the user: yes with a form that is filled in, or no."""
        import mcp_types as types  # the SDK is loaded when it is used

        self._answer.questions.append(question.message)
        if len(self._answer.questions) > MAX_QUESTIONS:
            self._abort()
        content = yes_to_all(question.requested_schema) if question.mode == "form" else None
        if content is None or self._ask is None or not await self._ask(question):
            return types.ElicitResult(action="decline")
        return types.ElicitResult(action="accept", content=content)


def list_tools(server: ServerAddress) -> list[Any]:
    """Return all that the server lists as its tools, with all keys. Raises as `list_server` does."""
    require_sdk("importing from a server")
    return asyncio.run(_read(server, partial(read_list, key="tools")))


def list_server(server: ServerAddress, what: str = "guarding a server") -> Listing:
    """Return all that the server lists.

    Raises:
        SourceError: the server failed, took too long or answered too much; the message says what it did.
        UnableError: the MCP SDK is not installed.
    """
    require_sdk(what)
    return asyncio.run(_read(server, read_listing))


async def _read(server: ServerAddress, read: Callable[[Any, str], Coroutine[Any, Any, T]]) -> T:
    """Return what `read` gets from a client of the server. Raises SourceError."""
    connection = ServerConnection(server)
    try:
        return await connection.request(lambda client: read(client, server.shown), limits.TIME_LIMIT)
    except RequestFailedError as failed:
        if isinstance(failed.error, SourceError):
            raise failed.error from None
        raise SourceError(f"{server.shown}: {failed}", hint_for(failed)) from None
    finally:
        await connection.close()


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
    connection = CallingConnection(server, asks_user=ask is not None)
    try:
        return await connection.call(name, arguments, ask=ask, seconds=CALL_SECONDS)
    except RequestFailedError as failed:
        if not failed.failure.may_be_done:
            raise UnableError("bad-source", f"{server.shown}: {failed}", hint_for(failed)) from None
        message = f"{failed}. {OutcomeUnknownError.hint}"
        return ServerAnswer(refusal=OutcomeUnknownError.code, message=message)
    finally:
        await connection.close()


def hint_for(failed: RequestFailedError) -> str:
    """Return what the user of a command can do about a failure."""
    return _HINTS.get(failed.failure, HINT)


def _not_opened(seconds: float) -> RequestFailedError:
    reason = f"the server did not answer within {seconds:g} seconds"
    return RequestFailedError(Failure.UNREACHABLE, reason)


def yes_to_all(schema: Any) -> dict[str, Any] | None:
    """Return the content of a form with yes to every question; None if it wants to know something else."""
    properties = schema.get("properties", {})
    # Nobody is there who could write a text, and a made-up one would be the test's data, not the user's.
    questions = {name: True for name, each in properties.items() if each.get("type") == "boolean"}
    return questions if questions.keys() >= set(schema.get("required", ())) else None


async def _accept(name: str, result: Any) -> None:
    """Accept every result."""


_ENDING: set[asyncio.Task[None]] = set()  # the event loop keeps weak references only


def _ended(task: asyncio.Task[None]) -> None:
    _ENDING.discard(task)
    if not task.cancelled():
        task.exception()  # was reported
