"""What code uses of a client, read off its syntax tree."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import cast

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
CASES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "a call": ("await shop.order(when=1)", {"order-item": ["onDay"]}),
    "two calls": ("await shop.order()\nawait shop.order(when=1, x=2)", {"order-item": ["onDay", "x"]}),
    "arguments that nobody sees": ("await shop.order(**given)", {"order-item": ["*"]}),
    "the method itself": ("x = shop.pages(shop.order, when=1)", {"order-item": ["*"]}),
    "options": ("await shop.with_options(retries=1).order(when=2)", {"order-item": ["onDay"]}),
    "a stream": ("async for each in shop.lines():\n    print(each.text)", {"lines": []}),
    "a field of the name": ("print((await shop.order()).lines)", {"order-item": [], "lines": ["*"]}),
    "not a client": ("'a,b'.lines()\n", {}),
}


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES)
def test_uses(code: str, expected: dict[str, list[str]], tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(f"from shop import ShopClient\n{textwrap.dedent(code)}\n")
    found = find_uses(tmp_path, ["app.py"], METHODS, "shop")
    assert found == expected


def test_files_that_do_not_import_the_client_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("kitchen.order(when=1)\n")
    assert find_uses(tmp_path, ["."], METHODS, "shop") == {}


def test_the_files_of_the_client_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "client.py").write_text("import shop\nself.order(when=1)\n")
    assert find_uses(tmp_path, ["."], METHODS, "shop") == {}
