"""`context.elicit` without a protocol: answers, forms, time limits, and what cannot work."""

from __future__ import annotations

import asyncio
import enum
import logging
from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

import pytest
from pydantic import UUID4, AnyUrl, BaseModel, Field, RootModel
from toolgen.runtime import (
    BaseTool,
    Elicitation,
    ToolContext,
    Toolkit,
)
from toolgen.runtime.adapters.provider import ProviderAdapter
from toolgen.runtime.elicitation import MAX_MESSAGE, form_of

from tests.runtime.tool_factory import Anything, code_of, make_tool, run

ANTHROPIC = ProviderAdapter("anthropic")


class Seat(BaseModel):
    row: int = Field(ge=1)
    window: bool = False


def asking(model: Any = Seat, message: str = "Which seat?", **definition: Any) -> BaseTool[Any, Any]:
    async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
        answer = await context.elicit(message, model)
        return f"{answer.action} {answer.data!r}"

    return make_tool(execute, **{"asks": True, **definition})


def answering(*answers: Any) -> Any:
    """Return an `elicit` that gives each answer in turn; `asked` has its questions."""
    left, asked = list(answers), list[Elicitation]()

    async def elicit(question: Elicitation) -> Any:
        asked.append(question)
        return left.pop(0)

    elicit.asked = asked  # type: ignore[attr-defined]
    return elicit


@pytest.mark.parametrize(
    ("answer", "content"),
    [
        ({"row": 3}, "accept Seat(row=3, window=False)"),
        (False, "decline None"),
        (None, "cancel None"),
        (True, "decline None"),
    ],
)
def test_the_answer_of_the_callback(answer: Any, content: str) -> None:
    assert run(asking(), elicit=answering(answer)).content == content
    assert run(asking(), elicit=lambda question: answer).content == content


def test_an_answer_that_does_not_fit_is_asked_for_once_more() -> None:
    elicit = answering({"row": 0}, {"row": 1})
    assert run(asking(), elicit=elicit).success
    assert elicit.asked[0].message == "Which seat?"
    assert elicit.asked[1].message.startswith(
        "Which seat?\n\nThe last answer cannot be taken: row: Input should"
    )
    response = run(asking(), elicit=answering({"row": 0}, {"row": "secret"}, {"row": 1}))
    assert code_of(response) == "invalid_request"
    assert "secret" not in response.as_text()


def test_the_question_is_shown_safely() -> None:
    elicit = answering(None)
    run(asking(message="a\u202eb\n\ud800" + "c" * MAX_MESSAGE), elicit=elicit)
    assert elicit.asked[0].message.startswith("a\\u202eb\n")
    assert "\ud800" not in elicit.asked[0].message
    assert len(elicit.asked[0].message) < MAX_MESSAGE + 100


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


class Form(BaseModel):
    """Everything that a form can have."""

    name: str = Field(min_length=1, pattern="^[a-z]+$", description="Your name")
    page: AnyUrl | None = None
    key: UUID4 | None = None
    day: date
    amount: float = Field(1.5, gt=0, le=10)
    size: Size = Size.SMALL
    only: Literal["one"] = "one"
    extras: list[Literal["salt", "pepper"]] = []


def test_a_model_as_a_form_has_the_keywords_of_mcp_alone() -> None:
    assert form_of(Form) == {
        "type": "object",
        "required": ["name", "day"],
        "properties": {
            "name": {"type": "string", "title": "Name", "description": "Your name", "minLength": 1},
            "page": {"type": "string", "title": "Page", "format": "uri", "minLength": 1},
            "key": {"type": "string", "title": "Key"},
            "day": {"type": "string", "title": "Day", "format": "date"},
            "amount": {"type": "number", "title": "Amount", "default": 1.5, "maximum": 10},
            "size": {"type": "string", "title": "Size", "enum": ["small", "large"], "default": "small"},
            "only": {"type": "string", "title": "Only", "enum": ["one"], "default": "one"},
            "extras": {
                "type": "array",
                "title": "Extras",
                "items": {"type": "string", "enum": ["salt", "pepper"]},
                "default": [],
            },
        },
    }


class Nested(BaseModel):
    seat: Seat


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Nested, "the field 'seat' of Nested is neither text, a number"),
        (RootModel[int], "is not a pydantic model with fields"),
    ],
)
def test_a_model_that_is_no_form_is_named_in_the_log(
    model: Any, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    elicit = answering()
    with caplog.at_level(logging.ERROR, "toolgen.runtime"):
        assert code_of(run(asking(model), elicit=elicit)) == "internal_error"
    assert "cannot use context.elicit: " in caplog.text
    assert why in caplog.text
    assert elicit.asked == []


def test_a_tool_without_asks_cannot_ask(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "toolgen.runtime"):
        assert code_of(run(asking(asks=False), elicit=answering({"row": 1}))) == "internal_error"
    assert "context.elicit: it needs `asks: true` in the spec of x" in caplog.text


def test_a_preview_asks_nobody() -> None:
    async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
        return "done"

    async def preview(self: Any, request: Anything, context: ToolContext) -> str:
        await context.elicit("Which seat?", Seat)
        return "shown"

    tool = make_tool(execute, preview=preview, asks=True, confirm={"message": "Go?", "preview": True})
    elicit = answering({"row": 1})
    assert code_of(run(tool, elicit=elicit, confirm=lambda asked: True)) == "confirmation_required"
    assert elicit.asked == []


def test_the_time_of_the_user_is_not_work() -> None:
    released = asyncio.Event()

    async def elicit(question: Elicitation) -> Mapping[str, Any]:
        await asyncio.sleep(0.3)
        return {"row": len(question.message)}

    async def execute(self: Any, request: Anything, context: ToolContext) -> Any:
        answers = await asyncio.gather(context.elicit("a", Seat), context.elicit("bb", Seat))
        rows = [each.data.row for each in answers if each.action == "accept"]
        await asyncio.sleep(0)  # with a limit that runs again
        if request.model_extra["hangs"]:
            await released.wait()
        return rows

    tool = make_tool(execute, asks=True, timeout=0.2)
    assert run(tool, {"hangs": False}, elicit=elicit).content == [1, 2]
    assert code_of(run(tool, {"hangs": True}, elicit=elicit)) == "timeout"


def test_several_calls_ask_one_question_at_a_time() -> None:
    open_questions: list[int] = []

    async def elicit(question: Elicitation) -> Any:
        open_questions.append(1)
        assert sum(open_questions) == 1
        await asyncio.sleep(0)
        open_questions.append(-1)
        return {"row": 1}

    async def confirm(asked: Any) -> bool:
        return bool(await elicit(asked))

    calls = [{"type": "tool_use", "id": str(i), "name": "x", "input": {}} for i in range(4)]
    toolkit = Toolkit([asking(confirm={"message": "Go?"})])
    messages = asyncio.run(ANTHROPIC.run(calls, toolkit, confirm, elicit=elicit))
    assert [each["content"] for each in messages] == ["accept Seat(row=1, window=False)"] * 4
