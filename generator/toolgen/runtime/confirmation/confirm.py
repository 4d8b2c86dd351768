"""May the call go on? The token, the user, or what the spec says where nobody can be asked."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from toolgen.runtime.context import ToolContext
from toolgen.runtime.contract import ToolContract
from toolgen.runtime.errors import ConfirmationRequiredError, DeclinedError
from toolgen.runtime.execution.invoke import PreparedMethod, run_method

if TYPE_CHECKING:
    from toolgen.runtime.execution.call import Environment
    from toolgen.runtime.settings import Settings

from .question import TOKEN_SECONDS, Confirm, Confirmation, ConfirmationTokens, render_message


@dataclass(frozen=True, slots=True)
class Question:
    """A call that needs the user's word."""

    contract: ToolContract
    preview: PreparedMethod | None
    arguments: Mapping[str, Any]  # as they came, checked
    request: Any
    call: ToolContext


async def ask(
    question: Question,
    asker: tuple[Confirm | None, str | None],
    environment: Environment,
    desk: ConfirmationTokens,
    metadata: MutableMapping[str, Any],
) -> None:
    """Return if the call may go on. Raises ConfirmationRequiredError or DeclinedError where it may not.

    Where a token is issued, it is left in `metadata`, never in a text.
    """
    confirm, token = asker
    contract = question.contract
    options = contract.confirm or {}
    otherwise = options.get("on_unsupported", "deny")
    if (
        otherwise == "two_step"
        and token is not None
        and desk.redeem(token, contract.name, question.arguments)
    ):
        return
    if confirm is None and otherwise == "allow":
        return
    if confirm is None and otherwise != "two_step":
        raise ConfirmationRequiredError(
            "This call needs the user's confirmation, and the user cannot be asked here."
        )
    asked = Confirmation(
        contract.name,
        render_message(options["message"], question.arguments),
        question.arguments,
        await _preview(question, environment),
    )
    if confirm is not None:
        answer = confirm(asked)
        if (await answer if isawaitable(answer) else answer) is not True:
            raise DeclinedError
        return
    metadata["confirmation"] = {
        "token": desk.issue(contract.name, question.arguments),
        "message": asked.message,
        "preview": asked.preview,
        "seconds": TOKEN_SECONDS,
    }
    stale = "The confirmation token is used up, too old or for another call. " if token is not None else ""
    raise ConfirmationRequiredError(f"{stale}The user has to confirm this call first: {asked.message}")


async def _preview(question: Question, environment: Environment) -> str | None:
    if question.preview is None:
        return None
    text: str = await run_method(question.preview, question.request, question.call, environment)
    return text


def preview_text(contract: ToolContract, text: Any, settings: Settings) -> str:
    """What `preview` gave, if it is text."""
    if not isinstance(text, str):
        raise TypeError(f"preview of {contract.name} must return text, not {type(text).__name__}")
    return text
