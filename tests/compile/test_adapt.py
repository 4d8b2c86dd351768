"""What is told of dialects and limits, and to whom."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toolgen.compile.lower import lower
from toolgen.compile.request_limits import exceeded_request_limits
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.package import PackageSettings
from toolgen.pipeline import analyze, compile_project
from toolgen.schema.providers import PROVIDERS
from toolgen.targets.builtin import DIALECTS

from tests.models.kit import TARGETS

SPEC = """\
name: {name}
description: Do it.
input_schema:
  type: object
  additionalProperties: false
  properties:
    word: {{type: string, pattern: "^x"}}
"""
ASKED = tuple(replace(target, asked=True) for target in TARGETS)


def told(text: str, targets: tuple = TARGETS) -> list[str]:  # type: ignore[type-arg]
    warnings = analyze({"tool.yaml": text}, targets).warnings
    return [f"{each.span.line} {each.message}" for each in warnings]


def test_what_nobody_asked_for_is_not_told() -> None:
    assert told(SPEC.format(name="do")) == []


PATTERN = "7 gemini: there is no `pattern`; toolgen still enforces it"


def test_a_target_is_asked_for_in_the_configuration_or_in_the_spec() -> None:
    assert told(SPEC.format(name="do"), ASKED) == [PATTERN]
    assert told(SPEC.format(name="do") + "targets: {gemini: {}}\n") == [PATTERN]
    assert told(SPEC.format(name="do") + "targets: {openai: {}}\n") == []


def test_strict_mode_of_bedrock_says_what_it_loses() -> None:
    text = SPEC.replace('pattern: "^x"', "maxLength: 3").format(name="do")
    assert told(text + "targets: {bedrock: {strict: true}}\n") == [
        "7 bedrock: strict mode cannot say `maxLength`; toolgen still enforces it"
    ]


def many(count: int, more: str = "") -> dict[str, bytes | str]:
    return {f"t{n:03}.yaml": SPEC.format(name=f"t{n:03}") + more for n in range(count)}


def crowded(texts: dict[str, bytes | str], targets: tuple = ASKED) -> list[Diagnostic]:  # type: ignore[type-arg]
    return list(exceeded_request_limits(lower(analyze(texts, targets), PackageSettings()).tools, targets))


@pytest.mark.parametrize(("count", "lines"), [(128, 0), (129, 1)])
def test_too_many_tools_for_one_request(count: int, lines: int) -> None:
    found = crowded(many(count))
    assert [each.span.file for each in found] == ["t128.yaml"] * lines
    assert all("openai: one request takes 128 tools" in each.message for each in found)
    assert crowded(many(count), TARGETS) == []


def test_strict_tools_share_a_budget() -> None:
    found = crowded(many(25, "targets: {anthropic: {strict: true}}\n"), TARGETS)
    assert [(each.span.file, each.message.partition(";")[0]) for each in found] == [
        ("t020.yaml", "anthropic: one request takes 20 strict tools"),
        ("t024.yaml", "anthropic: one request takes 24 optional properties of strict tools"),
    ]


def test_generate_tells_it_whatever_the_cache_knows() -> None:
    texts, cache = many(21, "targets: {bedrock: {strict: true}}\n"), dict[str, bytes]()
    first, second = (compile_project(texts, TARGETS, PackageSettings(), cache).warnings for _ in range(2))
    assert first == second
    assert [each.code for each in first] == ["provider-limit"]


def test_every_limit_of_schemas_is_a_targets() -> None:
    assert set(DIALECTS) >= PROVIDERS.keys()
