"""Names of generated code that importers lose: classes, fields, types."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolgen.changes.comparing.sides import read_sides
from toolgen.changes.python_names import find_name_changes
from toolgen.cli import main

BEFORE = """\
name: order
description: Order things.
input_schema:
  type: object
  properties:
    ship_to: {$ref: "#/$defs/Address"}
    items: {type: array, items: {$ref: "shared/shop.yaml#/$defs/Item"}}
  $defs:
    Address:
      type: object
      properties:
        zip_code: {type: string}
        kind: {enum: [a, b]}
output_schema: {type: object, properties: {total: {type: integer}}}
"""
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


def test_a_field_is_renamed_by_a_property_that_has_its_python_name(tmp_path: Path) -> None:
    before = SHARED.replace("{sku:", "{Sku:")
    found = changes(tmp_path, shared=("{Sku:", "{sku: {type: string}, Sku:"), before=before)
    assert found == ["field: Item.sku → Item.sku_2"]


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ("{type: integer}", "zip_code: int | None = None"),
        ("{type: array, items: {type: string}, default: []}", "zip_code: list[str] = []"),
    ],
)
def test_types_are_written_as_in_generated_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], schema: str, written: str
) -> None:
    found = changes(tmp_path, ("zip_code: {type: string}", f"zip_code: {schema}"))
    assert main(["-C", str(tmp_path), "generate"]) == 0
    capsys.readouterr()
    (change,) = found
    assert written in (tmp_path / "generated/models/order.py").read_text()
    assert change == f"type: Address.zip_code: str | None → Address.{written.partition(' = ')[0]}"


def test_a_renamed_tool_has_other_classes(tmp_path: Path) -> None:
    found = changes(tmp_path, ("name: order", "name: buy\naliases: [order]"))
    assert "class: order.OrderRequest → buy.BuyRequest" in found
    assert "class: order.OrderResponse → buy.BuyResponse" in found


def test_a_class_that_became_shared_can_still_be_imported(tmp_path: Path) -> None:
    inner = BEFORE[BEFORE.index("  $defs:") : BEFORE.index("output_schema")]
    definition = inner.replace("  $defs:\n", "").replace("    Address", "  Address").replace("\n  ", "\n")
    found = changes(
        tmp_path,
        (BEFORE, BEFORE.replace(inner, "").replace("#/$defs/Address", "shared/shop.yaml#/$defs/Address")),
        ("$defs:\n", f"$defs:\n{definition}"),
    )
    assert found == []
