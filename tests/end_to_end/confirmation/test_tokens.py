"""A confirmation is bound to a principal or session, and other callers cannot invalidate it."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.end_to_end.project import Project, error_code
from tests.end_to_end.purchase_tool import shop_of

EVICTING = """
import asyncio
from generated import catalog

async def main():
    toolkit, mine = catalog.toolkit(), {"what": "chains"}
    token = (await toolkit.call("buy", mine)).metadata["confirmation"]["token"]
    for number in range(1_001):
        await toolkit.call("buy", {"what": str(number)})
    print((await toolkit.call("buy", mine, confirmation_token=token)).success)

asyncio.run(main())
"""
PRINCIPALS = """
import asyncio
from generated import catalog

async def main():
    toolkit, mine = catalog.toolkit(), {"what": "chains"}
    first = await toolkit.call("buy", mine, principal="ann")
    token = first.metadata["confirmation"]["token"]
    for principal in ("bob", None, "ann", "ann"):
        print((await toolkit.call("buy", mine, principal=principal, confirmation_token=token)).success)

asyncio.run(main())
"""
DECLINED = """
import asyncio
from generated import catalog

async def main():
    toolkit, mine = catalog.toolkit(), {"what": "chains"}
    first = await toolkit.call("buy", mine, principal="ann")
    token = first.metadata["confirmation"]["token"]
    for principal in ("bob", None, "ann", "ann"):
        print(await toolkit.decline(token, principal=principal))
    print((await toolkit.call("buy", mine, principal="ann", confirmation_token=token)).success)

asyncio.run(main())
"""


def token_of(result: Any) -> str:
    assert error_code(result) == "confirmation_required"
    token: str = result.meta["toolgen/confirmation"]["token"]
    return token


def test_a_token_is_refused_in_another_session(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    mine = {"what": "chains"}

    async def run() -> None:
        async with project.server() as server, server.client("legacy") as ann, server.client("legacy") as bob:
            token = token_of(await ann.call_tool("buy", mine))
            stolen = await bob.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
            assert error_code(stolen) == "confirmation_required"
            assert shop.bought == []
            own = await ann.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
            assert not own.is_error, "the thief has not made it void"
            again = await ann.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
            assert error_code(again) == "confirmation_required"

    asyncio.run(run())
    assert shop.bought == ["498.00"]


def test_a_token_is_refused_for_another_principal(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    done = project.python("-c", PRINCIPALS)
    assert done.stdout.split() == ["False", "False", "True", "False"], done.stderr
    assert shop.bought == ["498.00"]


def test_a_pending_confirmation_survives_a_thousand_other_calls(project: Project) -> None:
    shop_of(project, on_unsupported="two_step")
    done = project.python("-c", EVICTING)
    assert done.stdout == "True\n", done.stderr


def test_a_stateless_server_redeems_its_tokens(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    mine = {"what": "chains"}

    async def run() -> None:
        for era in ("legacy", "auto"):
            async with project.server("--stateless") as server, server.client(era) as client:
                token = token_of(await client.call_tool("buy", mine))
                own = await client.call_tool("buy", mine, meta={"toolgen/confirmation_token": token})
                assert not own.is_error, era

    asyncio.run(run())
    assert shop.bought == ["498.00"] * 2


def test_only_its_owner_can_decline_a_token_which_is_then_invalid(project: Project) -> None:
    shop = shop_of(project, on_unsupported="two_step")
    done = project.python("-c", DECLINED)
    assert done.stdout.split() == ["False", "False", "True", "False", "False"], done.stderr
    assert shop.bought == []
