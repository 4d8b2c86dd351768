"""`make corpus` on servers of the corpus, and on calls with known results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.corpora import corpus, is_shared
from tools.corpus.mcp import measure_mcp

TOOLS = "mcp_tools.public.jsonl"
SERVERS = (
    ["redis", "server-everything", "server-filesystem"] if is_shared(TOOLS) else ["shop", "notes", "clock"]
)
pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.parametrize("source", SERVERS)
def test_servers_of_the_corpus_have_no_differences(source: str, tmp_path: Path) -> None:
    text = corpus(TOOLS).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if json.loads(line)["source"] == source]
    path = tmp_path / "tools.jsonl"
    path.write_text("\n".join(lines))
    score, made_up = measure_mcp(path)
    assert score.tools == len(lines) > 0
    assert score.misses == []
    assert made_up.tools >= score.tools
    assert made_up.misses == []
