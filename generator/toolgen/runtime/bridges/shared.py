"""What all bridges share: how a framework's call becomes one of the toolkit's, and who asks the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from toolgen.runtime.confirmation.question import Confirm, Confirmation, ConfirmationPending
from toolgen.runtime.context import Listener, Progress
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit

ContextOf: TypeAlias = Callable[[Any], Mapping[Any, Any] | None]
ScopesOf: TypeAlias = Callable[[Any], frozenset[str] | None]


@dataclass(frozen=True, slots=True)
class Bridge:
    """A toolkit and what the application says about its calls."""

    toolkit: Toolkit
    confirm: Confirm | None = None  # asks the user; None: the framework's own way
    context: ContextOf | None = None  # the framework's context of a call → what the call injects, too
    scopes: ScopesOf | None = None  # the same → what its caller may do; None: not asked for

    async def call(
        self,
        name: str,
        arguments: Any,
        native: Any,
        *,
        confirm: Confirm | None,
        told: tuple[Progress | None, Listener | None] = (None, None),
    ) -> ToolResponse:
        """Call a tool. `native` is the framework's context of this call; `told` hears progress and chunks.

        Raises ConfirmationPending where `confirm` does, and what the application's functions raise.
        """
        progress, listen = told
        return await self.toolkit.call(
            name,
            arguments,
            confirm=confirm,
            context=None if self.context is None else self.context(native),
            scopes=None if self.scopes is None else self.scopes(native),
            progress=progress,
            listen=listen,
        )

    async def would_ask(self, name: str, arguments: Any, native: Any) -> bool:
        """Whether the user has to be asked about this call. Nothing is executed."""
        try:
            await self.call(name, arguments, native, confirm=undecided)
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
    scopes: frozenset[str] | None = None,
) -> Confirmation | None:
    """What the user would be asked about this call: message and preview. Nothing is executed.

    None where nobody has to be asked: the tool asks for no confirmation, or the call would be refused.
    """
    definition = toolkit.definition_of(name)
    if definition is None or "confirm" not in definition:
        return None
    try:
        await toolkit.call(name, arguments, confirm=undecided, context=context, scopes=scopes)
    except ConfirmationPending as pending:
        return pending.confirmation
    return None


def about(definition: ToolDefinition) -> dict[str, Any]:
    """What an application may want to know of a tool, and a model need not."""
    keys = ("title", "version", "tags", "annotations", "meta", "deprecated", "final_answer")
    return {key: value for key, value in definition.items() if key in keys}


def refuse(error: ModuleNotFoundError, framework: str, package: str, roots: tuple[str, ...]) -> NoReturn:
    """Say which package is missing, if one of `roots` is; raise `error` as it is otherwise."""
    if (error.name or "").partition(".")[0] not in roots:
        raise error
    raise ModuleNotFoundError(
        f"this bridge needs {framework}: pip install {package}", name=error.name
    ) from error
