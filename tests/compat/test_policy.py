"""The policy: levels of rules, accepted changes, and what fails."""

from __future__ import annotations

import pytest
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.policy import Acceptance, Policy, apply_policy, failing
from toolgen.changes.policy_file import parse_acceptances
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.source import Span

from .cases import TODAY, finding

PLACE = Span("breaking.toml", 1, 1)


def fails(*findings: Finding, level: Level = Level.ERROR, allow: bool = False) -> list[str]:
    return [each.code for each in failing(findings, level, list(Category), allow_unanalysed=allow)]


def test_the_level_of_a_rule_can_be_set() -> None:
    (lower,) = apply_policy([finding()], Policy(levels={"scope-added": Level.INFO}), TODAY)
    assert lower.level is Level.INFO
    assert apply_policy([finding()], Policy(levels={"scope-added": Level.OFF}), TODAY) == ()


def test_an_undecided_change_cannot_be_turned_off() -> None:
    undecided = finding("unanalysed", level=Level.WARNING)
    assert fails(*apply_policy([undecided], Policy(levels={"unanalysed": Level.OFF}), TODAY)) == [
        "unanalysed"
    ]


@pytest.mark.parametrize(
    "other", [{"tool": "buy"}, {"code": "scope-removed"}, {"pointer": "/auth"}, {"fingerprint": "0" * 12}]
)
def test_an_entry_for_something_else_accepts_nothing(other: dict[str, str]) -> None:
    entry = Acceptance(**{"code": "scope-added", "tool": "order", "reason": "so", "span": PLACE, **other})  # type: ignore[arg-type]
    found = apply_policy([finding()], Policy(acceptances=(entry,)), TODAY)
    assert [each.code for each in found] == ["scope-added", "acceptance-unused"]
    assert fails(*found) == ["scope-added"]


ENTRY = '[[accept]]\ncode = "scope-added"\ntool = "order"\nreason = "so"\n'


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        (f"{ENTRY}\n[[accept]]\ncode = 'scope-aded'\ntool = 'a'\nreason = 'b'\n", "unknown-setting", 7),
        (f"{ENTRY}expires = 'soon'\n", "invalid-setting", 5),
        ("[[accept]\n", "invalid-toml", 1),
    ],
)
def test_faults_in_the_file_of_accepted_changes_have_a_place(text: str, code: str, line: int) -> None:
    with pytest.raises(SpecErrors) as refused:
        parse_acceptances("breaking.toml", text)
    assert (code, line) in [(each.code, each.span.line) for each in refused.value.diagnostics]
