"""What all bridges share: options of an application, calls of a toolkit, and the user's answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from toolgen.runtime.adapters.sessions import session_of
from toolgen.runtime.confirmation.question import Confirm, Confirmation, ConfirmationPending
from toolgen.runtime.context import Listener, Progress
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

# From the framework's context of a call to what adapters take by that name.
ContextOf: TypeAlias = Callable[[Any], Mapping[Any, Any] | None]
ScopesOf: TypeAlias = Callable[[Any], Collection[str] | None]
TextOf: TypeAlias = Callable[[Any], str | None]
ProgressOf: TypeAlias = Callable[[Any], Progress | None]
ListenOf: TypeAlias = Callable[[Any], Listener | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """Functions of the framework's context of a call, each for the argument of adapters that has its name."""

    context: ContextOf | None = None
    scopes: ScopesOf | None = None
    principal: TextOf | None = None
    session: TextOf | None = None
    progress: ProgressOf | None = None
    listen: ListenOf | None = None
    confirmation_token: TextOf | None = None

    def of(self, native: Any) -> dict[str, Any]:
        """Return the arguments of one call; those that the application says nothing about are left out."""
        functions = ((name, getattr(self, name)) for name in self.__slots__)
        return {name: function(native) for name, function in functions if function is not None}


@dataclass(frozen=True, slots=True)
class Bridge:
    """A toolkit and what the application says about its calls."""

    toolkit: Toolkit
    confirm: Confirm | None  # asks the user; None: the framework's own way
    options: CallOptions

    async def call(
        self, name: str, arguments: Any, native: Any, confirm: Confirm | None, **defaults: Any
    ) -> ToolResponse:
        """Call a tool. `native` is the framework's context of the call.

        `defaults` are arguments of adapters, for where the application says nothing. Raises
        ConfirmationPending where `confirm` does, and what the application's functions raise.
        """
        options = defaults | self.options.of(native)
        session, scopes = options.pop("session", None), options.pop("scopes", None)
        toolkit = self.toolkit if session is None else session_of(self.toolkit, session)
        granted = None if scopes is None else frozenset(scopes)
        return await toolkit.call(name, arguments, confirm=confirm, scopes=granted, **options)

    async def would_ask(self, name: str, arguments: Any, native: Any) -> bool:
        """True if the user has to be asked about this call. Nothing is executed."""
        token = self.options.confirmation_token
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
    context: Mapping[Any, Any] | None = None,
    scopes: Collection[str] | None = None,
    principal: str | None = None,
    session: str | None = None,
) -> Confirmation | None:
    """Return what the user would be asked about this call: message and preview. Nothing is executed.

    None where nobody has to be asked: the tool asks for no confirmation, or the call would be refused.
    """
    definition = toolkit.definition_of(name)
    if definition is None or "confirm" not in definition:
        return None
    tools = toolkit if session is None else session_of(toolkit, session)
    granted = None if scopes is None else frozenset(scopes)
    try:
        await tools.call(
            name, arguments, confirm=undecided, context=context, scopes=granted, principal=principal
        )
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
