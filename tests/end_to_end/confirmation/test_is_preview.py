"""`is_preview` in the gallery's responses is true for previews only."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.end_to_end.project import text_of


@pytest.mark.parametrize("era", ["auto", "legacy"])
def test_is_preview_is_true_for_previews_of_the_gallery(tmp_path: Any, era: Any) -> None:
    from mcp import Client

    from examples.tools import context
    from generated import catalog, mcp_server
    from tests.scopes import granting

    calls = {
        "create_purchase_order": {
            "supplier_id": 1,
            "location_id": 2,
            "order_number": "PO-2026-0005",
            "items": [{"sku": "PAD-DB1", "quantity": 24}],
        },
        "receive_purchase_order": {"order_number": "PO-2026-0004"},
        "create_manufacturing_order": {
            "order_number": "MO-2026-0003",
            "product_sku": "KIT-DRIVE",
            "quantity": 1,
        },
        "fulfill_order": {"order_number": "SO-2026-0002"},
        "write": {"path": "letters/new.txt", "text": "Hello\n"},
        "search_and_replace": {"search": "brake", "replacement": "break"},
    }

    async def run() -> None:
        toolkit = catalog.toolkit(context=context(tmp_path), config=granting())
        async with Client(mcp_server.build_server(toolkit), mode=era) as client:
            for name, arguments in calls.items():
                for _ in range(2):  # still a preview: nothing was done
                    result = await client.call_tool(name, arguments, meta={"toolgen/preview": True})
                    assert not result.is_error, text_of(result)
                    assert result.structured_content is not None
                    assert result.structured_content["is_preview"] is True
                    assert result.structured_content["message"]
                    assert json.loads(text_of(result)) == result.structured_content

    asyncio.run(run())
