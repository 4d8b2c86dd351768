"""Verdicts on single edits hold against samples, and the search for a refutation finds wrong verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolgen.changes.edit_space import Cell, Direction, Edit, cells
from toolgen.proof.containment import Contained, NotContained, Unanalysed, check_containment
from toolgen.schema.document import Draft

from tests.corpora import SAMPLE
from tools.breaking.corpora import mutations
from tools.breaking.pairs import pairs
from tools.breaking.peer_pairs import SCHEMA_PAIRS, TOOL_CHANGES, SchemaPair, ToolChange
from tools.breaking.peers import sides, verdict
from tools.breaking.proof import Check, judge
from tools.breaking.schema_edits import same_json
from tools.breaking.second_validator import Opinion, opinion_on
from tools.breaking.tally import Tally, read_tallies, write_tallies

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


@pytest.mark.parametrize(
    "change", TOOL_CHANGES, ids=lambda change: f"{change.direction.value}: {change.name}"
)
def test_changes_that_other_tools_are_compared_on(change: ToolChange) -> None:
    assert verdict(*sides(change)) == ("breaks" if change.breaks else "safe")


@pytest.mark.parametrize("pair", SCHEMA_PAIRS, ids=lambda pair: pair.name)
def test_pairs_that_other_tools_are_compared_on(pair: SchemaPair) -> None:
    assert verdict(pair.narrow, pair.wide) == ("safe" if pair.contained else "breaks")


def test_edits_of_published_tools_are_judged_and_not_refuted() -> None:
    tally = Tally()
    for pair in mutations(SAMPLE, seed=SEED, per_schema=2):
        assert not same_json(pair.old, pair.new)
        judge(pair, tally, sample_count=8)
    assert tally.refutations == []
    assert tally.pairs > 20


def test_figures_of_a_run_are_read_again(tmp_path: Path) -> None:
    cell = Cell("maximum", Edit.LOWERED, Direction.REQUEST)
    tally = judged([cell], count=4, check=lambda narrow, wide: Contained())
    judged_as = [Unanalysed("too much"), NotContained(101), Contained()]
    for verdict_of_pair in judged_as:
        tally.add(judged([cell], count=2, check=lambda narrow, wide, said=verdict_of_pair: said))
    assert tally.refutations
    assert tally.reasons == {"too much": 2}

    write_tallies(tmp_path / "figures.json", SEED, {cell: tally})

    assert read_tallies(tmp_path / "figures.json", SEED) == {cell: tally}
    with pytest.raises(ValueError, match="seed 13"):
        read_tallies(tmp_path / "figures.json", SEED + 1)


@pytest.mark.parametrize(
    ("witness", "wide", "opinion"),
    [
        (2, {"maximum": 1}, Opinion.AGREES),
        (1, {"maximum": 1}, Opinion.DISAGREES),
        ("%", {"$schema": Draft.DRAFT_7.value, "contentEncoding": "base64url"}, Opinion.AGREES),
        ({"a": 1}, {"dependencies": {"a": ["b"]}}, Opinion.AGREES),
        ("a", {"pattern": r"\p{Lu}"}, Opinion.CANNOT),
    ],
)
def test_another_validator_judges_witnesses(
    witness: object, wide: dict[str, object], opinion: Opinion
) -> None:
    assert opinion_on(witness, narrow={}, wide=wide) is opinion
