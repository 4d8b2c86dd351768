"""Confirm a call before it is executed: redeem a token, ask the user, or apply `confirm.on_unsupported`.

What was approved is one digest, of the question and the preview that the user saw. After the answer both are
made again, and nothing is executed unless the digest is the same.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from toolgen.runtime import errors
from toolgen.runtime.confirmation.question import (
    Approval,
    Confirmation,
    ConfirmationPending,
    KnownWay,
    Outcome,
    Way,
    displayed_preview,
    record_decision,
    render_message,
)
from toolgen.runtime.confirmation.tokens import (
    Approved,
    DeclinedToken,
    digest_of_call,
    digest_of_holder,
    digest_of_question,
)
from toolgen.runtime.contract.result import BrokenContract, WrittenResult, as_text, write_result
from toolgen.runtime.contract.tool_contract import ToolContract
from toolgen.runtime.instrumentation.telemetry import CONFIRMATIONS, OUTCOME, TOOL, current_metrics
from toolgen.runtime.isolation import called, run_async
from toolgen.runtime.logs.call_id import new_call_id
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.stores.store import StoreError
from toolgen.schema.document import unshared

from .idempotency import AdmittedCall
from .invoke import PreparedMethod, run_method

if TYPE_CHECKING:
    from toolgen.runtime.settings import Settings

    from .environment import Environment

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Preview:
    """The result of a tool's `preview` method."""

    text: str  # for the user
    content: Any  # the same text, or the whole response as JSON


@dataclass(frozen=True, slots=True)
class Question:
    """The question as it would be asked now."""

    preview: str | None  # exactly as the tool returned it
    asked: Confirmation

    @property
    def digest(self) -> str:
        return digest_of_question(self.asked.message, self.preview)

    @property
    def shown(self) -> dict[str, Any]:
        return {"message": self.asked.message, "preview": self.asked.preview}

    def error(self, kind: type[errors.ToolError], text: str, title: str) -> errors.ToolError:
        """Return an error with the preview in its text: the model sees nothing else in most hosts."""
        preview = self.asked.preview
        return kind(text) if preview is None else kind(f"{text}\n{title}\n{preview}", details=self.shown)


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
            raise errors.NotImplementedToolError(f"{self.contract.name} has no preview.")
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
        approved = await self._redeem() or self.caller.approved
        # the author has decided that callers who can ask nobody need not ask
        if approved is None and self.caller.confirm is None and self._on_unsupported == "allow":
            self.audit("not_asked", "none")
            return await execute()
        question = await self.question()
        if approved is None:
            approved = await self._ask(question)
            question = await self.question()
        if question.digest != approved.shown:
            self.audit("changed", approved.way, approved.question_id, question)
            changed = errors.ChangedSinceConfirmedError
            raise question.error(changed, changed.description, "Preview of the new state:")
        self.approve(question, approved)
        try:
            return await execute()
        except ConfirmationPending as pending:  # an adopted tool asks by its result: it is called again
            pending.token = self.environment.confirmations.issue(approved)
            raise

    def approve(self, question: Question, approved: Approved) -> None:
        """Record an approval, in the audit log and for `execute`."""
        people, receipt = tuple(approved.approvers), approved.receipt
        known = {"approvers": ", ".join(people), "receipt": receipt or ""}
        self.audit("approved", approved.way, approved.question_id, question, **known)
        preview, asked = self.caller.approved_preview(question.preview), question.asked
        self.call.approval = Approval(preview, asked.message, self.call.principal, people, receipt)

    @property
    def _on_unsupported(self) -> str:
        """The spec's rule for callers that cannot ask the user: deny, two_step or allow."""
        rule: str = (self.contract.confirm or {}).get("on_unsupported", "deny")
        return rule

    async def _redeem(self) -> Approved | None:
        """Return what the caller's token proves; None if it is not valid for this call.

        Raises ConfirmationRequiredError if the store fails.
        """
        token = self.caller.confirmation_token
        # nothing was approved before: this call asks
        if token is None:
            return None
        try:
            found = await self.environment.confirmations.redeem(token, self.holder)
        except StoreError as error:
            LOGGER.error("call %s of %s is not confirmed: %s", self.call.call_id, self.contract.name, error)
            self.audit("unavailable", self._way)
            raise errors.ConfirmationRequiredError(
                f"The confirmation could not be checked, nothing was done. Reference: {self.call.call_id}."
            ) from None
        if isinstance(token, DeclinedToken):
            self.audit(outcome_of(token.answer), self._way, found.question_id)
            raise token.answer
        # a token for another call counts as none: its user has approved something else
        if found.approved is not None and found.approved.call == self._digest:
            return found.approved
        self.audit("expired" if found.outcome == "expired" else "refused", self._way, found.question_id)
        return None

    async def question(self) -> Question:
        """Return the question as it would be asked now."""
        message = render_message((self.contract.confirm or {})["message"], self.arguments)
        preview = await self._preview()
        text = None if preview is None else preview.text
        shown = None if text is None else displayed_preview(text, self.arguments)
        return Question(text, Confirmation(self.contract.name, message, self.arguments, shown))

    async def _preview(self) -> Preview | None:
        if self.method is None:
            return None
        request = self.new_request()
        preview: Preview = await run_method(self.method, request, self.call, environment=self.environment)
        return preview

    async def _ask(self, question: Question) -> Approved:
        """Return what the user has approved. Raises if the answer is not yes, or there is nobody to ask."""
        if self.caller.confirm is None:
            raise self._required(question)
        asked = self._approved(question, self._way)
        self.audit("asked", asked.way, asked.question_id, question)
        try:
            # the application may change what it is given
            shown = replace(question.asked, arguments=unshared(self.arguments))
            answer = await run_async(called(self.caller.confirm, shown), None, self.contract.name)
            if answer is None:
                raise errors.QuestionCancelledError
            # only the value True is a yes: fails closed for callbacks that return anything else
            if answer is not True:
                raise errors.DeclinedError
        except ConfirmationPending as pending:
            pending.token = self.environment.confirmations.issue(asked)
            raise
        except errors.ConfirmationRequiredError as error:  # the client could not ask
            self.audit("unavailable", asked.way, asked.question_id, question)
            raise refusal(error.message, question) from None
        except (errors.DeclinedError, errors.QuestionCancelledError) as error:
            self.audit(outcome_of(error), asked.way, asked.question_id, question)
            raise
        return asked

    @property
    def _way(self) -> Way:
        """How the user is asked, or was."""
        if self.caller.confirm is None:
            return "two_step" if self._on_unsupported == "two_step" else "callback"
        return self.caller.confirm.way if isinstance(self.caller.confirm, KnownWay) else "callback"

    def audit(
        self,
        outcome: Outcome,
        way: Way,
        question_id: str = "",
        question: Question | None = None,
        **known: str,
    ) -> None:
        """Record a question or a decision, in the audit log and in metrics."""
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
            **known,
        )
        if (metrics := current_metrics()) is not None:
            metrics.record(CONFIRMATIONS, 1, {TOOL: self.contract.name, OUTCOME: outcome})

    def _required(self, question: Question) -> errors.ToolError:
        """Return the refusal of a call whose user cannot be asked. Its metadata has a token for two steps."""
        has_token = self.caller.confirmation_token is not None
        text = "The confirmation token is used up, too old or for another call. " if has_token else ""
        asked, confirmations = self._approved(question, "two_step"), self.environment.confirmations
        token = confirmations.issue(asked) if self._on_unsupported == "two_step" else None
        if token is None:
            self.audit("unavailable", "none", question=question)
            text += "This call needs the user's confirmation, and the user cannot be asked here."
        else:
            self.audit("asked", asked.way, asked.question_id, question)
            self.metadata["confirmation"] = {
                "token": token,
                **question.shown,
                "seconds": confirmations.seconds,
            }
            text += f"The user has to confirm this call first: {question.asked.message}"
        return refusal(text, question)

    def _approved(self, question: Question, way: Way) -> Approved:
        """Return what a yes to a question approves."""
        return Approved(question.digest, way, new_call_id(), self._digest, self.holder)

    @property
    def _digest(self) -> str:
        # with the rule: a model may have seen a token of two steps, which a tool that denies must not accept
        return digest_of_call(self.contract.name, self.arguments, self._on_unsupported, self.call.headers)

    @property
    def holder(self) -> str | None:
        """Digest of who makes the call."""
        return digest_of_holder(self.call.principal, self.call.session_id)


def refusal(text: str, question: Question) -> errors.ToolError:
    """Return the error of a call that nobody has confirmed yet."""
    return question.error(errors.ConfirmationRequiredError, text, "Nothing was done. Preview:")


def outcome_of(answer: errors.ToolError) -> Outcome:
    """Return what the audit log calls an answer that is not yes."""
    return "cancelled" if answer.code == errors.QuestionCancelledError.code else "declined"


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
