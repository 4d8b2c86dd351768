"""Verdicts on single edits hold against samples, and the search for a refutation finds wrong verdicts."""

from __future__ import annotations

import pytest
from toolgen.changes.edit_space import Direction, Edit
from toolgen.proof.containment import Contained, NotContained, check_containment

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


def test_every_cell_has_pairs_of_different_schemas() -> None:
    for cell in cells():
        (pair,) = pairs(cell, seed=SEED, count=1)
        assert not same_json(pair.old, pair.new)


def test_the_same_seed_makes_the_same_pairs() -> None:
    cell = Cell("anyOf", Edit.ENTRY_ADDED, Direction.RESPONSE)
    first, again = ([(p.old, p.new) for p in pairs(cell, seed=SEED, count=5)] for _ in range(2))
    other = [(p.old, p.new) for p in pairs(cell, seed=SEED + 1, count=5)]
    assert first == again
    assert first != other


@pytest.mark.parametrize("keyword", ["maximum", "maxLength", "required", "enum", "type"])
def test_samples_refute_one_who_calls_every_change_safe(keyword: str) -> None:
    chosen = [cell for cell in cells() if cell.keyword == keyword]
    assert judged(chosen, count=4, check=lambda narrow, wide: Contained()).refutations


def test_a_witness_that_both_schemas_treat_alike_is_refuted() -> None:
    chosen = [Cell("title", Edit.CHANGED, Direction.REQUEST)]
    tally = judged(chosen, count=3, check=lambda narrow, wide: NotContained("a"))
    assert [case.said for case in tally.refutations].count("no witness") == 3


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
