"""Names of generated code that importers lose: classes, fields, types."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolgen.changes.comparing.sides import read_sides
from toolgen.changes.python_names import find_name_changes

BEFORE = Path(__file__).with_name("python_names.yaml").read_text("utf-8")
SHARED = """\
$defs:
  Item:
    type: object
    properties: {sku: {type: string}}
"""


def changes(
    folder: Path,
    edit: tuple[str, str] = ("", ""),
    shared: tuple[str, str] = ("", ""),
    *,
    before: str = SHARED,
) -> list[str]:
    """Return what changes between the two versions: `kind: before → now`."""
    folder.mkdir(exist_ok=True)
    (folder / "toolgen.toml").write_text("")
    for side in ("old", "specs"):
        (folder / side / "shared").mkdir(parents=True)
    (folder / "old/order.yaml").write_text(BEFORE)
    (folder / "old/shared/shop.yaml").write_text(before)
    (folder / "specs/order.yaml").write_text(f"{BEFORE.replace(*edit)}timeout: 1\n")
    (folder / "specs/shared/shop.yaml").write_text(before.replace(*shared))
    found = read_sides("old", str(folder))
    old, new = found.old.contracts["order"], next(iter(found.new.contracts.values()))
    return [f"{each.kind}: {each.before} → {each.now}" for each in find_name_changes(old.python, new.python)]


def test_the_same_names(tmp_path: Path) -> None:
    assert changes(tmp_path, ("[a, b]", "[a, b, c]")) == []


def test_a_renamed_definition_is_a_renamed_class(tmp_path: Path) -> None:
    assert changes(tmp_path, ("Address", "Place")) == ["class: order.Address → order.Place"]


def test_a_renamed_shared_definition(tmp_path: Path) -> None:
    found = changes(tmp_path, ("$defs/Item", "$defs/Thing"), ("Item:", "Thing:"))
    assert found == ["class: shared.shop.Item → shared.shop.Thing"]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("zip_code: {type: string}", "zip_code: {type: integer}"), "Address.zip_code: int | None"),
        (("{total: {type: integer}}", "{total: {type: number}}"), "OrderResponse.total: int | float | None"),
    ],
)
def test_fields(tmp_path: Path, edit: tuple[str, str], expected: str) -> None:
    assert any(expected in each for each in changes(tmp_path, edit)), expected


def test_a_renamed_tool_has_other_classes(tmp_path: Path) -> None:
    found = changes(tmp_path, ("name: order", "name: buy\naliases: [order]"))
    assert "class: order.OrderRequest → buy.BuyRequest" in found
    assert "class: order.OrderResponse → buy.BuyResponse" in found
