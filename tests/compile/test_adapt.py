"""Warnings about losses of dialects and about request limits, and which projects get them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.request_limits import exceeded_request_limits, tool_summary
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.package import PackageSettings

from tests.models.helpers import TARGETS

SPEC = Path(__file__).with_name("adapt_spec.yaml").read_text("utf-8")
CONFIGURED_TARGETS = tuple(replace(target, asked=True) for target in TARGETS)


def warnings_of(text: str, targets: tuple = TARGETS) -> list[str]:  # type: ignore[type-arg]
    warnings = analyze({"tool.yaml": text}, targets).warnings
    return [f"{each.span.line} {each.message}" for each in warnings]


def test_a_target_that_is_not_configured_gives_no_warning() -> None:
    assert warnings_of(SPEC.replace("NAME", "do")) == []


PATTERN = "7 gemini: there is no `pattern`; toolgen still enforces it"


def test_a_target_gives_warnings_if_the_configuration_or_the_spec_names_it() -> None:
    assert warnings_of(SPEC.replace("NAME", "do"), CONFIGURED_TARGETS) == [PATTERN]
    assert warnings_of(SPEC.replace("NAME", "do") + "targets: {gemini: {}}\n") == [PATTERN]
    assert warnings_of(SPEC.replace("NAME", "do") + "targets: {openai: {}}\n") == []


def many_tools(count: int, more: str = "") -> dict[str, bytes | str]:
    return {f"t{n:03}.yaml": SPEC.replace("NAME", f"t{n:03}") + more for n in range(count)}


def request_warnings(texts: dict[str, bytes | str], targets: tuple = CONFIGURED_TARGETS) -> list[Diagnostic]:  # type: ignore[type-arg]
    tools = lower(analyze(texts, targets), PackageSettings()).tools
    return list(exceeded_request_limits([tool_summary(tool, targets) for tool in tools], targets))


@pytest.mark.parametrize(("count", "lines"), [(128, 0), (129, 1)])
def test_too_many_tools_for_one_request(count: int, lines: int) -> None:
    found = request_warnings(many_tools(count))
    assert [each.span.file for each in found] == ["t128.yaml"] * lines
    assert all("openai: one request takes 128 tools" in each.message for each in found)
    assert request_warnings(many_tools(count), TARGETS) == []


EXAMPLES = Path(__file__).with_name("adapt.yaml").read_text("utf-8")


def test_an_example_that_the_published_schema_refuses_is_left_out() -> None:
    program = analyze({"tool.yaml": EXAMPLES}, CONFIGURED_TARGETS)
    published = program.tools[0].published
    assert published["anthropic"].input_examples == ({"word_": "a", "n": 1},)
    assert [each.input_examples for name, each in published.items() if name != "anthropic"] == [()] * 4
    left_out = "anthropic: this example is left out, since the published schema does not accept it"
    assert [each.span.line for each in program.warnings if each.message == left_out] == [13]
    assert f"13 {left_out}" not in warnings_of(EXAMPLES)


OUTPUT = """\
output_schema:
  type: object
  properties: {order: {type: string, pattern: "^PO-"}}
"""


def order(**word: str) -> dict[str, object]:
    return {"type": "object", "properties": {"order": {"type": "string", **word}}}


def test_output_schemas_are_published_and_losses_in_them_reported() -> None:
    text = SPEC.replace("NAME", "do") + OUTPUT
    published = analyze({"tool.yaml": text}, TARGETS).tools[0].published
    assert published["openai"].output_schema == order(pattern="^PO-")
    assert published["gemini"].output_schema == order(description='(pattern: "^PO-")')
    assert [published[name].output_schema for name in ("mcp", "anthropic", "bedrock")] == [None] * 3
    assert warnings_of(text) == []
    in_output = "10 gemini: there is no `pattern`; toolgen still enforces it"
    assert warnings_of(text, CONFIGURED_TARGETS) == [PATTERN, in_output]
    without = analyze({"tool.yaml": text + "targets: {gemini: {output_schema: false}}\n"}, TARGETS)
    assert without.tools[0].published["gemini"].output_schema is None
    assert [each.span.line for each in without.warnings] == [7]
