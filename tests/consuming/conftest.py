"""Fixtures: a server's project, and a consumer beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.project import Project

ORDER = Path(__file__).with_name("order.yaml").read_text("utf-8")
STOCK = """
    name: stock
    description: Count what is there.
    input_schema: {type: object, additionalProperties: false, required: [sku], properties: {sku: {type: string}}}
    output_schema: {type: object, required: [count], properties: {count: {type: integer}}}
"""
APP = """
    from shop import ShopClient


    async def main(shop: ShopClient) -> None:
        order = await shop.order(sku="A")
        print(order.state)
"""


class Consumer(Project):
    """The project of the server, with the consumer in the folder `app`."""

    def client(self, *words: str) -> str:
        """Write the client of the consumer; return what the command prints."""
        done = self.toolgen("client", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def edit(self, path: str, before: str, after: str) -> None:
        """Replace a text in a file, which must have it."""
        file = self.root / path
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after))


def lock_of(shop: Consumer) -> dict[str, Any]:
    """Return the lock of the consumer."""
    found: dict[str, Any] = json.loads((shop.root / "app/toolgen.lock").read_text())
    return found


@pytest.fixture
def shop(tmp_path: Path) -> Consumer:
    made = Consumer(tmp_path, {"TOOLGEN_CACHE_DIR": str(tmp_path / "cache")})
    made.write("toolgen.toml", 'output = "generated"\n\n[server]\nname = "shop"\n')
    made.write("specs/order.yaml", ORDER)
    made.write("specs/stock.yaml", STOCK)
    made.write("app/main.py", APP)
    return made
