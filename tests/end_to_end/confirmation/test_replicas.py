"""A confirmation that one replica requested is accepted by another one, once.

With SQLite always; with Redis by `make test-redis`.
"""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
from mcp import Client
from mcp_types import ElicitResult

from tests.end_to_end.project import NEWEST_ERA, Project, error_code
from tests.end_to_end.purchase_tool import TOOL, shop_of
from tests.end_to_end.replicas import KEY, replicas


def sharing(store: str) -> dict[str, str]:
    """Return the environment of replicas with the same key and store."""
    return {"TOOLGEN_CONFIRMATION_KEY": KEY, "TOOLGEN_CONFIRMATION_STORE": store}


async def agree(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"confirm": True})


YES = {"confirm": types.ElicitResult(action="accept", content={"confirm": True})}


async def buy(url: str, **more: Any) -> Any:
    """Make one request of a call."""
    async with Client(url, mode="auto", elicitation_callback=agree) as client:
        return await client.session.call_tool("buy", {"what": "chains"}, allow_input_required=True, **more)


async def test_an_answer_is_accepted_by_one_replica_for_one_call(project: Project, store: str) -> None:
    shop = shop_of(project)

    async with asyncio.timeout(120), replicas(project, **sharing(store)) as (one, two):
        asked = await buy(one.url)
        assert asked.result_type == "input_required"
        answered = await buy(two.url, input_responses=YES, request_state=asked.request_state)
        assert not answered.is_error
        for url in (one.url, two.url):
            replayed = await buy(url, input_responses=YES, request_state=asked.request_state)
            assert replayed.result_type == "input_required", "nothing is done, the user is asked anew"
    assert shop.bought == ["498.00"]


@NEWEST_ERA
async def test_a_two_step_token_of_one_replica_is_redeemed_once_by_another(
    project: Project, store: str, era: Any
) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    what = {"what": "chains"}

    async with (
        asyncio.timeout(120),
        replicas(project, **sharing(store)) as servers,
        servers[0].client(era) as one,
        servers[1].client(era) as two,
    ):
        first = await one.call_tool("buy", what)
        assert error_code(first) == "confirmation_required"
        meta: Any = {"toolgen/confirmation_token": first.meta["toolgen/confirmation"]["token"]}
        assert not (await two.call_tool("buy", what, meta=meta)).is_error
        for client in (one, two):
            assert error_code(await client.call_tool("buy", what, meta=meta)) == "confirmation_required"
    assert shop.bought == ["498.00"]


async def test_a_replica_executes_what_another_showed_though_the_preview_changes_its_request(
    project: Project, store: str
) -> None:
    changing = TOOL.replace(
        'return f"{request.what} costs', 'request.what += "!"\n        return f"{request.what} costs'
    )
    shop = shop_of(project, tool=changing.replace("bought.write(price", "bought.write(request.what"))

    async with asyncio.timeout(120), replicas(project, **sharing(store)) as (one, two):
        asked = await buy(one.url)
        (question,) = asked.input_requests.values()
        assert question.params.message.partition("\n")[0] == "chains! costs 498.00"
        assert not (await buy(two.url, input_responses=YES, request_state=asked.request_state)).is_error
    assert shop.bought == ["chains"]
