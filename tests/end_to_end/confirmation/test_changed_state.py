"""A tool does only what the user approved, even if the state changes while the user decides."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.end_to_end.project import ERAS, Project, error_code, text_of
from tests.end_to_end.purchase_tool import CHECKING_TOOL, shop_of

TWO_STEPS = """
import asyncio, json
from pathlib import Path
from generated import catalog

async def main():
    toolkit, arguments = catalog.toolkit(), {"what": "chains"}
    first = await toolkit.call("buy", arguments)
    Path("price.txt").write_text("49800.00")
    second = await toolkit.call("buy", arguments, confirmation_token=first.metadata["confirmation"]["token"])
    bought = Path("bought.txt").exists()
    confirmation = second.metadata.get("confirmation", {})
    third = await toolkit.call("buy", arguments, confirmation_token=confirmation.get("token"))
    print(json.dumps({
        "code": second.error and second.error.code, "bought": bought, "shown": confirmation.get("preview"),
        "details": second.error and second.error.details, "text": second.as_text(), "third": third.success,
    }))

asyncio.run(main())
"""


def call_over_mcp(project: Project, era: str, shop: Any) -> Any:
    async def run() -> Any:
        async with project.server() as server, server.client(era, elicitation_callback=shop.ask) as client:
            return await client.call_tool("buy", {"what": "chains"})

    return asyncio.run(run())


@ERAS
def test_the_user_is_asked_again_after_the_price_changed(project: Project, era: str) -> None:
    shop = shop_of(project, "49800.00")
    result = call_over_mcp(project, era, shop)
    assert [text.partition("\n")[0] for text in shop.seen] == [
        "chains costs 498.00",
        "chains costs 49800.00",
    ]
    assert text_of(result) == '{"paid":"49800.00"}'
    assert shop.bought == ["49800.00"]


@ERAS
def test_a_call_is_refused_after_three_questions(project: Project, era: str) -> None:
    shop = shop_of(project, "1", "2", "3", "4", "5")
    result = call_over_mcp(project, era, shop)
    assert error_code(result) == "changed_since_confirmed"
    assert len(shop.seen) == 3
    assert shop.bought == []


def test_a_two_step_token_is_void_after_the_price_changed(project: Project) -> None:
    shop_of(project, on_unsupported="two_step")
    done = project.python("-c", TWO_STEPS)
    shown = "chains costs 49800.00"
    assert json.loads(done.stdout) == {
        "code": "changed_since_confirmed",
        "bought": False,
        "shown": shown,
        "details": {"message": "Buy chains?", "preview": shown},
        "text": "Error [changed_since_confirmed]: Something changed after the user confirmed this call, so nothing "
        f"was done.\nPreview of the new state:\n{shown}\n"
        "Hint: Call the tool again; the user is asked about the new state.",
        "third": True,
    }, done.stderr


@ERAS
def test_the_user_is_asked_again_if_check_approval_finds_a_change(project: Project, era: str) -> None:
    shop = shop_of(project, tool=CHECKING_TOOL)
    project.write("rises.txt", "")
    result = call_over_mcp(project, era, shop)
    assert [text.partition("\n")[0] for text in shop.seen] == [
        "chains costs 498.00",
        "chains costs 49800.00",
    ]
    assert text_of(result) == '{"paid":"49800.00"}'
    assert shop.bought == ["49800.00"]
