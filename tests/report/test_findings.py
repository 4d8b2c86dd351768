"""Findings of `breaking` as text."""

from __future__ import annotations

from typing import Any

from toolgen.changes.finding import Category, Finding, Level, Places, Witness
from toolgen.cli.report.json import findings_data
from toolgen.cli.report.text import render


def finding(witness: Any) -> Finding:
    return Finding(
        code="limit-tightened",
        category=Category.WIRE,
        level=Level.ERROR,
        direction=None,
        tool="order",
        pointer="/input_schema",
        message="'maxLength' lowered",
        hint="",
        places=Places(None, None),
        detail="",
        witness=Witness(witness, accepted_by="old"),
    )


def test_a_long_witness_is_abridged_in_text_and_whole_in_json() -> None:
    value = {"note": "a" * 301, "ids": list(range(100)), "sku": "AAA-0"}

    text = render([finding(value)], {}, color=False)

    assert '"note": "aaaaaaaaaa… (301 characters)", "ids": [0, 1, 2, "… (100 items)"], "sku": "AAA-0"' in text
    assert findings_data([finding(value)])[0]["witness"]["value"] == value
