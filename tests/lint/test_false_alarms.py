"""The findings on public corpora that were drawn at random and judged one by one."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from toolgen.language.codes import lint_codes

from tests.corpora import corpus, is_shared
from tools.corpus import lint

DRAWS = ["false_alarms.jsonl", "false_alarms_by_rule.jsonl"]


def rows(draw: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(__file__).with_name(draw).read_text().splitlines()]


@pytest.mark.parametrize("draw", DRAWS)
def test_a_hundred_findings_have_a_verdict_and_its_reason(draw: str) -> None:
    assert len(rows(draw)) == 100
    assert all(row["rule"] in lint_codes() and row["why"] for row in rows(draw))
    assert {row["verdict"] for row in rows(draw)} == {"stands", "disputed"}


@pytest.mark.parametrize("draw", DRAWS)
def test_at_most_three_are_disputed(draw: str) -> None:
    assert sum(row["verdict"] == "disputed" for row in rows(draw)) <= 3


def test_the_documentation_counts_every_rule_that_was_drawn() -> None:
    text = (Path(__file__).parents[2] / "docs/lint.md").read_text()
    table = re.findall(r"^\| `([a-z-]+)` \| ([\d,]+) \| ([\d,]+) \|$", text, re.MULTILINE)
    counts = {rule: int(mcp.replace(",", "")) + int(openai.replace(",", "")) for rule, mcp, openai in table}
    drawn = Counter(row["rule"] for row in rows("false_alarms_by_rule.jsonl"))
    assert drawn.keys() == counts.keys()
    # drawn in turn: a rule has fewer than another one only if it has no more findings
    assert all(number == counts[rule] or number >= max(drawn.values()) - 1 for rule, number in drawn.items())
    disputed = sum(row["verdict"] == "disputed" for row in rows("false_alarms_by_rule.jsonl"))
    assert f"A maintainer would dispute {disputed} of these" in text


@pytest.mark.slow
def test_the_documentation_has_the_largest_tools(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = is_shared("mcp_tools.public.jsonl")
    monkeypatch.setattr(lint, "SHARED", corpus("mcp_tools.public.jsonl").parent)
    lint.print_largest(10 if whole else 3)
    printed = capsys.readouterr().out.splitlines()
    documented = (Path(__file__).parents[2] / "docs/lint.md").read_text().splitlines()
    assert [line for line in (printed if whole else printed[:2]) if line not in documented] == []
    text = "\n".join(printed)
    sizes = [int(size.replace(",", "")) for size in re.findall(r"^\| `.*?` \| ([\d,]+)", text, re.MULTILINE)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == (10 if whole else 3)
