"""A project of two tools and a shared file, for an editor."""

from __future__ import annotations

from pathlib import Path

import pytest

FIND = Path(__file__).with_name("find.yaml").read_text("utf-8")

PLACE = Path(__file__).with_name("place.yaml").read_text("utf-8")

SHOP = Path(__file__).with_name("shop.yaml").read_text("utf-8")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project without findings."""
    root = tmp_path / "shop"
    (root / "specs/schemas").mkdir(parents=True)
    (root / "toolgen.toml").write_text('specs = "specs"\n[mcp]\nreferences = "inline"\n')
    (root / "specs/find_orders.yaml").write_text(FIND)
    (root / "specs/place_order.yaml").write_text(PLACE)
    (root / "specs/schemas/shop.yaml").write_text(SHOP)
    return root
