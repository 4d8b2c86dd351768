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


def test_a_long_witness_is_cut_in_text_and_whole_in_json() -> None:
    value = {"note": "a" * 301}

    text = render([finding(value)], {}, color=False)

    assert f'{{"note": "{"a" * 290}… (--format json has all of it) was valid' in text
    assert findings_data([finding(value)])[0]["witness"]["value"] == value
