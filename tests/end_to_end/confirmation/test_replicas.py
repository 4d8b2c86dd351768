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
from tests.end_to_end.purchase_tool import TOOL, Shop, shop_of
from tests.end_to_end.replicas import KEY, replicas, round_robin

CALLS = 60


def sharing(store: str) -> dict[str, str]:
    """Return the environment of replicas with the same key and store."""
    return {"TOOLGEN_CONFIRMATION_KEY": KEY, "TOOLGEN_CONFIRMATION_STORE": store}


async def several_at_once(work: list[Any]) -> list[Any]:
    """Return the results of `work`, run ten at a time."""
    places = asyncio.Semaphore(10)

    async def one(each: Any) -> Any:
        async with places:
            return await each

    return await asyncio.gather(*map(one, work))


async def agree(context: Any, params: Any) -> ElicitResult:
    return ElicitResult(action="accept", content={"confirm": True})


async def test_sixty_confirmations_are_accepted_behind_a_proxy(project: Project, store: str) -> None:
    shop = shop_of(project)

    async with (
        asyncio.timeout(240),
        replicas(project, **sharing(store)) as servers,
        round_robin(servers) as url,
        Client(url, mode="auto", elicitation_callback=agree) as client,
    ):
        calls = [client.call_tool("buy", {"what": str(number)}) for number in range(CALLS)]
        found = sum(not result.is_error for result in await several_at_once(calls))
    assert found == CALLS
    assert len(shop.bought) == CALLS


@NEWEST_ERA
async def test_sixty_two_step_tokens_are_redeemed_behind_a_proxy(
    project: Project, store: str, era: Any
) -> None:
    shop = shop_of(project, on_unsupported="two_step")

    async def two_steps(client: Client, number: int) -> bool:
        what = {"what": str(number)}
        first = await client.call_tool("buy", what)
        assert error_code(first) == "confirmation_required"
        meta: Any = {"toolgen/confirmation_token": first.meta["toolgen/confirmation"]["token"]}
        second = await client.call_tool("buy", what, meta=meta)
        replayed = await client.call_tool("buy", what, meta=meta)
        assert error_code(replayed) == "confirmation_required"
        return not second.is_error

    async with (
        asyncio.timeout(240),
        replicas(project, **sharing(store)) as servers,
        round_robin(servers) as url,
        Client(url, mode=era) as client,
    ):
        found = sum(await several_at_once([two_steps(client, number) for number in range(CALLS)]))
    assert found == CALLS
    assert len(shop.bought) == CALLS


async def test_an_answer_is_accepted_by_one_replica_for_one_call(project: Project, store: str) -> None:
    shop: Shop = shop_of(project)
    what = {"what": "chains"}
    yes = {"confirm": types.ElicitResult(action="accept", content={"confirm": True})}

    async def call(url: str, **more: Any) -> Any:
        async with Client(url, mode="auto", elicitation_callback=agree) as client:
            return await client.session.call_tool("buy", what, allow_input_required=True, **more)

    async with asyncio.timeout(120), replicas(project, **sharing(store)) as (one, two):
        asked = await call(one.url)
        assert asked.result_type == "input_required"
        answered = await call(two.url, input_responses=yes, request_state=asked.request_state)
        assert not answered.is_error
        for url in (one.url, two.url):
            replayed = await call(url, input_responses=yes, request_state=asked.request_state)
            assert replayed.result_type == "input_required", "nothing is done, the user is asked anew"
    assert shop.bought == ["498.00"]


async def test_replicas_execute_what_was_shown_though_the_preview_changes_its_request(
    project: Project, store: str
) -> None:
    changing = TOOL.replace(
        'return f"{request.what} costs', 'request.what += "!"\n        return f"{request.what} costs'
    )
    shop = shop_of(project, tool=changing.replace("bought.write(price", "bought.write(request.what"))

    async with (
        asyncio.timeout(120),
        replicas(project, **sharing(store)) as servers,
        round_robin(servers) as url,
        Client(url, mode="auto", elicitation_callback=shop.ask) as client,
    ):
        assert not (await client.call_tool("buy", {"what": "chains"})).is_error
    assert [message.partition("\n")[0] for message in shop.seen] == ["chains! costs 498.00"]
    assert shop.bought == ["chains"]
