"""`make breaking-peers`: the verdicts of toolgen and of its peers on the same changes, as a table.

With `--write`, the tables of `docs/breaking-proof.md` are replaced.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from toolgen.changes.edit_space import Direction
from toolgen.proof.containment import Contained, NotContained, check_containment

from tools.breaking.page import PAGE, replace_part
from tools.breaking.peer_pairs import SCHEMA_PAIRS, TOOL_CHANGES, SchemaPair, ToolChange
from tools.breaking.tables import as_markdown

PEERS_PYTHON: Final = Path(".venv-peers/bin/python")
_OF_TOOLS: Final = ("mcp-diff", "mcp-compat", "jsonsubschema", "jsoncompat")
_OF_SCHEMAS: Final = ("jsonsubschema", "jsoncompat")


def main(argv: Sequence[str]) -> int:
    answers = _ask([_tool_question(change) for change in TOOL_CHANGES])
    answers += _ask([_schema_question(pair) for pair in SCHEMA_PAIRS])
    of_tools, of_schemas = answers[: len(TOOL_CHANGES)], answers[len(TOOL_CHANGES) :]
    text = f"{_table_of_tools(of_tools)}\n\n{_table_of_schemas(of_schemas)}"
    print(text)
    if "--write" in argv:
        replace_part(PAGE, "peers", text)
    return 0


def sides(change: ToolChange) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the narrow and the wide schema of a change: those sent, and those that must be accepted."""
    return (change.old, change.new) if change.direction is Direction.REQUEST else (change.new, change.old)


def verdict(narrow: dict[str, Any], wide: dict[str, Any]) -> str:
    """Return toolgen's verdict in the words of the table."""
    match check_containment(narrow, wide):
        case Contained():
            return "safe"
        case NotContained():
            return "breaks"
    return "unanalysed"


def _tool_question(change: ToolChange) -> dict[str, Any]:
    key = "inputSchema" if change.direction is Direction.REQUEST else "outputSchema"
    base: dict[str, Any] = {"name": "order", "description": "Order.", "inputSchema": {"type": "object"}}
    tools = {"old": {**base, key: change.old}, "new": {**base, key: change.new}}
    narrow, wide = sides(change)
    pair = {"narrow": narrow, "wide": wide}
    return {"mcp-diff": tools, "mcp-compat": tools, "jsonsubschema": pair, "jsoncompat": pair}


def _schema_question(pair: SchemaPair) -> dict[str, Any]:
    return {peer: {"narrow": pair.narrow, "wide": pair.wide} for peer in _OF_SCHEMAS}


def _ask(questions: list[dict[str, Any]]) -> list[dict[str, str]]:
    script = Path(__file__).with_name("peer_answers.py")
    done = subprocess.run(
        [PEERS_PYTHON, script], input=json.dumps(questions), capture_output=True, text=True, check=True
    )
    answers: list[dict[str, str]] = json.loads(done.stdout)
    return answers


def _table_of_tools(answers: list[dict[str, str]]) -> str:
    rows = [["change", "truth", "toolgen", *_OF_TOOLS]]
    truths: list[str] = []
    for change, of_peers in zip(TOOL_CHANGES, answers, strict=True):
        truth = "breaks" if change.breaks else "safe"
        truths.append(truth)
        said = [verdict(*sides(change)), *(of_peers[peer] for peer in _OF_TOOLS)]
        rows.append(
            [f"{change.direction.value}: {change.name}", truth, *(_marked(each, truth) for each in said)]
        )
    return as_markdown([*rows, _sum(rows, truths)])


def _table_of_schemas(answers: list[dict[str, str]]) -> str:
    rows = [["pair", "truth", "toolgen", *_OF_SCHEMAS]]
    truths: list[str] = []
    for pair, of_peers in zip(SCHEMA_PAIRS, answers, strict=True):
        truth = "safe" if pair.contained else "breaks"
        truths.append(truth)
        said = [verdict(pair.narrow, pair.wide), *(of_peers[peer] for peer in _OF_SCHEMAS)]
        rows.append([pair.name, truth, *(_marked(each, truth) for each in said)])
    return as_markdown([*rows, _sum(rows, truths)])


def _marked(said: str, truth: str) -> str:
    return said if said == truth else f"**{said}**"


def _sum(rows: list[list[str]], truths: list[str]) -> list[str]:
    columns = range(2, len(rows[0]))
    right = [sum(row[at] == truth for row, truth in zip(rows[1:], truths, strict=True)) for at in columns]
    return [f"right, of {len(truths)}", "", *map(str, right)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
