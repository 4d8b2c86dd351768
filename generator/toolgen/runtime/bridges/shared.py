"""What all bridges share: options of an application, calls of a toolkit, and the user's answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn, TypeAlias, TypedDict, Unpack, cast

from toolgen.runtime.adapters.toolkit_sessions import session_of
from toolgen.runtime.call_options import AdapterCallOptions, CallerOptions, check_options, toolkit_options
from toolgen.runtime.confirmation.question import Confirm, Confirmation, ConfirmationPending
from toolgen.runtime.context import Listener, Progress
from toolgen.runtime.definition.tool_definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

# From the framework's context of a call to what adapters take by that name.
ContextOf: TypeAlias = Callable[[Any], Mapping[Any, Any] | None]
ScopesOf: TypeAlias = Callable[[Any], Collection[str] | None]
TextOf: TypeAlias = Callable[[Any], str | None]
ProgressOf: TypeAlias = Callable[[Any], Progress | None]
ListenOf: TypeAlias = Callable[[Any], Listener | None]


class BridgeOptions(TypedDict, total=False):
    """Functions of the framework's context of a call, each for the option of adapters that has its name."""

    context: ContextOf | None
    scopes: ScopesOf | None
    principal: TextOf | None
    progress: ProgressOf | None
    listen: ListenOf | None
    session: TextOf | None
    confirmation_token: TextOf | None


class Bridge:
    """A toolkit and what the application says about its calls. Raises TypeError for an unknown option."""

    def __init__(self, toolkit: Toolkit, confirm: Confirm | None, options: BridgeOptions) -> None:
        check_options("Bridge", options, BridgeOptions)
        self.toolkit = toolkit
        self.confirm = confirm  # asks the user; None: the framework's own way
        self.options = options

    async def call(
        self, name: str, arguments: Any, native: Any, confirm: Confirm | None, **defaults: Any
    ) -> ToolResponse:
        """Call a tool. `native` is the framework's context of the call.

        `defaults` are options of adapters, for where the application says nothing. Raises
        ConfirmationPending where `confirm` does, and what the application's functions raise.
        """
        options = self.options_of(native, **defaults)
        toolkit = session_of(self.toolkit, options.pop("session", None))
        return await toolkit.call(name, arguments, **toolkit_options(options, confirm))

    def options_of(self, native: Any, **defaults: Any) -> AdapterCallOptions:
        """Return the options of one call: what the application's functions return, else `defaults`."""
        functions: Mapping[str, Any] = self.options
        given = {name: function(native) for name, function in functions.items() if function is not None}
        return cast("AdapterCallOptions", defaults | given)

    async def would_ask(self, name: str, arguments: Any, native: Any) -> bool:
        """True if the user has to be asked about this call. Nothing is executed."""
        token = self.options.get("confirmation_token")
        if token is not None and token(native) is not None:
            return False  # approved elsewhere; the call itself redeems the token, or is refused
        try:
            await self.call(name, arguments, native, undecided)
        except ConfirmationPending:
            return True
        return False


async def undecided(asked: Confirmation) -> bool:
    """Leave the call unanswered: the framework carries the question to the user."""
    raise ConfirmationPending(asked)


async def agreed(asked: Confirmation) -> bool:
    """The user has been asked, and agrees."""
    return True


async def refused(asked: Confirmation) -> bool:
    """The user has been asked, and does not agree."""
    return False


async def pending_question(
    toolkit: Toolkit,
    name: str,
    arguments: Any,
    *,
    session: str | None = None,
    **options: Unpack[CallerOptions],
) -> Confirmation | None:
    """Return what the user would be asked about this call: message and preview. Nothing is executed.

    None where nobody has to be asked: the tool asks for no confirmation, or the call would be refused.
    """
    check_options("pending_question", options, CallerOptions)
    definition = toolkit.definition_of(name)
    if definition is None or "confirm" not in definition:
        return None
    try:
        await session_of(toolkit, session).call(name, arguments, confirm=undecided, **options)
    except ConfirmationPending as pending:
        return pending.confirmation
    return None


def about(definition: ToolDefinition) -> dict[str, Any]:
    """Return the facts about a tool that are for the application, not for the model."""
    keys = ("title", "version", "tags", "annotations", "meta", "deprecated", "final_answer")
    return {key: value for key, value in definition.items() if key in keys}


def refuse(error: ModuleNotFoundError, framework: str, package: str, roots: tuple[str, ...]) -> NoReturn:
    """Say which package is missing, if one of `roots` is; raise `error` as it is otherwise."""
    if (error.name or "").partition(".")[0] not in roots:
        raise error
    raise ModuleNotFoundError(
        f"this bridge needs {framework}: pip install {package}", name=error.name
    ) from error
