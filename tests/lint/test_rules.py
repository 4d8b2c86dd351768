"""Lint rules: each has a page, and its page's examples behave as it says."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from toolgen.cli.linting import lint_specs
from toolgen.language.codes import EVIDENCE, LINT, lint_codes
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings

from tests.lint.rule_pages import rules_page
from tests.models.helpers import TARGETS

SETTINGS = PackageSettings()
_EXAMPLES = re.compile(r"\n\nExample:\n\n(?P<wrong>.*?)\n\nUse instead:\n\n(?P<right>.*?)\n?\Z", re.DOTALL)
_TOOL_FIELDS = {
    *("annotations", "confirm", "description", "errors", "examples", "name", "output_schema", "stream"),
    "title",
}
_SCHEMA_KEYWORDS = {"$defs", "$schema", "additionalProperties", "properties", "required"}


def page(code: str) -> str:
    return import_module(f"toolgen.language.lint.rules.{code.replace('-', '_')}").__doc__ or ""


def spec(fragment: str) -> dict[str, Any]:
    """Return a whole spec with `fragment`: fields of a tool, keywords of its schema, or properties."""
    data = yaml.safe_load(fragment)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"order_id": {"type": "integer"}},
    }
    if "#/definitions/" in fragment:
        schema["definitions"] = {"Money": {"type": "number"}}
    tool = {"name": "example", "description": "An example.", "input_schema": schema}
    if data.keys() <= _TOOL_FIELDS and not isinstance(data.get("name"), dict):
        return {**tool, **data}
    schema.update(data if data.keys() <= _SCHEMA_KEYWORDS else {"properties": data})
    return tool


def warnings(fragment: str) -> set[str]:
    data = yaml.safe_load(fragment)
    tools = (
        [{**tool, "input_schema": {"type": "object"}} for tool in data["tools"]] if "tools" in data else []
    )
    specs = {f"{tool['name']}.yaml": tool for tool in tools} or {"example.yaml": spec(fragment)}
    texts = {path: yaml.safe_dump(each, sort_keys=False).encode() for path, each in specs.items()}
    every_rule = LintSettings(rules=dict.fromkeys(lint_codes(), "warning"))
    return {entry.code for entry in lint_specs(texts, (), SETTINGS, every_rule).report.entries}


@pytest.mark.parametrize("code", sorted(LINT))
def test_the_page_names_the_code_and_both_examples(code: str) -> None:
    assert page(code).startswith(f"{code}: ")
    assert _EXAMPLES.search(page(code))


@pytest.mark.parametrize("code", sorted(LINT))
def test_the_rule_warns_about_the_example_and_not_about_its_replacement(code: str) -> None:
    found = _EXAMPLES.search(page(code))
    assert found
    assert code in warnings(dedent(found["wrong"]))
    assert code not in warnings(dedent(found["right"]))


@pytest.mark.parametrize("code", sorted(lint_codes()))
def test_the_rule_states_its_evidence(code: str) -> None:
    kind, _, source = lint_codes()[code].evidence.partition(": ")
    assert kind in EVIDENCE
    assert source


def test_the_document_has_every_rule(record: bool) -> None:
    """`pytest --record` writes it."""
    document = Path(__file__).parents[2] / "docs" / "lint-rules.md"
    if record:
        document.write_text(rules_page(), encoding="utf-8", newline="\n")
    assert document.read_text(encoding="utf-8") == rules_page()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"lost-reference"}),
        ({"targets": {"mcp": {"inline": True}}}, set()),
        ({"targets": {"mcp": {"inline": False}}}, {"lost-reference"}),
    ],
)
@pytest.mark.parametrize("configured", ["keep", "inline"])
def test_a_reference_is_not_lost_where_mcp_publishes_none(
    options: dict[str, Any], expected: set[str], configured: str
) -> None:
    schema = {
        "type": "object",
        "properties": {"price": {"$ref": "#/$defs/Money", "description": "In euros."}},
        "$defs": {"Money": {"type": "number"}},
    }
    tool = {"name": "buy", "description": "Buy an article.", "input_schema": schema, **options}
    settings = PackageSettings(mcp_references=configured)
    entries = lint_specs({"buy.yaml": yaml.safe_dump(tool)}, TARGETS, settings).report.entries
    if configured == "inline" and not options:
        expected = set()
    assert {each.code for each in entries} & {"lost-reference"} == expected


def test_a_destructive_tool_that_says_that_it_asks_is_believed() -> None:
    hint = {"annotations": {"destructiveHint": True}}
    silent = yaml.safe_dump({"description": "Delete an access rule.", **hint})
    says = yaml.safe_dump(
        {"description": "Delete a rule. Confirmation required: the first call asks.", **hint}
    )
    only_named = yaml.safe_dump({"description": "Delete a confirmation.", **hint})
    found = ["destructive-unconfirmed" in warnings(each) for each in (silent, says, only_named)]
    assert found == [True, False, True]


def test_an_argument_with_a_maximum_limits_a_result() -> None:
    orders = {"type": "array", "items": {"type": "object"}}
    result = {"output_schema": {"type": "object", "properties": {"orders": orders}}}

    def found(argument: dict[str, Any], *, reads: bool = True) -> bool:
        schema = {"type": "object", "properties": {"k": argument}}
        tool = {"name": "a", "description": "Find orders.", "input_schema": schema, **result}
        tool["annotations"] = {"readOnlyHint": reads}
        entries = lint_specs({"a.yaml": yaml.safe_dump(tool)}, (), SETTINGS).report.entries
        return "unbounded-result" in {each.code for each in entries}

    assert found({"type": "integer"})
    assert not found({"type": "integer", "maximum": 50})
    assert not found({"type": "number", "maximum": 50})
    lines = {"type": "array", "items": {"type": "object"}}
    assert found(lines)
    assert not found(lines, reads=False)  # one result for each line
