"""The audit log of consent: who was asked, by what, and how it ended."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from typing import Any

import mcp_types as types
import pytest
from toolgen.runtime import Toolkit
from toolgen.runtime.settings import Settings

from tests.end_to_end.auth.test_scopes import shop
from tests.end_to_end.calls.test_logs import records
from tests.end_to_end.project import ERAS, Project
from tests.runtime.tool_factory import make_tool

__all__ = ["shop"]

QUESTION = hashlib.sha256(b"Drop secret_orders?").hexdigest()


@pytest.fixture
def dropping(project: Project) -> Project:
    body = "async def execute(self, request, context): return 'dropped'"
    more = "confirm: {message: 'Drop {table}?'}"
    project.add_plain_tool("drop", body, more=more, properties="table: {type: string}")
    project.generate()
    return project


def audit(log: str) -> list[dict[str, Any]]:
    return [each for each in records(log) if each["logger"] == "toolgen.audit"]


@ERAS
async def test_question_and_answer_have_one_id_in_both_eras(dropping: Project, era: str) -> None:
    answers = iter(["accept", "decline", "cancel"])

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        action: Any = next(answers)
        return types.ElicitResult(action=action, content={"confirm": True} if action == "accept" else None)

    flags = ("--log-level", "warning", "--log-format", "json")  # consent is recorded with any level
    async with (
        dropping.server(*flags) as server,
        server.client(era, elicitation_callback=answer) as client,
    ):
        for _ in range(3):
            await client.call_tool("drop", {"table": "secret_orders"})
    log = server.log

    found = audit(log)
    assert [each["event"] for each in found] == [
        "asked", "approved", "asked", "declined", "asked", "cancelled"
    ]  # fmt: skip
    for asked, answered in zip(found[::2], found[1::2], strict=True):
        assert asked["question_id"] == answered["question_id"]
        assert asked["shown_sha256"] == QUESTION
        assert asked["way"] == answered["way"] == ("elicitation" if era == "legacy" else "input_required")
        assert asked["tool_name"] == answered["tool_name"] == "drop"
    assert len({each["question_id"] for each in found}) == 3
    assert "secret_orders" not in log


def decisions(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(each.event, each.way) for each in caplog.records if each.name == "toolgen.audit"]  # type: ignore[attr-defined]


async def execute(self: Any, request: Any, context: Any) -> Any:
    return 1


async def test_tokens_of_two_steps_are_recorded_from_the_offer_to_the_second_use(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    tool = make_tool(execute, confirm={"message": "Sure?", "on_unsupported": "two_step"})

    toolkit = Toolkit([tool])
    offered = await toolkit.call("x", {"how": "well"}, principal="ann")
    token = offered.metadata["confirmation"]["token"]
    await toolkit.call("x", {"how": "well"}, principal="bob", confirmation_token=token)  # not hers
    await toolkit.call("x", {"how": "well"}, principal="ann", confirmation_token=token)
    await toolkit.call("x", {"how": "well"}, principal="ann", confirmation_token=token)  # used up

    assert [event for event, _ in decisions(caplog)] == [
        "asked", "refused", "asked", "approved", "refused", "asked"
    ]  # fmt: skip
    found: list[Any] = [each for each in caplog.records if each.name == "toolgen.audit"]
    assert found[0].question_id == found[1].question_id == found[3].question_id == found[4].question_id
    assert [each.principal for each in found] == ["ann", "bob", "bob", "ann", "ann", "ann"]


async def test_an_expired_token_and_a_call_without_a_question_are_recorded(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    tool = make_tool(execute, confirm={"message": "Sure?", "on_unsupported": "two_step"})
    allowing = make_tool(execute, name="y", confirm={"message": "Sure?", "on_unsupported": "allow"})
    denying = make_tool(execute, name="z", confirm={"message": "Sure?"})

    from toolgen.runtime import ToolConfig

    settings = Settings(confirmation_expiry=0.05)
    toolkit = Toolkit([tool, allowing, denying], config=ToolConfig(settings=settings))
    offered = await toolkit.call("x", {"how": "well"})
    await asyncio.sleep(0.1)
    token = offered.metadata["confirmation"]["token"]
    await toolkit.call("x", {"how": "well"}, confirmation_token=token)
    await toolkit.call("y", {"how": "well"})
    await toolkit.call("z", {"how": "well"})

    assert decisions(caplog) == [
        ("asked", "two_step"),
        ("expired", "two_step"),
        ("asked", "two_step"),
        ("not_asked", "none"),
        ("unavailable", "none"),
    ]
