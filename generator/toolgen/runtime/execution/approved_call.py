"""A call of a tool with `confirm.proof: person`: people sign it with their own keys before it is executed.

No answer of the caller counts as a person's: tokens, `confirm` callbacks and forms are not looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final, TypeVar

from toolgen.runtime import errors
from toolgen.runtime.confirmation.question import ConfirmationPending, Wanted
from toolgen.runtime.confirmation.tokens import Approved, digest_of_call
from toolgen.runtime.isolation import called, run_async
from toolgen.runtime.logs.logger import LOGGER
from toolgen.runtime.settings import SettingError
from toolgen.runtime.stores.store import StoreError

from .confirm import ConfirmedCall, Question, outcome_of, refusal

if TYPE_CHECKING:  # of the extra `approval`
    from toolgen.runtime.approval.approvals import ApprovalRecord, Approvals

Result = TypeVar("Result")
ROUND_SECONDS: Final = 25.0
"""That a call waits for signatures before its client is asked again: clients give up after 30 or 60."""


class ApprovedCall(ConfirmedCall):
    """A call that people approve. They see its question and its preview on a page."""

    async def run(self, execute: Callable[[], Awaitable[Result]]) -> Result:
        """Await `execute` after people have approved the call, and return its result.

        Raises ConfirmationRequiredError, DeclinedError, QuestionCancelledError, RateLimitedError or
        ChangedSinceConfirmedError if it is not executed; ConfirmationPending if `show_approval` raises that.
        """
        if self.caller.in_worker:  # the process that queued the call has used the approval
            return await super().run(execute)
        try:
            approvals = self.environment.approvals()
            approvals.use_url(None)
            record, question = await self._redeemed(approvals)
        except (SettingError, StoreError) as error:
            LOGGER.error("call %s of %s cannot be approved: %s", self.call.call_id, self.contract.name, error)
            self.audit("unavailable", "person")
            raise errors.ConfirmationRequiredError(
                f"This call cannot be approved here, nothing was done. Reference: {self.call.call_id}."
            ) from None
        self.metadata.pop("approval", None)  # nobody has to open it any more
        approved = Approved(question.digest, "person", record.id)
        self.approve(question, replace(approved, approvers=record.people, receipt=record.digest))
        try:
            return await execute()
        except (errors.ToolError, ConfirmationPending) as raised:
            # refused before the tool was called, by a limit; or an adopted tool asks, and is called again
            if isinstance(raised, ConfirmationPending) or not self.call.has_begun:
                await approvals.release(record)
            raise

    async def _redeemed(self, approvals: Approvals) -> tuple[ApprovalRecord, Question]:
        """Return an approval that this call has used up, and the question that it answers."""
        while True:
            question = await self.question()
            record, found = await approvals.find(self._wanted(question))
            address = approvals.address_of(record)
            question = replace(question, asked=replace(question.asked, approval=address))
            if record.state == "approved":
                if await approvals.redeem(record):
                    return record, question
                continue  # another call with the same arguments was faster
            if record.state == "declined":
                raise errors.DeclinedError
            self.metadata["approval"] = asdict(address)
            if found != "known":
                self.audit("asked", "person", record.id, question)
            if found == "changed":
                self.audit("changed", "person", record.id, question)
                changed = errors.ChangedSinceConfirmedError
                text = f"{changed.description} People have to approve it anew: {address.url}"
                raise question.error(changed, text, "Preview of the new state:")
            if not await self._is_opened(record, question):
                text = f"Somebody has to approve this call at {address.url} first; then repeat it unchanged."
                raise refusal(f"{text} {question.asked.message}", question)
            await approvals.ended(address.id, ROUND_SECONDS)

    async def _is_opened(self, record: ApprovalRecord, question: Question) -> bool:
        """Show the address of an approval; False if nobody can be shown it. Raises for a no."""
        show = self.caller.show_approval
        if show is None:
            return False
        try:
            answer = await run_async(called(show, question.asked), None, self.contract.name)
        except errors.ConfirmationRequiredError:
            return False
        if answer is True:
            return True
        error = errors.QuestionCancelledError() if answer is None else errors.DeclinedError()
        self.audit(outcome_of(error), "person", record.id, question)
        raise error

    def _wanted(self, question: Question) -> Wanted:
        contract, rule = self.contract, self.contract.confirm or {}
        definition = json.dumps(contract.definition, sort_keys=True, default=list)
        content = {
            "tool": contract.name,
            "contract": hashlib.sha256(definition.encode()).hexdigest(),
            "arguments": self.arguments,
            "question": question.asked.message,
            "preview": question.asked.preview,
            "principal": self.call.principal,
            "quorum": rule.get("quorum", 1),
        }
        title = contract.definition.get("title") or contract.name
        call = digest_of_call(contract.name, self.arguments, "person", self.call.headers)
        return Wanted(content, title, tuple(rule.get("approvers", ())), self.holder or "", call)
