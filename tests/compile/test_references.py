"""`[mcp] references`: which tools MCP publishes with their references inlined."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolgen.compile.pipeline import bind
from toolgen.compile.publishing.definition import choose_references
from toolgen.language.package import PackageSettings
from toolgen.language.program import ProgramTool

INLINE = PackageSettings(mcp_references="inline")
AMOUNT: dict[str, Any] = {"type": "string", "description": "An amount.", "pattern": "^[0-9]+$"}


def chosen(
    settings: PackageSettings, definitions: dict[str, Any], *, header: str = "", uses: int = 2, **fields: Any
) -> ProgramTool:
    """Return a tool whose arguments refer `uses` times to the first of `definitions`."""
    reference = {"$ref": f"#/$defs/{next(iter(definitions))}"}
    properties = {f"p{number}": reference for number in range(uses)}
    closed = {"type": "object", "additionalProperties": False, "properties": properties}
    spec = {
        "name": "pay",
        "description": "Pay an amount of money to somebody, at once.",
        "input_schema": {**closed, "$defs": definitions},
        **fields,
    }
    (tool,) = choose_references(bind({"pay.yaml": (header + json.dumps(spec)).encode()}), settings).tools
    return tool


def test_references_are_inlined_if_the_configuration_says_so() -> None:
    assert chosen(INLINE, {"Amount": AMOUNT}).inline
    assert not chosen(PackageSettings(), {"Amount": AMOUNT}).inline


@pytest.mark.parametrize("inline", [True, False])
def test_a_spec_decides_for_itself(inline: bool) -> None:
    # the option is in the definition of the tool already
    tool = chosen(INLINE, {"Amount": AMOUNT}, targets={"mcp": {"inline": inline}})
    assert (tool.inline, tool.warnings) == (False, ())


def test_an_imported_spec_keeps_its_references() -> None:
    header = "# Imported by `toolgen import mcp` from shop; with --sync, it follows its source.\n"
    assert not chosen(INLINE, {"Amount": AMOUNT}, header=header).inline


def test_a_tool_that_more_than_doubles_keeps_its_references_with_a_warning() -> None:
    long = {**AMOUNT, "description": "An amount of money. " * 20}
    tool = chosen(INLINE, {"Amount": long}, uses=8)
    assert not tool.inline
    (warning,) = tool.warnings
    assert warning.code == "references-kept"
    assert "characters instead of" in warning.message
    assert chosen(INLINE, {"Amount": long}, uses=8, targets={"mcp": {"inline": True}}).warnings == ()
