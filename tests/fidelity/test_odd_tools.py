"""Tools with unusual or invalid definitions, through all of toolgen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.corpus.mcp import measure_mcp
from tools.corpus.mocks import MockScore

OTHERWISE = {  # differences in what is published, as docs/fidelity.md says
    "app: anyroot": "inputSchema",  # no `type: object`: clients refuse the whole list
    "app: bools": "inputSchema",  # boolean properties: the TypeScript SDK refuses the whole list
    "refs: ref_dangling": "inputSchema",  # a reference to nothing: so it does
    "root: noschema_type": "inputSchema",
    "root: emptyschema": "inputSchema",
    "root: nullprops": "inputSchema",
    "root: reqnull": "inputSchema",
    "root: type_arr": "inputSchema",
    "root: type_null": "inputSchema",
    "meta: anns3": "annotations",  # null and text for a hint: clients refuse the whole list
    "meta: anns5": "annotations",
    "out: out_arr": "outputSchema",  # not an object: omitted for clients up to 2025-11-25
    "out: out_ref": "outputSchema",
    "dups: dup": "inputSchema",  # two tools of one name
}


def is_otherwise(line: str) -> bool:
    """True for a tool that is published with differences."""
    tool = json.loads(line)
    return f"{tool['source']}: {tool['name']}" in OTHERWISE


@pytest.mark.parametrize("each", [4, pytest.param(1, marks=pytest.mark.slow)], ids=["a fourth", "all"])
def test_odd_tools(tmp_path: Path, each: int) -> None:
    lines = Path(__file__).with_name("odd_tools.jsonl").read_text(encoding="utf-8").splitlines()
    tried = [line for number, line in enumerate(lines) if number % each == 0 or is_otherwise(line)]
    (tmp_path / "odd_tools.jsonl").write_text("\n".join(tried), encoding="utf-8")
    mocks = MockScore("odd_tools.jsonl")
    score, made_up = measure_mcp(tmp_path / "odd_tools.jsonl", mocks=mocks)
    assert score["imported"].held == score.tools == len(tried)
    misses = score["published identical"].misses
    missed = {": ".join(miss.split(": ")[:2]): miss.rpartition(" ")[2] for miss in misses}
    assert missed == OTHERWISE
    assert made_up.misses == []
    assert made_up["values unchanged"].held >= 8 * len(tried)
    assert mocks.answers.misses == []
    assert mocks.answers.held >= 1.7 * len(tried)
