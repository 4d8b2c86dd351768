"""Lint rules: each has a page, and its page's examples behave as it says."""

from __future__ import annotations

import re
from importlib import import_module
from textwrap import dedent
from typing import Any

import pytest
import yaml
from toolgen.data.codes import LINT
from toolgen.lint.linter import lint_catalogue
from toolgen.pipeline import bind

_EXAMPLES = re.compile(r"\n\nExample:\n\n(?P<wrong>.*?)\n\nUse instead:\n\n(?P<right>.*?)\n?\Z", re.DOTALL)
_TOOL_FIELDS = {"annotations", "confirm", "description", "examples", "output_schema", "stream"}
_SCHEMA_KEYWORDS = {"$schema", "additionalProperties", "properties", "required"}


def page(code: str) -> str:
    return import_module(f"toolgen.lint.rules.{code.replace('-', '_')}").__doc__ or ""


def spec(fragment: str) -> dict[str, Any]:
    """Return a whole spec with `fragment`: fields of a tool, keywords of its schema, or properties."""
    data = yaml.safe_load(fragment)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"order_id": {"type": "integer"}},
        "definitions": {"Money": {"type": "number"}},
    }
    tool = {"name": "example", "description": "An example.", "input_schema": schema}
    if data.keys() <= _TOOL_FIELDS:
        return {**tool, **data}
    schema.update(data if data.keys() <= _SCHEMA_KEYWORDS else {"properties": data})
    return tool


def warnings(fragment: str) -> set[str]:
    text = yaml.safe_dump(spec(fragment), sort_keys=False)
    program = bind({"example.yaml": text.encode()})
    return {each.code for each in [*program.warnings, *lint_catalogue(program.tools)]}


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
