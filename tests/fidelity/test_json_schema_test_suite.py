"""The JSON-Schema-Test-Suite, or a few cases in its layout: no difference, and a known reason for every refusal."""

from __future__ import annotations

import pytest

from tests.corpora import at_least, corpus
from tools.corpus.json_schema_suite import DRAFTS, measure_tools, measure_validator

NAME = "json_schema_test_suite"
SUITE = corpus(NAME)
FEWEST = {"draft2020-12": 1_200, "draft7": 900}
ELSEWHERE = {"remote-ref", "dangling-ref", "unknown-draft"}  # the schema refers to other documents


@pytest.mark.parametrize("optional", [False, True], ids=["required", "optional"])
@pytest.mark.parametrize("draft", DRAFTS)
def test_the_validator_agrees_with_the_suite(draft: str, optional: bool) -> None:
    score = measure_validator(SUITE, draft, optional)
    assert score.misses == []
    judged = sum(tally.tried for tally in score.tallies.values())
    assert judged >= at_least(NAME, 700 if optional else FEWEST[draft])


@pytest.mark.parametrize("draft", DRAFTS)
def test_generated_tools(draft: str) -> None:
    score = measure_tools(SUITE, draft)
    assert score.misses == []
    assert score["imported"].held >= at_least(NAME, 250)
    assert score["values unchanged"].held >= at_least(NAME, 2_000)
    assert score.refused.keys() <= ELSEWHERE
    assert sum(map(len, score.refused.values())) <= 24  # each refers to a document that does not exist
