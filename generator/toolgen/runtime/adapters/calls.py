"""A provider's tool call on its way through a toolkit: what came in, what goes back out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from toolgen.runtime.adapters.naming import wire_names
from toolgen.runtime.confirm import Confirm
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


async def answer(toolkit: Toolkit, call: Incoming, confirm: Confirm | None) -> Answer:
    """Have the call answered."""
    refused = call.refused()
    if refused is not None:
        return refused
    return call.answered(await toolkit.call(call.name, call.arguments, confirm=confirm))


async def stream(toolkit: Toolkit, call: Incoming, confirm: Confirm | None) -> AsyncGenerator[Any, None]:
    """The chunks of the call's result as they come, JSON values, and last its Answer."""
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


@dataclass(frozen=True, slots=True)
class Names:
    """Published name → wire name, as long as the toolkit has these definitions."""

    definitions: Mapping[str, ToolDefinition]
    wire: Mapping[str, str]

    @classmethod
    def of(cls, toolkit: Toolkit, target: str) -> Names:
        """The names of a toolkit's tools with `target`. Raises ValueError where two are published by one."""
        definitions = toolkit.definitions
        return cls(definitions, wire_names(definitions, target))


def get(holder: Any, key: str) -> Any:
    """A field of an SDK's object or of a dict; None where there is none."""
    return holder.get(key) if isinstance(holder, Mapping) else getattr(holder, key, None)


def identifier(call: Any, key: str) -> str:
    """The id that the answer goes to. Raises TypeError where the call has none."""
    value = get(call, key)
    if not isinstance(value, str):
        raise TypeError(f"the tool call has no {key!r} to answer to")
    return value
