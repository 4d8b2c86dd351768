"""Confirm a call before it is executed: redeem a token, ask the user, or apply `confirm.on_unsupported`.

Only what was approved is executed. After the answer, the preview is created again; if it differs, or the tool
itself detects a difference (ChangedSinceConfirmedError), nothing is executed and the user is asked again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Final, TypeVar

from toolgen.runtime.confirmation.audit import KnownWay, Outcome, Way, record_decision
from toolgen.runtime.confirmation.question import (
    Approval,
    Confirm,
    Confirmation,
    ConfirmationPending,
    cut_preview,
    displayed_preview,
    render_message,
)
from toolgen.runtime.confirmation.tokens import (
    DeclinedToken,
    TokenClaims,
    TokenKind,
    digest_of_call,
    digest_of_holder,
    digest_of_question,
)
from toolgen.runtime.contract.result import BrokenContract, WrittenResult, as_text, write_result
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.errors import (
    ChangedSinceConfirmedError,
    ConfirmationRequiredError,
    DeclinedError,
    NotImplementedToolError,
    QuestionCancelledError,
    ToolError,
)
from toolgen.runtime.instrumentation.conventions import CONFIRMATIONS, OUTCOME, TOOL
from toolgen.runtime.instrumentation.metrics import current_metrics
from toolgen.runtime.isolation import run_async
from toolgen.runtime.logs.call_id import new_call_id
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.stores.opening import StoreError
from toolgen.schema.document import unshared

from .admission import AdmittedCall
from .invoke import PreparedMethod, run_method

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

    from .environment import Environment

Result = TypeVar("Result")

MAX_QUESTIONS: Final = 3  # about one call, if its preview changes each time


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of a tool's `preview` method."""

    text: str  # for the user
    content: Any  # the same text, or the whole response as JSON


@dataclass(frozen=True, slots=True)
class _Question:
    """The question as it would be asked now."""

    preview: str | None  # exactly as the tool returned it
    asked: Confirmation

    @property
    def digest(self) -> str:
        return digest_of_question(self.asked.message, self.preview)

    @property
    def shown(self) -> dict[str, Any]:
        return {"message": self.asked.message, "preview": self.asked.preview}


class ConfirmedCall:
    """A call of a tool that needs the user's confirmation. Tokens are only put into its metadata.

    Args:
        call: the call.
        method: `preview`. None if the spec has no `confirm.preview`.
        new_request: returns a request; each method gets its own, because it may change it.
        environment: that of the call.
    """

    def __init__(
        self,
        call: AdmittedCall,
        method: PreparedMethod | None,
        new_request: Callable[[], Any],
        environment: Environment,
    ) -> None:
        self.contract, self.arguments, self.call = call.contract, call.arguments, call.context
        self.caller, self.metadata = call.caller, call.metadata
        self.method, self.new_request, self.environment = method, new_request, environment

    async def show(self) -> WrittenResult:
        """Return the preview as a result. Raises NotImplementedToolError if the tool has none."""
        preview = await self._preview()
        if preview is None:
            raise NotImplementedToolError(f"{self.contract.name} has no preview.")
        self.metadata["preview"] = True
        content = preview.content
        if isinstance(content, str):
            content = displayed_preview(content, self.arguments)
        return WrittenResult(content, as_text(content))

    async def respond(self) -> WrittenResult:
        """Return the preview as the response of the call. Raises BrokenContract if it is not one."""
        shown, schema = await self.show(), self.contract.response_schema
        if isinstance(shown.content, str) and not (schema is not None and schema.is_valid(shown.content)):
            pointer = (self.contract.confirm or {})["only_if"]
            raise BrokenContract(f"its preview must return a response, not a text, where {pointer} is false")
        return shown

    async def run(self, execute: Callable[[], Awaitable[Result]]) -> Result:
        """Await `execute` after the user has agreed, and return its result.

        Raises ConfirmationRequiredError, DeclinedError, QuestionCancelledError or ChangedSinceConfirmedError
        if it is not executed; ConfirmationPending with a token if the application's `confirm` raises that.
        """
        claims = await self._redeem()
        confirm = self.caller.confirm
        # the author has decided that callers who can ask nobody need not ask
        if confirm is None and claims is None and self._on_unsupported == "allow":
            self._audit("not_asked", "none")
            return await execute()
        approved = None if claims is None else claims.shown
        questions = 0 if claims is None else claims.questions
        change: ToolError | None = None
        while True:
            # a retry after a change must not see the approval of the old state
            self.call.approval = None
            question = await self._question()
            if approved == question.digest:
                if claims is not None and questions == claims.questions:
                    self._audit("approved", self._way, claims.question_id, question)
                preview = self.caller.approved_preview(question.preview)
                self.call.approval = Approval(preview, question.asked.message, self.call.principal)
                try:
                    return await execute()
                except ToolError as error:
                    if error.code != ChangedSinceConfirmedError.code:
                        raise
                    # the tool has noticed a change that its preview does not show: the old approval is void
                    change, approved = error, None
                    continue  # with a new preview
            if approved is not None:
                change = ChangedSinceConfirmedError()
                if claims is not None:
                    self._audit("changed", self._way, claims.question_id, question)
            if change is not None and (confirm is None or questions >= MAX_QUESTIONS):
                # who came with a token gets one for the new state; who could be asked has been asked
                if confirm is None and claims is not None:
                    self._offer_token(question, claims.kind, questions + 1)
                raise self._changed(change, question) from None
            # nobody to ask and no token for this question: fails closed
            if confirm is None:
                raise self._required(question)
            questions += 1
            await self._ask(question, questions)
            approved = question.digest

    @property
    def _on_unsupported(self) -> str:
        """The spec's rule for callers that cannot ask the user: deny, two_step or allow."""
        rule: str = (self.contract.confirm or {}).get("on_unsupported", "deny")
        return rule

    async def _redeem(self) -> TokenClaims | None:
        """Return the claims of the caller's token if it is valid for this call.

        Raises ConfirmationRequiredError if the store fails.
        """
        token = self.caller.confirmation_token
        # nothing was approved before: this call asks
        if token is None:
            return None
        try:
            found = await self.environment.confirmations.redeem(token, self._holder)
        except StoreError as error:
            LOGGER.error("call %s of %s is not confirmed: %s", self.call.call_id, self.contract.name, error)
            if isinstance(token, DeclinedToken):  # the answer is still no
                self._audit(_outcome_of(token.answer), self._way)
                raise token.answer from None
            self._audit("unavailable", self._way)
            raise ConfirmationRequiredError(
                f"The confirmation could not be checked, nothing was done. Reference: {self.call.call_id}."
            ) from None
        if isinstance(token, DeclinedToken):
            self._audit(_outcome_of(token.answer), self._way, found.question_id)
            raise token.answer
        claims = found.claims
        # a token for another call counts as none: its user has approved something else
        is_for_this = claims is not None and claims.call == digest_of_call(self.contract.name, self.arguments)
        # a model may have seen the token of a two-step call, so it does not count for a tool that denies
        counts = claims is not None and (claims.kind == "pending" or self._on_unsupported == "two_step")
        if is_for_this and counts:
            return claims
        self._audit("expired" if found.outcome == "expired" else "refused", self._way, found.question_id)
        return None

    async def _question(self) -> _Question:
        message = render_message((self.contract.confirm or {})["message"], self.arguments)
        preview = await self._preview()
        text = None if preview is None else preview.text
        shown = None if text is None else displayed_preview(text, self.arguments)
        return _Question(text, Confirmation(self.contract.name, message, self.arguments, shown))

    async def _preview(self) -> Preview | None:
        if self.method is None:
            return None
        request = self.new_request()
        preview: Preview = await run_method(self.method, request, self.call, environment=self.environment)
        return preview

    async def _ask(self, question: _Question, questions: int) -> None:
        """Ask the user. Raises DeclinedError or QuestionCancelledError unless the answer is yes."""
        assert self.caller.confirm is not None
        question_id, way = new_call_id(), self._way
        if way != "repeated":
            self._audit("asked", way, question_id, question)
        try:
            # the application may change what it is given
            asked = replace(question.asked, arguments=unshared(self.arguments))
            answer = await run_async(_answer(self.caller.confirm, asked), None, self.contract.name)
        except ConfirmationPending as pending:
            pending.token = self._token(question, "pending", questions, question_id)
            raise
        except ConfirmationRequiredError as error:  # the client could not ask
            self._audit("unavailable", way, question_id, question)
            if question.preview is None:
                raise
            raise self._refusal(error.message, question) from None
        except (DeclinedError, QuestionCancelledError) as error:
            self._audit(_outcome_of(error), way, question_id, question)
            raise
        if answer is None:
            self._audit("cancelled", way, question_id, question)
            raise QuestionCancelledError
        # only the value True is a yes: fails closed for callbacks that return anything else
        if answer is not True:
            self._audit("declined", way, question_id, question)
            raise DeclinedError
        self._audit("approved", way, question_id, question)

    @property
    def _way(self) -> Way:
        """How the user is asked, or was."""
        if self.caller.confirm is None:
            return "two_step" if self._on_unsupported == "two_step" else "callback"
        return self.caller.confirm.way if isinstance(self.caller.confirm, KnownWay) else "callback"

    def _audit(
        self, outcome: Outcome, way: Way, question_id: str = "", question: _Question | None = None
    ) -> None:
        call = self.call
        record_decision(
            outcome,
            way,
            shown=None if question is None else question.asked,
            tool_name=self.contract.name,
            question_id=question_id,
            call_id=call.call_id,
            principal=call.principal,
            session_id=call.session_id,
        )
        if (metrics := current_metrics()) is not None:
            metrics.record(CONFIRMATIONS, 1, {TOOL: self.contract.name, OUTCOME: outcome})

    def _required(self, question: _Question) -> ConfirmationRequiredError:
        has_token = self.caller.confirmation_token is not None
        text = "The confirmation token is used up, too old or for another call. " if has_token else ""
        if self._on_unsupported == "two_step" and self._offer_token(question, "two_step", 1):
            text += f"The user has to confirm this call first: {question.asked.message}"
        else:
            self._audit("unavailable", "none", question=question)
            text += "This call needs the user's confirmation, and the user cannot be asked here."
        return self._refusal(text, question)

    def _refusal(self, text: str, question: _Question) -> ConfirmationRequiredError:
        """Return the refusal with the preview in its text: the model sees nothing else in most hosts."""
        preview = question.asked.preview
        if preview is None:
            return ConfirmationRequiredError(text)
        text = f"{text}\nNothing was done. Preview:\n{cut_preview(preview)}"
        return ConfirmationRequiredError(text, details=question.shown)

    def _changed(self, change: ToolError, question: _Question) -> ToolError:
        """Return `change` with the preview of the new state in its text. The tool's own details stay."""
        preview = question.asked.preview
        if preview is None:
            return change
        text = f"{change.message}\nPreview of the new state:\n{cut_preview(preview)}"
        details = question.shown if change.details is None else change.details
        return ChangedSinceConfirmedError(text, details=details, retry_after=change.retry_after)

    def _offer_token(self, question: _Question, kind: TokenKind, questions: int) -> bool:
        """Put a token into the metadata. Return False if there are no tokens."""
        question_id = new_call_id()
        token = self._token(question, kind, questions, question_id)
        if token is None:
            return False
        self._audit("asked", "two_step" if kind == "two_step" else self._way, question_id, question)
        self.metadata["confirmation"] = {
            "token": token,
            **question.shown,
            "seconds": self.environment.confirmations.seconds,
        }
        return True

    def _token(self, question: _Question, kind: TokenKind, questions: int, question_id: str) -> str | None:
        call = digest_of_call(self.contract.name, self.arguments)
        return self.environment.confirmations.issue(
            TokenClaims(kind, call, question.digest, self._holder, questions, question_id)
        )

    @property
    def _holder(self) -> str | None:
        return digest_of_holder(self.call.principal, self.call.session_id)


async def _answer(confirm: Confirm, asked: Confirmation) -> Any:
    answer: Any = confirm(asked)
    return await answer if isawaitable(answer) else answer


def _outcome_of(answer: ToolError) -> Outcome:
    return "cancelled" if answer.code == QuestionCancelledError.code else "declined"


def preview_of(contract: ToolContract, result: Any, settings: Settings) -> Preview:
    """Return the validated result of a `preview` method: a text, or a response whose `message` is the text.

    Raises TypeError for anything else, BrokenContract for a response that breaks the contract.
    """
    if isinstance(result, str):
        return Preview(result, result)
    model = contract.response_model
    is_response = contract.response_schema is not None if model is None else isinstance(result, model)
    if not is_response:
        wanted = "text" if model is None else f"text or {model.__name__}"
        raise TypeError(f"preview of {contract.name} must return {wanted}, not {type(result).__name__}")
    written = write_result(contract, result, settings)
    message = written.content.get("message") if isinstance(written.content, dict) else None
    return Preview(message if isinstance(message, str) else written.text, written.content)
