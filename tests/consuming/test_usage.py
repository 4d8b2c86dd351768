"""What code uses of a client, read off its syntax tree."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from toolgen.compile.printing.client_source import ClientMethod
from toolgen.upstream.consumers.usage import find_uses


@dataclass
class Parameter:
    name: str
    wire_name: str


@dataclass
class Method:
    name: str
    listed_name: str
    parameters: tuple[Parameter, ...] = (Parameter("when", "onDay"),)


METHODS = cast("list[ClientMethod]", [Method("order", "order-item"), Method("lines", "lines")])
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "a field": ("o = await shop.order(when=1)\nprint(o.id)", {"order-item": (["onDay"], ["id"])}),
    "a field of each item": (
        "o = await shop.order()\nfor line in o.lines:\n    print(line.sku, line.price.net)",
        {"order-item": ([], ["lines[].price.net", "lines[].sku"])},
    ),
    "a comprehension": (
        "o = await shop.order()\nx = [each.sku for each in o.lines]",
        {"order-item": ([], ["lines[].sku"])},
    ),
    "a field at once": ("print((await shop.order()).id)", {"order-item": ([], ["id"])}),
    "an index": ("o = await shop.order()\nprint(o.lines[0].sku)", {"order-item": ([], ["lines[].sku"])}),
    "nothing of it": ("await shop.order(when=1)", {"order-item": (["onDay"], [])}),
    "passed on": ("o = await shop.order()\nsave(o)", {"order-item": ([], ["*"])}),
    "a part is passed on": ("o = await shop.order()\nsave(o.lines)", {"order-item": ([], ["lines"])}),
    "returned": ("async def f():\n    return await shop.order()", {"order-item": ([], ["*"])}),
    "in an inner function": (
        "o = await shop.order()\ndef f():\n    return o.id",
        {"order-item": ([], ["id"])},
    ),
    "arguments that nobody sees": ("await shop.order(**given)", {"order-item": (["*"], [])}),
    "the method itself": ("x = shop.pages(shop.order, when=1)", {"order-item": (["*"], ["*"])}),
    "options": ("await shop.with_options(retries=1).order(when=2)", {"order-item": (["onDay"], [])}),
    "a stream": (
        "async for each in shop.lines():\n    print(each.text)",
        {"lines": ([], ["text"])},
    ),
    "two responses of one name": (
        "o = await shop.order()\nprint(o.id)\no = await shop.lines()\nprint(o.id)",
        {"order-item": ([], ["*"]), "lines": ([], ["*"])},
    ),
    "not a client": ("'a,b'.lines()\n", {}),
}


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES)
def test_uses(code: str, expected: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(f"from shop import ShopClient\n{textwrap.dedent(code)}\n")
    found = find_uses(tmp_path, ["app.py"], METHODS, "shop")
    assert {name: (sorted(use.arguments), sorted(use.fields)) for name, use in found.items()} == expected


def test_files_that_do_not_import_the_client_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("kitchen.order(when=1)\n")
    assert find_uses(tmp_path, ["."], METHODS, "shop") == {}


def test_the_files_of_the_client_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "client.py").write_text("import shop\nself.order(when=1)\n")
    assert find_uses(tmp_path, ["."], METHODS, "shop") == {}
