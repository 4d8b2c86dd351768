"""A confirmation is bound to a principal or session, and other callers cannot invalidate it."""

from __future__ import annotations

from typing import Any

from toolgen.runtime import Toolkit

from tests.end_to_end.project import Project, error_code, text_of
from tests.end_to_end.purchase_tool import shop_of
from tests.runtime.tool_factory import make_tool


def token_of(result: Any) -> str:
    assert error_code(result) == "confirmation_required"
    token: str = result.meta["toolgen/confirmation"]["token"]
    assert token not in text_of(result), "models cannot confirm"
    return token


async def test_a_token_is_refused_in_another_session(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    mine = {"what": "chains"}

    async with project.server() as server, server.client("legacy") as ann, server.client("legacy") as bob:
        token = token_of(await ann.call_tool("buy", mine))
        stolen = await bob.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
        assert error_code(stolen) == "confirmation_required"
        assert shop.bought == []
        own = await ann.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
        assert not own.is_error, "the thief has not made it void"
        again = await ann.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
        assert error_code(again) == "confirmation_required"
    assert shop.bought == ["498.00"]


async def test_a_stateless_server_redeems_its_tokens(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    mine = {"what": "chains"}

    for era in ("legacy", "auto"):
        async with project.server("--stateless") as server, server.client(era) as client:
            token = token_of(await client.call_tool("buy", mine))
            own = await client.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
            assert not own.is_error, era
    assert shop.bought == ["498.00"] * 2


async def acts(self: Any, request: Any, context: Any) -> str:
    return "done"


async def offered(principal: str | None = None) -> tuple[Toolkit, str]:
    """Return a toolkit with a tool that is confirmed, and the token of its first call."""
    toolkit = Toolkit([make_tool(acts, confirm={"message": "Sure?", "on_unsupported": "two_step"})])
    response = await toolkit.call("x", {}, principal=principal)
    return toolkit, str(response.metadata["confirmation"]["token"])


async def test_a_pending_confirmation_survives_a_thousand_other_calls() -> None:
    toolkit, token = await offered()
    for number in range(1_001):
        await toolkit.call("x", {"number": number})
    assert (await toolkit.call("x", {}, confirmation_token=token)).success


async def test_only_its_owner_can_decline_a_token_which_is_then_invalid() -> None:
    toolkit, token = await offered("ann")
    declined = [await toolkit.decline(token, principal=each) for each in ("bob", None, "ann", "ann")]
    assert declined == [False, False, True, False]
    assert not (await toolkit.call("x", {}, principal="ann", confirmation_token=token)).success
