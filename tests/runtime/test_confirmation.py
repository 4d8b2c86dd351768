"""Confirmation: message, preview, tokens. Without a clear yes, nothing is done."""

from __future__ import annotations

from typing import Any

import pytest
from toolgen.runtime import Confirmation, Toolkit
from toolgen.runtime.confirmation.question import render_message

from tests.runtime.tool_factory import code_of, make_tool, run
from tests.scopes import Agreeing

DONE: list[Any] = []


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


async def act(self: Any, request: Any, context: Any) -> str:
    DONE.append(request.model_dump())
    return "done"


def risky(on_unsupported: str | None = None, **more: Any) -> Any:
    confirm = {"message": "Delete {path}?"} | ({"on_unsupported": on_unsupported} if on_unsupported else {})
    return make_tool(act, confirm=confirm, **more)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Pay {amount} to {to.name}?", "Pay 5 to Ann?"),
        ("{items.0.sku} {items.1}", 'A {"sku": "B"}'),
        ("{missing} {to.missing} {items.9} {null}", "(none) (none) (none) (none)"),
        ("{amount!r} {amount:>9} {amount.__class__} {0} {}", "(none) (none) (none) (none) {}"),
        ("{evil}", 'a\\nYes? \\u202etxt {amount} "q"'),
        ("{long}", "x" * 200 + "… [cut: the first 200 of 999 characters]"),
    ],
)
def test_message_placeholders_are_filled_in_once(template: str, text: str) -> None:
    arguments = {
        "amount": 5,
        "to": {"name": "Ann"},
        "items": [{"sku": "A"}, {"sku": "B"}],
        "null": None,
        "yes": True,
        "evil": 'a\nYes? \u202etxt {amount} "q"',
        "long": "x" * 999,
        "fits": "x" * 200,
        "rows": list(range(999)),
    }
    assert render_message(template, arguments) == text


@pytest.mark.parametrize(
    "char", ["\x1b", "\u202e", "\u0336", "\ufe0e", "\ufe0f", "\U000e0041", "\ue000", "\u2028"]
)
def test_a_question_has_no_character_that_hides_or_changes_text(char: str) -> None:
    """Neither in a value nor in the spec's own words; a line end of the spec's stays."""
    text = render_message(f"Pay 1{char}00\nto {{who}}?", {"who": f"Ada{char}\n"})
    assert text.count("\n") == 1
    assert text.replace("\n", "").isprintable()
    assert char not in text


@pytest.mark.parametrize("on_unsupported", [None, "deny"])
def test_a_call_is_refused_if_nobody_can_be_asked(on_unsupported: str | None) -> None:
    response = run(risky(on_unsupported), {"path": "/"})
    assert response.as_text() == (
        "Error [confirmation_required]: This call needs the user's confirmation, "
        "and the user cannot be asked here."
    )
    assert DONE == []
    assert "confirmation" not in response.metadata


@pytest.mark.parametrize(
    ("answer", "code"),
    [(False, "declined"), (None, "cancelled"), (1, "declined"), ("yes", "declined"), (object(), "declined")],
)
def test_only_true_confirms_and_none_means_that_the_question_was_closed(answer: Any, code: str) -> None:
    async def confirm(confirmation: Confirmation) -> Any:
        return answer

    assert code_of(run(risky("deny"), {"path": "/"}, confirm=confirm)) == code
    assert DONE == []


def test_on_unsupported_allow_still_asks_if_the_user_can_be_asked() -> None:
    async def no(confirmation: Confirmation) -> bool:
        return False

    assert run(risky("allow"), {"path": "/"}).success
    assert code_of(run(risky("allow"), {"path": "/"}, confirm=no)) == "declined"
    assert len(DONE) == 1


def test_a_confirm_callback_that_fails_does_not_confirm() -> None:
    async def confirm(confirmation: Confirmation) -> bool:
        raise OSError("terminal gone")

    assert code_of(run(risky(), {"path": "/"}, confirm=confirm)) == "internal_error"
    assert DONE == []


def test_the_user_is_never_asked_about_an_invalid_request() -> None:
    user = Agreeing()
    tool = risky(input_schema={"type": "object", "required": ["path"]})
    assert code_of(run(tool, {}, confirm=user)) == "invalid_request"
    assert user.asked == []


async def test_a_two_step_call_returns_a_token_and_then_runs() -> None:
    kit = Toolkit([risky("two_step")])
    first = await kit.call("x", {"path": "/"})
    confirmation = first.metadata["confirmation"]
    assert first.as_text() == (
        "Error [confirmation_required]: The user has to confirm this call first: Delete /?"
    )
    assert confirmation["message"] == "Delete /?"
    assert confirmation["token"] not in str(first.error) + first.as_text() + str(first.as_dict()["error"])
    second = await kit.call("x", {"path": "/"}, confirmation_token=confirmation["token"])
    assert second.content == "done"
    again = await kit.call("x", {"path": "/"}, confirmation_token=confirmation["token"])
    assert code_of(again) == "confirmation_required"
    assert "used up, too old or for another call" in again.as_text()
    assert len(DONE) == 1


async def test_an_approval_holds_for_the_same_headers() -> None:
    kit, found = Toolkit([risky("two_step")]), []
    for tenant in ("two", "one"):
        first = await kit.call("x", {"path": "/"}, headers={"x-tenant": "one"})
        token = first.metadata["confirmation"]["token"]
        second = {"confirmation_token": token, "headers": {"x-tenant": tenant}}
        found.append(code_of(await kit.call("x", {"path": "/"}, **second)))
    assert found == ["confirmation_required", None]
    assert len(DONE) == 1
