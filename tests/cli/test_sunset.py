"""`check` fails after the sunset of a deprecated tool; `generate` and calls do not."""

from __future__ import annotations

import pytest

from .conftest import SPEC, Cli

DEPRECATED = SPEC.format(name="greet") + "deprecated: {replaced_by: hello, sunset: 2026-06-30}\n"


@pytest.fixture
def configured(empty: Cli) -> Cli:
    (empty.root / "toolgen.toml").write_text("")
    return empty


@pytest.fixture
def project(configured: Cli) -> Cli:
    configured.spec("greet", DEPRECATED)
    assert configured("generate").code == 0
    return configured


@pytest.mark.parametrize("again", [False, True], ids=["first", "from the cache"])
def test_check_fails_after_the_last_day(project: Cli, again: bool) -> None:
    if again:
        project("check", "--today", "2026-07-01")

    on_the_day = project("check", "--today", "2026-06-30")
    after = project("check", "--today", "2026-07-01")

    assert on_the_day.code == 0
    assert after.code == 1
    assert "error[sunset-passed] greet was to stop working after 2026-06-30" in after.err
    assert "greet.yaml:15:" in after.err


def test_check_looks_at_the_calendar_without_the_flag(project: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1793491200")  # 2026-11-01

    assert project("check").code == 1
