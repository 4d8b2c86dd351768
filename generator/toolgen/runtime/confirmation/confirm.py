"""Confirm a call, then act: redeem a token, ask the user, or do what the spec says if nobody can be asked.

What is done is what was approved. The preview is made again after the answer; if it differs, or the tool
itself finds a difference (ChangedSinceConfirmedError), nothing happens and the user is asked again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final

from toolgen.runtime.context import LOGGER, Caller, ToolContext
from toolgen.runtime.contract import ToolContract
from toolgen.runtime.errors import (
    ChangedSinceConfirmedError,
    ConfirmationRequiredError,
    DeclinedError,
    NotImplementedToolError,
    ToolError,
)
from toolgen.runtime.execution.invoke import PreparedMethod, run_method
from toolgen.runtime.execution.isolation import ApplicationExit
from toolgen.runtime.execution.result import WrittenResult, as_text, write_result

if TYPE_CHECKING:
    from toolgen.runtime.execution.call import Environment
    from toolgen.runtime.settings import Settings

from .question import Approval, Confirmation, ConfirmationPending, displayed_preview, render_message
from .stores import StoreError
from .tokens import (
    TokenClaims,
    TokenKind,
    digest_of_call,
    digest_of_holder,
    digest_of_question,
)

MAX_QUESTIONS: Final = 3  # about one call whose preview keeps changing


@dataclass(frozen=True, slots=True)
class Preview:
    """What `preview` gave: the text for the user and, where it gave a whole response, that as JSON."""

    text: str
    content: Any


@dataclass(frozen=True, slots=True)
class _State:
    """What would happen now, as the user would be told."""

    message: str
    preview: str | None

    @property
    def digest(self) -> str:
        return digest_of_question(self.message, self.preview)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmedCall:
    """A call of a tool that asks before it acts."""

    contract: ToolContract
    method: PreparedMethod | None  # `preview`; None: the spec asks for none
    arguments: Mapping[str, Any]  # as they came, checked
    request: Any
    call: ToolContext
    caller: Caller
    environment: Environment
    metadata: MutableMapping[str, Any]  # of the response; a token is put here, never in a text

    async def show(self) -> WrittenResult:
        """Return the preview as a result. Raises NotImplementedToolError without one."""
        preview = await self._preview()
        if preview is None:
            raise NotImplementedToolError(f"{self.contract.name} has no preview.")
        self.metadata["preview"] = True
        if isinstance(preview.content, str):
            content: Any = displayed_preview(preview.content, self.arguments)
        else:
            content = preview.content
        return WrittenResult(content, as_text(content))

    async def run(self, act: Callable[[], Awaitable[WrittenResult]]) -> WrittenResult:
        """Return what `act` returns, once the user has agreed to what it would do.

        Raises ConfirmationRequiredError, DeclinedError or ChangedSinceConfirmedError where it may not, and
        ConfirmationPending with a token where the application's `confirm` raises that.
        """
        claims = await self._redeem()
        confirm = self.caller.confirm
        if confirm is None and claims is None and self._otherwise == "allow":
            return await act()
        approved = None if claims is None else claims.shown
        questions = 0 if claims is None else claims.questions
        change: ToolError | None = None
        while True:
            self.call.approval = None
            state = await self._state()
            if approved == state.digest:
                self.call.approval = Approval(state.preview, state.message, self.call.principal)
                try:
                    return await act()
                except ToolError as error:
                    if error.code != ChangedSinceConfirmedError.code:
                        raise
                    change, approved = error, None
                    continue  # with the state as it is now
            if approved is not None:
                change = ChangedSinceConfirmedError()
            if change is not None and (confirm is None or questions >= MAX_QUESTIONS):
                if confirm is None and claims is not None:
                    self._offer(state, claims.kind, questions + 1)
                raise change
            if confirm is None:
                raise self._required(state)
            questions += 1
            await self._ask(state, questions)
            approved = state.digest

    @property
    def _otherwise(self) -> str:
        """What happens where nobody can be asked: deny, two_step or allow."""
        otherwise: str = (self.contract.confirm or {}).get("on_unsupported", "deny")
        return otherwise

    async def _redeem(self) -> TokenClaims | None:
        """Return the claims of the caller's token if it is good for this call. Raises if the store fails."""
        token = self.caller.confirmation_token
        if token is None:
            return None
        try:
            claims = await self.environment.confirmations.redeem(token, self._holder)
        except StoreError as error:
            LOGGER.error("call %s of %s is not confirmed: %s", self.call.call_id, self.contract.name, error)
            raise ConfirmationRequiredError(
                f"The confirmation could not be checked, nothing was done. Reference: {self.call.call_id}."
            ) from None
        if claims is None or claims.call != digest_of_call(self.contract.name, self.arguments):
            return None
        # A model may have seen the token of a two-step call; a tool that denies is not to be had with it.
        return claims if claims.kind == "pending" or self._otherwise == "two_step" else None

    async def _state(self) -> _State:
        message = render_message((self.contract.confirm or {})["message"], self.arguments)
        preview = await self._preview()
        return _State(message, None if preview is None else preview.text)

    async def _preview(self) -> Preview | None:
        if self.method is None:
            return None
        preview: Preview = await run_method(
            self.method, self.request, self.call, environment=self.environment
        )
        return preview

    async def _ask(self, state: _State, questions: int) -> None:
        """Return if the user agrees."""
        assert self.caller.confirm is not None
        try:
            answer: Any = self.caller.confirm(self._confirmation(state))
            if isawaitable(answer):
                answer = await answer
        except ConfirmationPending as pending:
            pending.token = self._token(state, "pending", questions)
            raise
        except (KeyboardInterrupt, SystemExit) as error:
            raise ApplicationExit(error) from error
        if answer is not True:
            raise DeclinedError

    def _required(self, state: _State) -> ConfirmationRequiredError:
        stale = self.caller.confirmation_token is not None
        text = "The confirmation token is used up, too old or for another call. " if stale else ""
        if self._otherwise == "two_step":
            self._offer(state, "two_step", 1)
            text += f"The user has to confirm this call first: {state.message}"
        else:
            text += "This call needs the user's confirmation, and the user cannot be asked here."
        return ConfirmationRequiredError(text, details=None if state.preview is None else self._shown(state))

    def _offer(self, state: _State, kind: TokenKind, questions: int) -> None:
        self.metadata["confirmation"] = {
            "token": self._token(state, kind, questions),
            **self._shown(state),
            "seconds": self.environment.confirmations.seconds,
        }

    def _shown(self, state: _State) -> dict[str, Any]:
        asked = self._confirmation(state)
        return {"message": asked.message, "preview": asked.preview}

    def _confirmation(self, state: _State) -> Confirmation:
        preview = state.preview
        shown = None if preview is None else displayed_preview(preview, self.arguments)
        return Confirmation(self.contract.name, state.message, self.arguments, shown)

    def _token(self, state: _State, kind: TokenKind, questions: int) -> str:
        call = digest_of_call(self.contract.name, self.arguments)
        return self.environment.confirmations.issue(
            TokenClaims(kind, call, state.digest, self._holder, questions)
        )

    @property
    def _holder(self) -> str | None:
        return digest_of_holder(self.call.principal, self.call.session_id)


def preview_of(contract: ToolContract, result: Any, settings: Settings) -> Preview:
    """Return what `preview` gave: a text, or a response whose `message` is the text.

    Raises TypeError for anything else, and what a response raises that breaks the contract.
    """
    if isinstance(result, str):
        return Preview(result, result)
    model = contract.response_model
    if model is None or not isinstance(result, model):
        wanted = "text" if model is None else f"text or {model.__name__}"
        raise TypeError(f"preview of {contract.name} must return {wanted}, not {type(result).__name__}")
    written = write_result(contract, result, settings)
    message = written.content.get("message") if isinstance(written.content, dict) else None
    return Preview(message if isinstance(message, str) else written.text, written.content)
