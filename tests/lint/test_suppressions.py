"""Suppressions in specs: they need a rule, a reason and a finding, and nobody is sent them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from toolgen.cli.linting import LintResult, lint_specs
from toolgen.compile.pipeline import analyze, bind, without_suppressed_warnings
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings

TOOL = {"name": "do_it", "title": "Do it", "description": "Start the nightly export of all orders."}


def lint(text: str | Mapping[str, str], **options: Any) -> LintResult:
    texts = {"a.yaml": text} if isinstance(text, str) else text
    return lint_specs(texts, (), PackageSettings(), **options)


def spec(schema: Mapping[str, Any], **fields: Any) -> str:
    hints = {"annotations": {"readOnlyHint": True}}
    return yaml.safe_dump({**TOOL, **hints, **fields, "input_schema": schema}, sort_keys=False)


def test_a_finding_is_suppressed_beside_its_schema_with_the_reason() -> None:
    node = {"type": "array", "description": "Names.", "x-lint": {"ignore": {"array-without-items": "any"}}}
    (entry,) = lint(spec({"type": "object", "properties": {"names": node}})).report.entries
    assert (entry.code, entry.accepted) == ("array-without-items", "any")


def test_a_suppression_concerns_only_the_schema_that_it_is_in() -> None:
    inside = {"type": "array", "description": "A.", "x-lint": {"ignore": {"array-without-items": "any"}}}
    outside = {"type": "array", "description": "B."}
    schema = {"type": "object", "properties": {"inside": inside, "outside": outside}}
    entries = lint(spec(schema)).report.entries
    assert [each.accepted for each in entries] == ["any", ""]


@pytest.mark.parametrize(
    ("ignored", "code"),
    [
        ({"title-missing": "no client shows it"}, "unused-suppression"),
        ({"title-mising": "no client shows it"}, "invalid-suppression"),
        ({"title-missing": " "}, "invalid-suppression"),
        ({"unused-suppression": "why not"}, "invalid-suppression"),
    ],
)
def test_a_suppression_that_ignores_nothing_is_a_finding(ignored: dict[str, str], code: str) -> None:
    found = lint(spec({"type": "object"}, **{"x-lint": {"ignore": ignored}})).report.entries
    assert [each.code for each in found] == [code]


def test_it_is_never_published() -> None:
    note = {"x-lint": {"ignore": {"array-without-items": "any"}}}
    schema = {"type": "object", "properties": {"names": {"type": "array", "x-unit": "each", **note}}}
    (tool,) = analyze({"a.yaml": spec(schema, **note)}, ()).tools
    assert tool.input_schema["properties"] == {"names": {"type": "array", "x-unit": "each"}}
    assert tool.spec.extensions == {}


def test_other_commands_do_not_count_what_is_suppressed() -> None:
    note = {"x-lint": {"ignore": {"unenforced-format": "our own"}}}
    text = spec({"type": "object", "properties": {"a": {"type": "string", "format": "nick", **note}}})
    program = bind({"a.yaml": text})
    assert len(program.warnings) == 1
    assert without_suppressed_warnings(program).warnings == ()


def test_the_innermost_folder_decides_the_level() -> None:
    folders = {"specs": {"title-missing": "off"}, "specs/own": {"title-missing": "error"}}
    texts = {
        "own/a.yaml": spec({"type": "object"}, title=None).replace("title: null\n", ""),
        "b.yaml": spec({"type": "object"}, name="other", title=None).replace("title: null\n", ""),
    }
    report = lint(texts, lint=LintSettings(folders=folders)).report
    found = [(each.code, each.severity, each.span.file) for each in report.entries]
    assert ("title-missing", "error", "specs/own/a.yaml") in found
    assert not [each for each in found if each[0] == "title-missing" and each[2] == "specs/b.yaml"]
    assert report.failed
