"""Shared by all bridges: options of the application, calls of a toolkit, and the user's answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypedDict, Unpack, cast

from toolgen.runtime.adapters.provider import session_of
from toolgen.runtime.call_options import AdapterCallOptions, CallerOptions, check_options, toolkit_options
from toolgen.runtime.confirmation.question import Confirm, Confirmation, ConfirmationPending, ShowApproval
from toolgen.runtime.context import Listener, Progress
from toolgen.runtime.definition.tool_definition import ToolDefinition, needs_people
from toolgen.runtime.elicitation import Elicit
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit


class BridgeOptions(TypedDict, total=False):
    """Functions of the framework's context of a call; each returns the adapter option of the same name."""

    context: Callable[[Any], Mapping[Any, Any] | None] | None
    scopes: Callable[[Any], Collection[str] | None] | None
    principal: Callable[[Any], str | None] | None
    headers: Callable[[Any], Mapping[str, str] | None] | None
    is_lenient: Callable[[Any], bool] | None
    progress: Callable[[Any], Progress | None] | None
    listen: Callable[[Any], Listener | None] | None
    show_approval: Callable[[Any], ShowApproval | None] | None
    elicit: Callable[[Any], Elicit | None] | None
    session: Callable[[Any], str | None] | None
    confirmation_token: Callable[[Any], str | None] | None


class Bridge:
    """A toolkit with the application's options for its calls. Raises TypeError for an unknown option."""

    def __init__(self, toolkit: Toolkit, confirm: Confirm | None, options: BridgeOptions) -> None:
        check_options("Bridge", options, BridgeOptions)
        self.toolkit = toolkit
        self.confirm = confirm  # asks the user; None: the framework asks
        self.options = options

    async def call(
        self, name: str, arguments: Any, native: Any, confirm: Confirm | None, **defaults: Any
    ) -> ToolResponse:
        """Call a tool. `native` is the framework's context of the call.

        `defaults` are options of adapters that the application may override. Raises ConfirmationPending if
        `confirm` does, and what the application's functions raise.
        """
        options = self.options_of(native, **defaults)
        toolkit = session_of(self.toolkit, options.pop("session", None))
        return await toolkit.call(name, arguments, **toolkit_options(options, confirm))

    def options_of(self, native: Any, **defaults: Any) -> AdapterCallOptions:
        """Return the options of one call: those of the application's functions, or else `defaults`."""
        functions: Mapping[str, Any] = self.options
        own = {name: function(native) for name, function in functions.items() if function is not None}
        return cast("AdapterCallOptions", defaults | own)

    async def would_ask(self, name: str, arguments: Any, native: Any) -> bool:
        """True if this call needs the user's confirmation. Nothing is executed."""
        token = self.options.get("confirmation_token")
        if token is not None and token(native) is not None:
            return False  # approved before; the call redeems the token, or is refused
        if needs_people(self.toolkit.definition_of(name)):
            return False  # the application's user cannot approve it, and to ask might use an approval
        try:
            await self.call(name, arguments, native, undecided)
        except ConfirmationPending:
            return True
        return False


async def undecided(asked: Confirmation) -> bool:
    """Leave the call unanswered, because the framework asks the user."""
    raise ConfirmationPending(asked)


async def agreed(asked: Confirmation) -> bool:
    """Return the answer of a user who agreed."""
    return True


async def refused(asked: Confirmation) -> bool:
    """Return the answer of a user who did not agree."""
    return False


async def pending_question(
    toolkit: Toolkit,
    name: str,
    arguments: Any,
    *,
    session: str | None = None,
    **options: Unpack[CallerOptions],
) -> Confirmation | None:
    """Return the question to the user about this call: message and preview. Nothing is executed.

    None if no question is needed: the tool needs no confirmation, people approve its calls, or the call
    would be refused.
    """
    check_options("pending_question", options, CallerOptions)
    definition = toolkit.definition_of(name)
    if definition is None or "confirm" not in definition or needs_people(definition):
        return None
    try:
        await session_of(toolkit, session).call(name, arguments, confirm=undecided, **options)
    except ConfirmationPending as pending:
        return pending.confirmation
    return None


def application_metadata(definition: ToolDefinition) -> dict[str, Any]:
    """Return the fields of a definition that are for the application, not for the model."""
    keys = ("title", "version", "tags", "group", "annotations", "meta", "deprecated", "final_answer")
    return {key: value for key, value in definition.items() if key in keys}
