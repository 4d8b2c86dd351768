"""Losing a guard is an error for the safety of users; gaining one concerns callers, or improves safety."""

from __future__ import annotations

import json
from typing import Any

import pytest
from toolgen.changes.comparing.sides import SpecFiles, compare_files
from toolgen.changes.comparison import compare
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.policy import Policy
from toolgen.cli.report.text import render

from tests.compat.cases import TODAY
from tests.samples import load_beside

DATA: dict[str, Any] = load_beside(__file__, "guards.yaml")


def side(label: str, fields: dict[str, Any]) -> SpecFiles:
    """Return a version of the tool of `guards.yaml`."""
    return SpecFiles(label, f"{label}/", {"pay.json": json.dumps({**DATA["base"], **fields})}, ())


def findings(edit: dict[str, Any]) -> tuple[Finding, ...]:
    """Return what `breaking` finds between both versions of an edit."""
    both = compare_files(side("old", edit["old"]), side("new", edit["new"]))
    return compare(both.old, both.new, policy=Policy(), today=TODAY)


def edits(*kinds: str) -> list[Any]:
    return [pytest.param(edit, id=edit["name"]) for kind in kinds for edit in DATA[kind]]


def test_there_are_fifty_edits_of_each_kind() -> None:
    assert len(DATA["weaken"]) >= 50
    assert len(DATA["strengthen"]) >= 50


@pytest.mark.parametrize("edit", edits("weaken", "strengthen", "other"))
def test_an_edit_of_guards_is_found(edit: dict[str, Any]) -> None:
    found = {
        each.code: each.level.value
        for each in findings(edit)
        if each.level.reaches(Level.WARNING) or each.code in (*edit["finds"], "safety-improved")
    }
    assert found == edit["finds"]


@pytest.mark.parametrize("edit", edits("weaken"))
def test_a_lost_guard_breaks_the_safety_of_users(edit: dict[str, Any]) -> None:
    lost = [each for each in findings(edit) if each.category is Category.SAFETY and each.level is Level.ERROR]
    assert lost
    assert "= breaks: safety of users" in render(lost, {})


@pytest.mark.parametrize("edit", edits("strengthen", "other"))
def test_no_other_edit_breaks_the_safety_of_users(edit: dict[str, Any]) -> None:
    assert "breaks: safety of users" not in render(findings(edit), {})
