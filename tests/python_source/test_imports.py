"""Imports are sorted as ruff would sort them."""

from __future__ import annotations

import pytest
from toolgen.compile.printing.format import format_tree
from toolgen.compile.python_source.imports import import_from


@pytest.mark.parametrize(
    "names",
    [
        ["IssuingCardholder", "IssuingCardShipping", "IssuingCard"],
        ["InvoiceTaxAmount", "InvoicesLineItems", "InvoiceLine"],
        ["A10", "A9", "a9", "A09", "AB", "Ab", "aB"],
        ["TOOLS", "Tool", "tool_class", "T", "toolClass", "_tool", "Éclair", "éclair"],
    ],
    ids=" ".join,
)
def test_imported_names_are_in_the_order_of_ruff(names: list[str]) -> None:
    code = f"{import_from('package.module', names)}\n\n__all__ = {sorted(names)}\n"
    assert format_tree({"a.py": code}, ["a.py"])["a.py"].partition("\n\n")[0] == code.partition("\n\n")[0]
