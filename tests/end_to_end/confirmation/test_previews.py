"""Previews can be requested without asking the user."""

from __future__ import annotations

import pytest

from tests.end_to_end.project import ERAS, Project, error_code, text_of
from tests.end_to_end.purchase_tool import shop_of


@pytest.mark.parametrize("on_unsupported", ["deny", "two_step"])
@ERAS
async def test_a_client_that_cannot_ask_gets_the_preview(
    project: Project, era: str, on_unsupported: str
) -> None:
    shop = shop_of(project, on_unsupported=on_unsupported)

    async with project.stdio_client(era) as client:
        result = await client.call_tool("buy", {"what": "chains"})
        assert error_code(result) == "confirmation_required"
        shown = {"message": "Buy chains?", "preview": "chains costs 498.00"}
        assert result.meta["toolgen/error"]["details"] == shown
        assert text_of(result).endswith("Nothing was done. Preview:\nchains costs 498.00")
        confirmation = result.meta.get("toolgen/confirmation")
        assert (confirmation is None) is (on_unsupported == "deny")
        assert confirmation is None or shown.items() <= confirmation.items()
    assert shop.bought == []


@ERAS
async def test_an_mcp_client_requests_a_preview_in_meta(project: Project, era: str) -> None:
    shop = shop_of(project)

    async with project.stdio_client(era, elicitation_callback=shop.ask) as client:
        result = await client.call_tool("buy", {"what": "chains"}, meta={"toolgen/preview": True})
        assert "chains costs 498.00" in text_of(result)
        assert result.meta["toolgen/preview"] is True
        # Clients refuse a success without structured content: the tool has an output schema.
        assert result.meta["toolgen/error"]["details"] == {"preview": "chains costs 498.00"}
    assert shop.seen == []
    assert shop.bought == []


async def test_a_long_preview_is_cut(project: Project) -> None:
    shop = shop_of(project)
    shop.price = "9" * 30_000

    async with project.stdio_client("auto") as client:
        result = await client.call_tool("buy", {"what": "chains"})
        preview = "chains costs " + "9" * 30_000
        shown = result.meta["toolgen/error"]["details"]["preview"]
        assert shown.startswith(f"{preview[:20_000]}\n[cut: the first 20000 of 30013 characters; SHA-256")
        assert shown in text_of(result)
    assert shop.bought == []
