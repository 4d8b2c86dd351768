"""Verdicts on single edits hold against samples, and the search for a refutation finds wrong verdicts."""

from __future__ import annotations

import pytest
from toolgen.proof.containment import Contained, check_containment

from tests.corpora import SAMPLE
from tools.breaking.cells import Cell, cells
from tools.breaking.corpora import mutations
from tools.breaking.pairs import pairs
from tools.breaking.proof import Check, judge
from tools.breaking.schema_edits import same_json
from tools.breaking.tally import Tally

SEED = 13


def judged(chosen: list[Cell], *, count: int, check: Check, sample_count: int = 20) -> Tally:
    tally = Tally()
    for cell in chosen:
        for pair in pairs(cell, seed=SEED, count=count):
            judge(pair, tally, sample_count=sample_count, check=check)
    return tally


@pytest.mark.parametrize("keyword", ["maximum", "maxLength", "required", "enum", "type"])
def test_samples_refute_one_who_calls_every_change_safe(keyword: str) -> None:
    chosen = [cell for cell in cells() if cell.keyword == keyword]
    assert judged(chosen, count=4, check=lambda narrow, wide: Contained()).refutations


def test_no_verdict_on_single_edits_is_refuted() -> None:
    tally = judged(list(cells()[::6]), count=1, check=check_containment, sample_count=12)
    assert tally.refutations == []
    assert tally.unanalysed <= 0.05 * tally.pairs


def test_edits_of_published_tools_are_judged_and_not_refuted() -> None:
    tally = Tally()
    for pair in mutations(SAMPLE, seed=SEED, per_schema=2):
        assert not same_json(pair.old, pair.new)
        judge(pair, tally, sample_count=8)
    assert tally.refutations == []
    assert tally.pairs > 20
