"""Previews can be requested without asking the user."""

from __future__ import annotations

import asyncio

import pytest

from tests.end_to_end.project import ERAS, Project, error_code, text_of
from tests.end_to_end.purchase_tool import shop_of

PREVIEW = """
import asyncio
from generated import catalog

async def main():
    response = await catalog.toolkit().preview("buy", {"what": "chains"})
    print(response.success, response.content)

asyncio.run(main())
"""


def test_toolkit_preview_neither_asks_nor_acts(project: Project) -> None:
    shop = shop_of(project)
    done = project.python("-c", PREVIEW)
    assert done.stdout == "True chains costs 498.00\n", done.stderr
    assert shop.bought == []


@pytest.mark.parametrize("on_unsupported", ["deny", "two_step"])
@ERAS
def test_a_client_that_cannot_ask_gets_the_preview(project: Project, era: str, on_unsupported: str) -> None:
    shop = shop_of(project, on_unsupported=on_unsupported)

    async def run() -> None:
        async with project.stdio_client(era) as client:
            result = await client.call_tool("buy", {"what": "chains"})
            assert error_code(result) == "confirmation_required"
            shown = {"message": "Buy chains?", "preview": "chains costs 498.00"}
            assert result.meta["toolgen/error"]["details"] == shown
            confirmation = result.meta.get("toolgen/confirmation")
            assert (confirmation is None) is (on_unsupported == "deny")
            assert confirmation is None or shown.items() <= confirmation.items()

    asyncio.run(run())
    assert shop.bought == []


@ERAS
def test_an_mcp_client_requests_a_preview_in_meta(project: Project, era: str) -> None:
    shop = shop_of(project)

    async def run() -> None:
        async with project.stdio_client(era, elicitation_callback=shop.ask) as client:
            result = await client.call_tool("buy", {"what": "chains"}, meta={"toolgen/preview": True})
            assert "chains costs 498.00" in text_of(result)
            assert result.meta["toolgen/preview"] is True
            # Clients refuse a success without structured content: the tool has an output schema.
            assert result.meta["toolgen/error"]["details"] == {"preview": "chains costs 498.00"}

    asyncio.run(run())
    assert shop.seen == []
    assert shop.bought == []
