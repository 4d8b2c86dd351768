"""Calls that scripts make: checked by their contracts on both sides, with the questions to the user."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

import mcp_types as types

from toolgen.runtime.confirmation.question import Confirmation, ConfirmationPending
from toolgen.runtime.elicitation import Elicitation
from toolgen.runtime.errors import ConfirmationRequiredError, DeclinedError, QuestionCancelledError
from toolgen.runtime.isolation import WorkClock
from toolgen.runtime.toolkit import Toolkit
from toolgen.serving.auth.grant import NOTHING, grant_of, headers_of
from toolgen.serving.confirm import ask_by_form
from toolgen.serving.current_call import answering
from toolgen.serving.held_questions import Exchange

from .functions import Functions
from .script import ScriptEnd

TOTAL_SECONDS: Final = 300.0  # of all calls of a script, without the time that users take
QUESTIONS: Final = 10  # to the user, of a script
_ENDING: Final = (ConfirmationRequiredError.code, DeclinedError.code, QuestionCancelledError.code)
"""Errors after which a script does not go on: it must not ask again and again, nor act as if it had."""


@dataclass(slots=True)
class ScriptCalls:
    """The calls of one script.

    Attributes:
        toolkit: a session of the tools, whose calls see each other's extras.
        functions: the functions of its tools.
        exchange: where questions to the user go, and the request that came last: its scopes count.
    """

    toolkit: Toolkit
    functions: Functions
    exchange: Exchange
    _left: float = field(default_factory=lambda: TOTAL_SECONDS)
    _clock: WorkClock = field(default_factory=WorkClock)  # of the current call
    _questions: int = 0

    async def run(self, name: str, positional: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function. Raises ToolError, TypeError and ScriptEnd."""
        tool = self.functions.tools[name]
        arguments = self.functions.arguments_of(tool, positional, named)
        self._clock = WorkClock()
        try:
            async with self._clock.limit(monotonic() + max(self._left, 0)):
                return await self._answer(tool, arguments)
        except TimeoutError:
            raise ScriptEnd(f"Its calls took more than {TOTAL_SECONDS:g} seconds.") from None
        finally:
            self._left = self._clock.left()

    async def _answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        confirms = "confirm" in self.functions.definitions[tool]
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))
        requester = self.exchange.requester
        grant = NOTHING if requester.request is None else grant_of(requester.request, self.toolkit.settings)
        # what its tool notes is not about `run_code`
        with nullcontext() if requester.request is None else answering(requester.request, params):
            try:
                response = await self.toolkit.call(
                    tool,
                    arguments,
                    # never None for a tool that asks: it might then act, by `on_unsupported: allow`
                    confirm=self._confirm if confirms else None,
                    elicit=self._elicit,
                    scopes=grant.scopes,
                    principal=grant.principal,
                    headers=headers_of(requester.request),
                )
            except ConfirmationPending:  # the tool asks by its result, and takes the answer in another call
                raise ScriptEnd(f"{tool} asks the user something that a script cannot answer.") from None
        error = response.error
        if error is not None and error.code in _ENDING:
            raise ScriptEnd(f"{tool}: {error.message} The script ends here.")
        if error is not None:
            raise error
        if response.content is None and response.blocks:
            return [block.as_text() for block in response.blocks]
        return response.content

    async def _confirm(self, asked: Confirmation) -> bool:
        if not self.exchange.requester.can_ask:
            raise ConfirmationRequiredError(
                "This call needs the user's confirmation, and the user cannot be asked here."
            )
        with self._waiting():
            return await ask_by_form(self.exchange, asked)

    async def _elicit(self, asked: Elicitation) -> Any:
        elicit = self.exchange.elicit
        if elicit is None:
            raise ConfirmationRequiredError("The call has to ask the user, who cannot be asked here.")
        with self._waiting():
            return await elicit(asked)

    def _waiting(self) -> AbstractContextManager[None]:
        """Count a question, and stop the time of the script until it is answered."""
        self._questions += 1
        if self._questions > QUESTIONS:
            raise ConfirmationRequiredError(f"The script has asked the user {QUESTIONS} times.")
        return self._clock.stopped()
