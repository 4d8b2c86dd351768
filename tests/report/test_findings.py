"""Findings of `breaking` as text."""

from __future__ import annotations

from toolgen.changes.finding import Witness
from toolgen.cli.report.json import findings_data
from toolgen.cli.report.text import render

from tests.compat.cases import finding


def test_a_long_witness_is_cut_in_text_and_whole_in_json() -> None:
    value = {"note": "a" * 301}
    found = finding("limit-tightened", witness=Witness(value, accepted_by="old"))

    text = render([found], {}, color=False)

    assert f'{{"note": "{"a" * 290}… (--format json has all of it) was valid' in text
    assert findings_data([found])[0]["witness"]["value"] == value
