"""The fixture of the shop."""

from __future__ import annotations

import pytest
from toolgen.sources.mcp_client import bounded_stdio

from tests.cli.conftest import Cli, empty, own_cache

from .shop import SPECS, Shop

__all__ = ["empty", "own_cache", "shop"]


@pytest.fixture
def shop(empty: Cli, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setattr(bounded_stdio, "GRACE_SECONDS", 0.2)
    (empty.root / "toolgen.toml").write_text("")
    for name, text in SPECS.items():
        empty.spec(name, text)
    shop = Shop(empty)
    shop.listing.write_text(empty("export", "mcp").out)
    return shop
