"""A search finds the published tool that is meant. The figures are of the run that chose its weights."""

from __future__ import annotations

import json
import re

import pytest
from toolgen.language.lint.asks import FIRST
from toolgen.runtime.tool_search import SearchedTool, ToolSearch

from tests.corpora import at_least, corpus

TOOLS = "mcp_tools.public.jsonl"


@pytest.mark.parametrize(("without", "count"), [(False, 1_020), (True, 918)], ids=["whole", "without them"])
def test_first_sentences_of_descriptions_find_their_tool(without: bool, count: int) -> None:
    tools, queries = [], []
    for number, line in enumerate(corpus(TOOLS).read_text(encoding="utf-8").splitlines()):
        tool = json.loads(line)
        text = str(tool.get("description") or "")
        queries.append(re.split(r"(?<=[.!?])\s|\n", text.strip())[0])
        searched = text.replace(queries[-1], "", 1) if without else text
        # two servers may have tools of one name
        title = f"{tool['name']} {tool.get('title') or ''}"
        tools.append(SearchedTool(f"{number}", searched, tool["inputSchema"], title))
    with ToolSearch(tools) as search:
        hits = [tool.name in search.find(query, FIRST) for tool, query in zip(tools, queries, strict=True)]
    assert sum(hits) >= at_least(TOOLS, count)
