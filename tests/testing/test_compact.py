"""Neighbours in few lines: written as the difference from their example, and read back whole."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from toolgen.testing.outcomes.compact import compacted, digest, expanded, holds, pack, unpack
from toolgen.testing.outcomes.recorded import RecordedOutcomes
from toolgen.testing.outcomes.varying import VARIES
from toolgen.testing.tool_under_test import ExpectedCall, Neighbour

from tests.testing.shop import PLACE, Shop, tool

OUTPUT = {"items": ["a", "b"], "total": 2, "message": "Found 2 items."}
EXAMPLE = ExpectedCall("all", {"query": "brake", "limit": 10}, PLACE, True, OUTPUT)


def entry(arguments: dict[str, Any], **outcome: Any) -> dict[str, Any]:
    """Return what is written of a call near the example, which has to be the same when it is read."""
    neighbour = Neighbour("all", arguments, outcome)
    written: dict[str, Any] = json.loads(json.dumps(compacted(neighbour, EXAMPLE, {})))
    read = expanded("all", written, EXAMPLE, {})
    assert read.arguments == arguments
    assert holds(read.outcome, outcome)
    assert not holds(read.outcome, {**outcome, "metadata": {"other": True}})
    return written


@pytest.mark.parametrize(
    ("arguments", "outcome", "written"),
    [
        (
            {"query": "BRAKE", "limit": 10},
            {"output": OUTPUT},
            {"with": {"query": "BRAKE"}, "same_output": True},
        ),
        ({"query": "brake"}, {"output": OUTPUT}, {"without": ["limit"], "same_output": True}),
        (
            {"query": "brake", "limit": 1},
            {"output": {**OUTPUT, "items": ["a"]}},
            {"with": {"limit": 1}, "changed": {"items": ["a"]}},
        ),
        (
            {"query": "?", "limit": 10},
            {"error": {"code": "no_words", "message": "No words."}},
            {"with": {"query": "?"}, "error": {"code": "no_words", "message": "No words."}},
        ),
    ],
)
def test_a_call_is_written_as_its_difference(
    arguments: dict[str, Any], outcome: dict[str, Any], written: dict[str, Any]
) -> None:
    assert entry(arguments, **outcome) == written


def test_of_a_long_outcome_a_summary_is_written() -> None:
    items = [f"item {number}" for number in range(90)]

    written = entry({"query": "item", "limit": 90}, output={**OUTPUT, "items": items, "total": 90})

    assert written["gives"] == "items [90], total 90"
    assert len(written["sha256"]) == 16


def test_what_varies_in_a_long_outcome_is_not_compared() -> None:
    recorded = digest({"output": {"at": f"10:{VARIES}", "left": 3}}, {})

    assert recorded["varies"] == ["/output/at"]
    assert holds(recorded, {"output": {"at": "11:30", "left": 3}})
    assert not holds(recorded, {"output": {"at": "11:30", "left": 4}})


@pytest.mark.parametrize("text", ["brake " * 40, "x" * 12_000, "brake pads " * 40 + "br"])
def test_a_long_text_that_repeats_itself_is_written_as_its_part(text: str) -> None:
    packed = pack({"with": [text]})

    assert len(json.dumps(packed)) < 100
    assert unpack(packed) == {"with": [text]}


def test_texts_are_not_broken_at_their_commas() -> None:
    message = 'Order "A, B", of three lines, exists already, with id 5, and cannot be made a second time, or a third.'
    example = ExpectedCall("first", {"sku": "tyre"}, PLACE)
    neighbour = Neighbour("first", {"sku": "bell"}, {"error": {"code": "twice", "message": message}})
    tested = tool(Shop, examples=(example,))

    text = RecordedOutcomes(tested, {"first": {}}, [neighbour]).as_text()

    assert json.loads(text)["neighbours"]["first"][0]["error"]["message"] == message
    assert max(map(len, text.splitlines())) <= 130


def test_a_long_text_that_repeats_a_long_part_takes_little_memory() -> None:
    part = "".join(f"line {number} of the note. " for number in range(400))
    text = part + part
    tracemalloc.start()
    try:
        packed = pack(text)
        assert unpack(packed) == text
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert len(packed["__repeated__"]) == len(part)
    assert peak < 1_000_000


@pytest.mark.parametrize("length", [10**12, -1, "20"])
def test_an_impossible_length_of_a_repeated_text_is_refused(length: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        unpack({"__repeated__": "brake ", "length": length})


def test_a_repeated_text_without_a_part_is_refused() -> None:
    with pytest.raises(ValueError, match="not a repeated text"):
        unpack({"__repeated__": "", "length": 20})
