"""A provider's tool call on its way through a toolkit: what came in, what goes back out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from toolgen.runtime.adapters.naming import published, wire_names
from toolgen.runtime.confirmation.question import Confirm
from toolgen.runtime.definition import ToolDefinition
from toolgen.runtime.errors import ToolError
from toolgen.runtime.response import ToolResponse
from toolgen.runtime.toolkit import Toolkit


@dataclass(frozen=True, slots=True)
class Answer:
    """An answered tool call: `message` is what the model's provider wants back.

    `response` is what it was made of; its `final_answer` says that the content is meant for the user.
    """

    message: dict[str, Any]
    response: ToolResponse


@dataclass(frozen=True, slots=True)
class Incoming:
    """A tool call, read."""

    name: str  # wire name, alias, or what the model made up
    arguments: Any
    wrap: Callable[[ToolResponse], dict[str, Any]]  # the message to send back
    error: ToolError | None = None  # found before any tool is reached

    def answered(self, response: ToolResponse) -> Answer:
        """The answer that `response` makes."""
        return Answer(self.wrap(response), response)

    def refused(self) -> Answer | None:
        """The answer, if no tool is needed for it."""
        if self.error is None:
            return None
        return self.answered(ToolResponse(self.name, False, error=self.error))


class Speaker:
    """Answers the calls of one provider's models, as `read` understands them."""

    def __init__(self, read: Callable[[Toolkit, Any], Incoming]) -> None:
        self._read = read

    async def execute(self, toolkit: Toolkit, call: Any, confirm: Confirm | None = None) -> dict[str, Any]:
        """Answer one call, an SDK's object or a dict, with the message to send back.

        Whatever the model did wrong is in its text, for the model to mend. `confirm` asks the user. Raises
        TypeError for what is no call of a tool.
        """
        return (await self.answer(toolkit, call, confirm)).message

    async def answer(self, toolkit: Toolkit, call: Any, confirm: Confirm | None = None) -> Answer:
        """As `execute`, with the response beside the message: `.final_answer`, `.extras`."""
        incoming = self._read(toolkit, call)
        refused = incoming.refused()
        if refused is not None:
            return refused
        return incoming.answered(await toolkit.call(incoming.name, incoming.arguments, confirm=confirm))

    def stream(
        self, toolkit: Toolkit, call: Any, confirm: Confirm | None = None
    ) -> AsyncGenerator[Any, None]:
        """The chunks of a streamed result as they come, JSON values, and last the Answer."""
        return _stream(toolkit, self._read(toolkit, call), confirm)


async def _stream(toolkit: Toolkit, call: Incoming, confirm: Confirm | None) -> AsyncGenerator[Any, None]:
    refused = call.refused()
    if refused is not None:
        yield refused
        return
    items = toolkit.stream(call.name, call.arguments, confirm=confirm)
    try:
        async for item in items:
            yield call.answered(item) if isinstance(item, ToolResponse) else item
    finally:
        await items.aclose()


class Directory:
    """The tools of toolkits as one target publishes them: by which names, in which dialect."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._entries: WeakKeyDictionary[Toolkit, _Entries] = WeakKeyDictionary()

    def wire_name(self, toolkit: Toolkit, published: str) -> str:
        """The name of the tool that is published so; any other name as it is."""
        return self._of(toolkit).wire.get(published, published)

    def restored(self, toolkit: Toolkit, wire_name: str, arguments: Any) -> Any:
        """`arguments` as the author's schema means them, the dialect undone."""
        definition = toolkit.definition_of(wire_name)
        if definition is None:
            return arguments
        restorers, name = self._of(toolkit).restorers, definition["name"]
        if name not in restorers:
            restorers[name] = published(definition, self._target).restore()
        restore = restorers[name]
        return arguments if restore is None else restore(arguments)

    def _of(self, toolkit: Toolkit) -> _Entries:
        found = self._entries.get(toolkit)
        if found is None or found.definitions is not toolkit.definitions:
            definitions = toolkit.definitions
            found = _Entries(definitions, wire_names(definitions, self._target), {})
            self._entries[toolkit] = found
        return found


@dataclass(frozen=True, slots=True)
class _Entries:
    """Of one toolkit, as long as it has these definitions."""

    definitions: Mapping[str, ToolDefinition]
    wire: Mapping[str, str]  # published name → wire name
    restorers: dict[str, Callable[[Any], Any] | None]  # wire name → undoes the dialect; filled when called


def get(holder: Any, key: str) -> Any:
    """A field of an SDK's object or of a dict; None where there is none."""
    return holder.get(key) if isinstance(holder, Mapping) else getattr(holder, key, None)


def identifier(call: Any, key: str) -> str:
    """The id that the answer goes to. Raises TypeError where the call has none."""
    value = get(call, key)
    if not isinstance(value, str):
        raise TypeError(f"the tool call has no {key!r} to answer to")
    return value
