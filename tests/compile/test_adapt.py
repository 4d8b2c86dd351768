"""Warnings about losses of dialects and about request limits, and which projects get them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.request_limits import exceeded_request_limits
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.package import PackageSettings
from toolgen.pipeline import analyze, compile_project
from toolgen.schema.providers import PROVIDERS
from toolgen.targets.builtin import DIALECTS

from tests.models.helpers import TARGETS

SPEC = """\
name: {name}
description: Do it.
input_schema:
  type: object
  additionalProperties: false
  properties:
    word: {{type: string, pattern: "^x"}}
"""
CONFIGURED_TARGETS = tuple(replace(target, asked=True) for target in TARGETS)


def warnings_of(text: str, targets: tuple = TARGETS) -> list[str]:  # type: ignore[type-arg]
    warnings = analyze({"tool.yaml": text}, targets).warnings
    return [f"{each.span.line} {each.message}" for each in warnings]


def test_a_target_that_is_not_configured_gives_no_warning() -> None:
    assert warnings_of(SPEC.format(name="do")) == []


PATTERN = "7 gemini: there is no `pattern`; toolgen still enforces it"


def test_a_target_gives_warnings_if_the_configuration_or_the_spec_names_it() -> None:
    assert warnings_of(SPEC.format(name="do"), CONFIGURED_TARGETS) == [PATTERN]
    assert warnings_of(SPEC.format(name="do") + "targets: {gemini: {}}\n") == [PATTERN]
    assert warnings_of(SPEC.format(name="do") + "targets: {openai: {}}\n") == []


def test_losses_of_strict_mode_for_bedrock_are_reported() -> None:
    text = SPEC.replace('pattern: "^x"', "maxLength: 3").format(name="do")
    assert warnings_of(text + "targets: {bedrock: {strict: true}}\n") == [
        "7 bedrock: strict mode cannot say `maxLength`; toolgen still enforces it"
    ]


def many_tools(count: int, more: str = "") -> dict[str, bytes | str]:
    return {f"t{n:03}.yaml": SPEC.format(name=f"t{n:03}") + more for n in range(count)}


def request_warnings(texts: dict[str, bytes | str], targets: tuple = CONFIGURED_TARGETS) -> list[Diagnostic]:  # type: ignore[type-arg]
    return list(exceeded_request_limits(lower(analyze(texts, targets), PackageSettings()).tools, targets))


@pytest.mark.parametrize(("count", "lines"), [(128, 0), (129, 1)])
def test_too_many_tools_for_one_request(count: int, lines: int) -> None:
    found = request_warnings(many_tools(count))
    assert [each.span.file for each in found] == ["t128.yaml"] * lines
    assert all("openai: one request takes 128 tools" in each.message for each in found)
    assert request_warnings(many_tools(count), TARGETS) == []


def test_strict_tools_share_a_budget() -> None:
    found = request_warnings(many_tools(25, "targets: {anthropic: {strict: true}}\n"), TARGETS)
    assert [(each.span.file, each.message.partition(";")[0]) for each in found] == [
        ("t020.yaml", "anthropic: one request takes 20 strict tools"),
        ("t024.yaml", "anthropic: one request takes 24 optional properties of strict tools"),
    ]


def test_request_limits_are_reported_with_and_without_cache() -> None:
    texts, cache = many_tools(21, "targets: {bedrock: {strict: true}}\n"), dict[str, bytes]()
    first, second = (compile_project(texts, TARGETS, PackageSettings(), cache).warnings for _ in range(2))
    assert first == second
    assert [each.code for each in first] == ["provider-limit"]


def test_every_provider_with_schema_limits_is_a_dialect() -> None:
    assert set(DIALECTS) >= PROVIDERS.keys()
