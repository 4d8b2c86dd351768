"""Questions to the user in the middle of a call: of tools with `asks`, of scripts, and of upstreams.

Up to 2025-11-25 a server asks by a request during the call, since 2026-07-28 by the result of the call. In
the middle of a call whose client wants the question as a result, the call is held until the client comes back
with the answer. It is never started again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any, Final, Generic, TypeVar

import mcp_types as types
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from toolgen.runtime.context import Progress
from toolgen.runtime.elicitation import Elicit, Elicitation
from toolgen.runtime.errors import ConfirmationRequiredError
from toolgen.runtime.logs.logger import LOGGER

KEY: Final = "toolgen/asked"  # of the question in the result
HELD_SECONDS: Final = 600.0
"""That a call waits for an answer of the user."""
MAX_HELD: Final = 1_000  # calls that wait at the same time
MAX_SCRIPTS: Final = 100
"""In code mode: the state of a script that waits may have 4 MiB (`HELD_BYTES`)."""
MAX_OF_PRINCIPAL: Final = 100
"""Calls of one principal among them, and at most half of all, as of one address without authentication."""
_STATE: Final = "toolgen/held:"  # how the states of held calls begin
_NO_USER: Final = types.ErrorData(code=types.INVALID_REQUEST, message="The user cannot be asked.")
_NO_ANSWER: Final = types.ErrorData(code=types.INVALID_REQUEST, message="The user has not answered.")
_TOO_MANY: Final = types.ErrorData(code=types.INVALID_REQUEST, message="Too many calls wait for users.")
Result = TypeVar("Result")


def is_modern(context: ServerRequestContext[Any, Any]) -> bool:
    """True if the client uses protocol version 2026-07-28 or later."""
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


@dataclass(frozen=True, slots=True)
class Requester:
    """Who makes a request that is forwarded.

    Attributes:
        request: the request of a client of MCP; None if there is none.
        params: of the request. Those of some methods have the answers of the user.
        progress: reports progress to the client.
        principal: who asks, where known.
        session_id: of a caller that is no client of MCP.
        headers: of the caller, that tools may see.
    """

    request: ServerRequestContext[Any, Any] | None
    params: Any
    progress: Progress
    principal: str | None = None
    session_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def owner(self) -> str | None:
        """The caller as limits count it: its principal, else its address; None for a single client."""
        if self.principal is not None:
            return f"principal {self.principal}"
        request = None if self.request is None else self.request.request
        return None if request is None else f"address {request.client and request.client.host}"

    @property
    def is_modern(self) -> bool:
        """True if the client wants questions as results."""
        return self.request is not None and is_modern(self.request)

    @property
    def can_ask(self) -> bool:
        """True if the client can ask its user a question."""
        return self._elicitation is not None

    @property
    def can_show_form(self) -> bool:
        """True if the client can show a form to its user."""
        found = self._elicitation
        # a client that names no mode of elicitation supports forms (MCP 2025-11-25)
        return found is not None and (found.form is not None or found.url is None)

    def can_show(self, params: types.ElicitRequestParams) -> bool:
        """True if the client can show this question to its user: a form, or a page to open."""
        return self.can_show_page if isinstance(params, types.ElicitRequestURLParams) else self.can_show_form

    @property
    def can_show_page(self) -> bool:
        """True if the client can let its user open a page."""
        found = self._elicitation
        return found is not None and found.url is not None

    @property
    def _elicitation(self) -> types.ElicitationCapability | None:
        if self.request is None or not (self.is_modern or self.request.session.can_send_request):
            return None
        capabilities = self.request.session.client_capabilities
        return None if capabilities is None else capabilities.elicitation

    @property
    def answers(self) -> tuple[Any, str | None]:
        """Return the answers of the user and the state of the question, as the client sent them."""
        found = getattr(self.params, "input_responses", None), getattr(self.params, "request_state", None)
        return found if self.is_modern else (None, None)


class Exchange:
    """A request that is worked on: where its progress and questions go.

    Args:
        requester: who makes the request.
        asker: the name of the server that asks, which the user sees. By default, it is this one.
    """

    def __init__(self, requester: Requester, asker: str = "") -> None:
        self.asker = asker
        self.requester = requester  # of a held call: who has come back last
        self.questions: asyncio.Queue[_Question] | None = None  # the client wants questions as results

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Report progress to the client."""
        await self.requester.progress(progress, total, message)

    async def ask(self, params: types.ElicitRequestParams) -> types.ElicitResult | types.ErrorData:
        """Return the answer of the client's user, or an error if there is none."""
        request = self.requester.request
        if request is None or not self.requester.can_show(params):
            return _NO_USER
        if self.asker:
            params = params.model_copy(update={"message": self._labelled(params.message)})
        if self.questions is not None:
            question = _Question(params)
            await self.questions.put(question)
            return await question.answer
        if self.requester.is_modern:
            return _NO_USER
        try:
            async with asyncio.timeout(HELD_SECONDS):
                return await request.session.send_request(
                    types.ElicitRequest(params=params),
                    types.ElicitResult,
                    metadata=ServerMessageMetadata(related_request_id=request.request_id),
                )
        except MCPError as error:
            return error.error
        except TimeoutError:
            return _NO_ANSWER

    def passed_on(self, result: dict[str, Any], asked: types.InputRequiredResult) -> dict[str, Any]:
        """Return a result of another server, which has been read as `asked`, as the user sees its questions.

        Raises MCPError for what the client does not show, and for questions to its model.
        """
        shown = {name: dict(each) for name, each in (result.get("inputRequests") or {}).items()}
        for name, each in (asked.input_requests or {}).items():
            if not isinstance(each, types.ElicitRequest) or not self.requester.can_show(each.params):
                raise MCPError.from_error_data(_NO_USER)
            text = self._labelled(each.params.message)
            shown[name]["params"] = {**shown[name]["params"], "message": text}
        return {**result, "inputRequests": shown} if shown else result

    def _labelled(self, message: str) -> str:
        return f"{self.asker} asks: {message}"

    @property
    def elicit(self) -> Elicit | None:
        """The option `elicit` of a call; None if the client cannot show a form to its user."""
        return self._elicit if self.requester.can_show_form else None

    async def _elicit(self, asked: Elicitation) -> Mapping[str, Any] | bool | None:
        form = types.ElicitRequestFormParams(message=asked.message, requested_schema=dict(asked.form))
        answer = await self.ask(form)
        if isinstance(answer, types.ErrorData):
            LOGGER.warning("the client did not ask the user about %s", asked.tool_name)
            LOGGER.debug("the reason: %s", answer.message)
            raise ConfirmationRequiredError(
                f"{asked.tool_name} has to ask the user something, and there was no answer."
            )
        if answer.action == "accept":
            return answer.content or {}
        return False if answer.action == "decline" else None


@dataclass(slots=True)
class _Question:
    params: types.ElicitRequestParams
    answer: asyncio.Future[types.ElicitResult | types.ErrorData] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


@dataclass(slots=True)
class _HeldCall(Generic[Result]):
    """A call that waits for the user, and who may answer."""

    identity: str
    loop: int
    task: asyncio.Task[Result]
    exchange: Exchange
    question: _Question | None = None


class HeldCalls(Generic[Result]):
    """The calls that wait for answers of users, by the state that the client sends back.

    Args:
        most: how many may wait. The questions of others get an error instead of an answer.
        key: of the question in the result.
    """

    def __init__(self, most: int = MAX_HELD, *, key: str = KEY) -> None:
        self._most, self._key = most, key
        self._held: dict[str, _HeldCall[Result]] = {}

    def is_answer(self, params: types.CallToolRequestParams) -> bool:
        """True if a request can only continue a held call, of this process or of another."""
        return (params.request_state or "").startswith(_STATE) or self._key in (params.input_responses or {})

    async def run(
        self, work: Coroutine[Any, Any, Result], exchange: Exchange, identity: str
    ) -> Result | types.InputRequiredResult:
        """Return the result of a call, or the result that asks the user."""
        exchange.questions = asyncio.Queue()
        loop = asyncio.get_running_loop()
        held = _HeldCall(identity, id(loop), loop.create_task(work), exchange)
        return await self._next(held)

    async def resume(self, requester: Requester, identity: str) -> Result | types.InputRequiredResult | None:
        """Return what a held call answers, now that the user has. None if there is no such call."""
        answers, state = requester.answers
        held = self._held.get(state or "")
        if state is None or held is None or held.question is None:
            return None
        # another user, or another call, gets neither the question nor the result
        if held.identity != identity or held.loop != id(asyncio.get_running_loop()):
            return None
        del self._held[state]
        held.exchange.requester = requester  # the client has the answer to its first request
        answer = (answers or {}).get(self._key)
        found = answer if isinstance(answer, types.ElicitResult) else types.ElicitResult(action="cancel")
        if not held.question.answer.done():
            held.question.answer.set_result(found)
        held.question = None
        return await self._next(held)

    async def _next(self, held: _HeldCall[Result]) -> Result | types.InputRequiredResult:
        assert held.exchange.questions is not None
        while True:
            asked = asyncio.ensure_future(held.exchange.questions.get())
            try:
                await asyncio.wait({held.task, asked}, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                held.task.cancel()
                raise
            finally:
                if not asked.done():
                    asked.cancel()
            if held.task.done():
                return held.task.result()
            held.question = asked.result()
            if self._has_room(held.exchange.requester):
                break
            held.question.answer.set_result(_TOO_MANY)  # the work has begun: it decides how to end
        state = _STATE + token_urlsafe(16)
        self._held[state] = held
        asyncio.get_running_loop().call_later(HELD_SECONDS, self._expire, state)
        request = types.ElicitRequest(params=held.question.params)
        return types.InputRequiredResult(input_requests={self._key: request}, request_state=state)

    def _has_room(self, requester: Requester) -> bool:
        """True if one more call may wait, of all and of this caller."""
        owner, share = requester.owner, self._most // 2
        share = share if requester.principal is None else min(share, MAX_OF_PRINCIPAL)
        own = sum(each.exchange.requester.owner == owner for each in self._held.values())
        return len(self._held) < self._most and (owner is None or own < share)

    def _expire(self, state: str) -> None:
        held = self._held.pop(state, None)
        if held is not None:
            held.task.cancel()

    def end_all(self, loop: int) -> None:
        """End the held calls of an event loop."""
        for state in [state for state, held in self._held.items() if held.loop == loop]:
            self._expire(state)
