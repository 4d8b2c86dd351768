"""Every example of every spec, with the real implementation, has the stated result."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml
from toolgen.runtime import ToolResponse

from examples.store import database, schema
from examples.store.reader import Reader
from examples.tools import context
from generated import catalog
from tests import scopes
from tests.runtime.tool_factory import code_of

SPECS = Path(__file__).parents[2] / "specs"
TOOLS: list[dict[str, Any]] = [
    yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader) for path in sorted(SPECS.glob("[!.]*.yaml"))
]
EXAMPLES = [(tool, example) for tool in TOOLS for example in tool["examples"]]


def call(folder: Path, name: str, arguments: dict[str, Any], **more: Any) -> ToolResponse:
    toolkit = catalog.toolkit(context=context(folder))
    return asyncio.run(scopes.call(toolkit, name, arguments, **more))


def label(value: dict[str, Any]) -> str:
    return str(value["name"])


@pytest.mark.parametrize(("tool", "example"), EXAMPLES, ids=label)
def test_an_example_has_its_stated_result(
    tmp_path: Path, tool: dict[str, Any], example: dict[str, Any]
) -> None:
    response = call(tmp_path, tool["name"], example["input"])
    if "error" in example:
        assert code_of(response) == example["error"]
        assert response.error.hint
    else:
        assert response.error is None
        assert response.content == example["output"]


def test_destructive_tools_have_confirm_and_others_are_annotated_read_only() -> None:
    for tool in TOOLS:
        hints = tool["annotations"]
        assert not (hints["readOnlyHint"] and hints["destructiveHint"])
        assert ("confirm" in tool) == hints["destructiveHint"]


def test_sql_query_describes_the_tables_as_they_are(tmp_path: Path) -> None:
    description = next(tool for tool in TOOLS if tool["name"] == "sql_query")["description"]
    reader = Reader(database.database(tmp_path))
    for table in schema.REPORTING_TABLES:
        columns = reader.ask(f"SELECT * FROM {table}", (), 1).columns
        assert f"- {table}({', '.join(columns)})" in description
