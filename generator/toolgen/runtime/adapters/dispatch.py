"""What generated modules answer calls with. Importing it costs nothing; the first call does."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from toolgen.runtime.adapters.calls import Answer, Speaker
    from toolgen.runtime.confirmation.question import Confirm
    from toolgen.runtime.toolkit import Toolkit


class Dispatcher:
    """Answers the tool calls of one provider's models, with a toolkit that is made for the first one."""

    def __init__(self, provider: str, toolkit: Callable[[], Toolkit]) -> None:
        self._provider = provider  # a module beside this one
        self._make = toolkit
        self._made: Toolkit | None = None

    async def execute(
        self, call: object, toolkit: Toolkit | None = None, confirm: Confirm | None = None
    ) -> dict[str, Any]:
        """Answer a call, an SDK's object or a dict, with what to send back. `confirm` asks the user.

        Whatever the model did wrong is in its text, for the model to mend. Raises TypeError for what is no
        call of a tool.
        """
        return await self._speaker().execute(self._toolkit(toolkit), call, confirm)

    async def answer(
        self, call: object, toolkit: Toolkit | None = None, confirm: Confirm | None = None
    ) -> Answer:
        """As `execute`, with the response beside the message: `answer.response.final_answer`, `.extras`."""
        return await self._speaker().answer(self._toolkit(toolkit), call, confirm)

    def stream(
        self, call: object, toolkit: Toolkit | None = None, confirm: Confirm | None = None
    ) -> AsyncGenerator[Any, None]:
        """The chunks of a streamed result as they come, and last the Answer."""
        return self._speaker().stream(self._toolkit(toolkit), call, confirm)

    def _speaker(self) -> Speaker:
        speaker: Speaker = import_module(f"toolgen.runtime.adapters.{self._provider}").SPEAKER
        return speaker

    def _toolkit(self, given: Toolkit | None) -> Toolkit:
        if given is not None:
            return given
        if self._made is None:
            self._made = self._make()
        return self._made
