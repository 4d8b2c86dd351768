"""Questions to the user that a server asks during a call, answered by the callback `confirm`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from toolgen.runtime.isolation import called
from toolgen.sources.mcp_client.connection import yes_to_all


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user. Servers write the message: show it as what the server says."""

    message: str
    form: Mapping[str, Any] = field(default_factory=dict)  # JSON Schema of the answer; empty for a URL
    url: str | None = None  # a page that the user is asked to open


Answer: TypeAlias = bool | Mapping[str, Any] | None
Confirm: TypeAlias = Callable[[Question], Answer | Awaitable[Answer]]
"""Answers a question: True, False, the filled-in form, or None if the user closed the question."""


async def elicited(confirm: Confirm, params: Any) -> Any:
    """Return the answer to `mcp_types.ElicitRequestParams` as a result of MCP."""
    import mcp_types as types  # the SDK is loaded when it is used

    if params.mode == "url":
        question = Question(params.message, url=params.url)
    else:
        question = Question(params.message, dict(params.requested_schema))
    answer = await called(confirm, question)
    if answer is None:
        return types.ElicitResult(action="cancel")
    if answer is True:
        # a form that asks for more than a yes gets no answer that was made up
        content = None if question.url else yes_to_all(question.form)
        is_answered = question.url is not None or content is not None
        return types.ElicitResult(action="accept" if is_answered else "decline", content=content)
    if isinstance(answer, Mapping):
        return types.ElicitResult(action="accept", content=dict(answer))
    return types.ElicitResult(action="decline")
