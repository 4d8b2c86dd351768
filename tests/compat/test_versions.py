"""Versions: their order, and the bump that changes ask for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from toolgen.changes.comparison import Bump, Version, wanted_bump
from toolgen.changes.finding import Category, Finding, Level

from .cases import finding


def version(text: str) -> Version:
    found = Version.parse(text)
    assert found is not None
    return found


def test_versions_are_ordered_as_semver_says() -> None:
    # https://semver.org, section 11
    texts = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2"]
    texts += ["1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.9.0", "1.10.0", "2.0.0-1", "2.0.0"]
    versions = [version(text) for text in texts]
    assert all(one < other for one, other in pairwise(versions))
    assert version("1.0.0+build") == version("1.0.0")


@pytest.mark.parametrize(
    ("before", "after", "bump"),
    [
        ("1.2.3", "2.0.0", Bump.MAJOR),
        ("1.2.3", "1.2.4", Bump.PATCH),
        ("1.2.3", "1.2.3", Bump.NONE),
        ("2.0.0-rc.1", "2.0.0-rc.2", Bump.MAJOR),
    ],
)
def test_the_bump_between_two_versions(before: str, after: str, bump: Bump) -> None:
    assert version(before).bump_to(version(after)) is bump


BREAK = finding()
ADDITION = finding(level=Level.INFO)
TEXT = finding(level=Level.WARNING, category=Category.AGENT)


@pytest.mark.parametrize(
    ("findings", "stable", "below_one"),
    [
        ([], Bump.NONE, Bump.NONE),
        ([ADDITION, TEXT], Bump.MINOR, Bump.PATCH),
        ([BREAK, ADDITION], Bump.MAJOR, Bump.MINOR),
        ([finding(category=Category.SOURCE)], Bump.MAJOR, Bump.MINOR),
        ([finding("unanalysed", Level.WARNING)], Bump.MAJOR, Bump.MINOR),
        ([finding(accepted="nobody uses it")], Bump.MINOR, Bump.PATCH),
    ],
)
def test_findings_ask_for_a_bump(findings: list[Finding], stable: Bump, below_one: Bump) -> None:
    assert wanted_bump(findings, version("1.4.2")) is stable
    assert wanted_bump(findings, version("0.4.2")) is below_one
