"""How often a search finds the tool that is meant, among the published tools of a corpus.

`toolgen budget`, `toolgen search` and the lint rule `unfindable-ask` search in the same way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolgen.language.lint.asks import FIRST, search_asks
from toolgen.project.building.project_build import program_of, read_inputs
from toolgen.runtime.tool_search import SearchedTool, ToolSearch, searched_tool

GALLERY = Path(__file__).parents[2]
DISTRACTORS = 1000
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")


def findability_table(path: Path) -> str:
    """Return a table of how often a tool is found, for the MCP tools in `path`: one a line."""
    tools = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    whole = [_searched(number, tool, _description(tool)) for number, tool in enumerate(tools)]
    sentences = [_SENTENCE.split(_description(tool).strip())[0] for tool in tools]
    without = [
        _searched(number, tool, _description(tool).replace(sentence, "", 1))
        for number, (tool, sentence) in enumerate(zip(tools, sentences, strict=True))
    ]
    asks = search_asks(program_of(read_inputs(str(GALLERY))).tools, among=whole[:DISTRACTORS])
    found = sum(each.is_found for each in asks)
    rows = [
        (f"asks of the gallery, among its tools and {len(whole[:DISTRACTORS]):,} others", found, len(asks)),
        ("first sentences of descriptions", _found(whole, sentences), len(tools)),
        ("the same, and descriptions are searched without them", _found(without, sentences), len(tools)),
    ]
    lines = [f"| search for | finds the tool among the first {FIRST} |", "| --- | --- |"]
    return "\n".join(
        [*lines, *(f"| {what} | {n:,} of {of:,} ({n / of * 100:.0f} %) |" for what, n, of in rows)]
    )


def _found(tools: Sequence[SearchedTool], queries: Sequence[str]) -> int:
    with ToolSearch(tools) as search:
        return sum(
            tool.name in {each.name for each in search.find(query, FIRST)}
            for tool, query in zip(tools, queries, strict=True)
        )


def _description(tool: dict[str, Any]) -> str:
    return str(tool.get("description") or "")


def _searched(number: int, tool: dict[str, Any], description: str) -> SearchedTool:
    found = searched_tool(tool["name"], description, tool["inputSchema"], title=tool.get("title"))
    # two servers may have tools of one name
    return SearchedTool(f"{number}", f"{found.name} {found.title}", found.description, found.parameters)
