"""The JSON-Schema-Test-Suite, or a few cases in its layout: no difference, and a known reason for every refusal."""

from __future__ import annotations

import pytest

from tests.corpora import at_least, corpus
from tools.corpus.compiled_tools import compile_tools
from tools.corpus.json_schema_suite import DRAFTS, as_property, measure_tools, measure_validator

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


def test_a_schema_moves_with_its_references() -> None:
    schema = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$id": "https://e.com/b", "items": {"$ref": "#"}}}}
    moved = as_property({**schema, "items": {"$ref": "#"}}, DRAFTS["draft2020-12"])
    inner = moved["properties"]["v"]
    assert inner["items"] == {"$ref": "#/properties/v"}
    assert inner["$defs"]["a"] == {"$ref": "#/properties/v/$defs/b"}
    assert inner["$defs"]["b"] == schema["$defs"]["b"]


def test_refusals_are_reported_one_by_one() -> None:
    schemas = {
        "good": {"type": "object"},
        "bad": {"type": "object", "properties": {"v": {"type": "text"}}},
        "far": {"type": "object", "properties": {"v": {"$ref": "https://example.com/s.json"}}},
    }
    with compile_tools("fidelity_refusals", schemas) as (tools, refused):
        assert set(tools) == {"good"}
        assert {name: fault.code for name, fault in refused.items()} == {
            "bad": "unknown-type",
            "far": "remote-ref",
        }


def test_references_are_relative_to_the_nearest_id() -> None:
    schema = {
        "type": "object",
        "$id": "https://example.com/a/root.json",
        "properties": {"v": {"$ref": "/b/d.json"}, "w": {"$ref": "c.json#/$defs/inner"}},
        "$defs": {
            "c": {"$id": "c.json", "$defs": {"inner": {"$ref": "../b/d.json"}}},
            "d": {"not": {"$defs": {"d": {"$id": "../b/d.json", "type": "integer"}}}},
        },
    }
    with compile_tools("fidelity_ids", {"t": schema}) as (tools, refused):
        assert refused == {}
        request = tools["t"].check_inputs({"v": 1, "w": 2})
        assert request.model_dump(exclude_unset=True) == {"v": 1, "w": 2}
