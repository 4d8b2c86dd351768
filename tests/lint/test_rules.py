"""Lint rules: each has a page, and its page's examples behave as it says."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from toolgen.cli.linting import lint_specs
from toolgen.language.codes import EVIDENCE, LINT, lint_codes
from toolgen.language.lint.linter import page
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings

from tests.lint.rule_pages import rules_page

SETTINGS = PackageSettings()
_EXAMPLES = re.compile(r"\n\nExample:\n\n(?P<wrong>.*?)\n\nUse instead:\n\n(?P<right>.*?)\n?\Z", re.DOTALL)
_TOOL_FIELDS = {
    *("annotations", "confirm", "description", "errors", "examples", "name", "output_schema", "stream"),
    "title",
}
_SCHEMA_KEYWORDS = {"$defs", "$schema", "additionalProperties", "properties", "required"}


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
