"""The findings on public corpora that were drawn at random and judged one by one."""

from __future__ import annotations

import json
from pathlib import Path

from toolgen.data.codes import lint_codes

ROWS = [json.loads(line) for line in Path(__file__).with_name("false_alarms.jsonl").read_text().splitlines()]


def test_a_hundred_findings_have_a_verdict_and_its_reason() -> None:
    assert len(ROWS) == 100
    assert all(row["rule"] in lint_codes() and row["why"] for row in ROWS)
    assert {row["verdict"] for row in ROWS} == {"stands", "disputed"}


def test_at_most_three_are_disputed() -> None:
    assert sum(row["verdict"] == "disputed" for row in ROWS) <= 3
