"""A tool does only what the user approved, even if the state changes while the user decides."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.end_to_end.project import ERAS, Project, error_code, text_of
from tests.end_to_end.purchase_tool import CHECKING_TOOL, TOOL, shop_of

TWO_STEPS = """
import asyncio, json
from pathlib import Path
from generated import catalog

async def main():
    toolkit, arguments = catalog.toolkit(), {"what": "chains"}
    first = await toolkit.call("buy", arguments)
    Path("price.txt").write_text("49800.00")
    token = first.metadata["confirmation"]["token"]
    second, third = [await toolkit.call("buy", arguments, confirmation_token=token) for _ in range(2)]
    print(json.dumps({
        "code": second.error and second.error.code, "bought": Path("bought.txt").exists(),
        "details": second.error and second.error.details, "text": second.as_text(),
        "third": third.metadata["confirmation"]["preview"],
    }))

asyncio.run(main())
"""


def calls_over_mcp(project: Project, era: str, shop: Any) -> list[Any]:
    async def run() -> list[Any]:
        async with project.server() as server, server.client(era, elicitation_callback=shop.ask) as client:
            return [await client.call_tool("buy", {"what": "chains"}) for _ in range(2)]

    return asyncio.run(run())


@ERAS
@pytest.mark.parametrize("tool", [TOOL, CHECKING_TOOL], ids=["preview", "check_approval"])
def test_nothing_is_done_after_the_price_changed(project: Project, era: str, tool: str) -> None:
    shop = shop_of(project, *(["49800.00"] if tool == TOOL else []), tool=tool)
    project.write("rises.txt", "")
    changed, again = calls_over_mcp(project, era, shop)
    assert error_code(changed) == "changed_since_confirmed"
    assert [text.partition("\n")[0] for text in shop.seen] == [
        "chains costs 498.00",
        "chains costs 49800.00",
    ]
    assert text_of(again) == '{"paid":"49800.00"}'
    assert shop.bought == ["49800.00"]


def test_a_two_step_token_is_void_after_the_price_changed(project: Project) -> None:
    shop_of(project, on_unsupported="two_step")
    done = project.python("-c", TWO_STEPS)
    shown = "chains costs 49800.00"
    assert json.loads(done.stdout) == {
        "code": "changed_since_confirmed",
        "bought": False,
        "details": {"message": "Buy chains?", "preview": shown},
        "text": "Error [changed_since_confirmed]: Something changed after the user confirmed this call, so nothing "
        f"was done.\nPreview of the new state:\n{shown}\n"
        "Hint: Call the tool again; the user is asked about the new state.",
        "third": shown,
    }, done.stderr
