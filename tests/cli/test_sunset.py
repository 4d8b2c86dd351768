"""`check` fails after the sunset of a deprecated tool; `generate` and calls do not."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import SPEC, Cli

DEPRECATED = SPEC.replace("NAME", "greet") + "deprecated: {replaced_by: hello, sunset: 2026-06-30}\n"


@pytest.fixture
def configured(empty: Cli) -> Cli:
    (empty.root / "toolgen.toml").write_text("")
    return empty


@pytest.fixture
def project(configured: Cli) -> Cli:
    configured.spec("greet", DEPRECATED)
    assert configured("generate").code == 0
    return configured


ON_THE_DAY, AFTER = "1782777600", "1782864000"  # 2026-06-30 and 2026-07-01 in UTC


@pytest.mark.parametrize("again", [False, True], ids=["first", "from the cache"])
def test_check_fails_after_the_last_day(project: Cli, again: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(day: str) -> Any:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        return project("check")

    if again:
        check(AFTER)

    on_the_day, after = check(ON_THE_DAY), check(AFTER)

    assert on_the_day.code == 0
    assert after.code == 1
    assert "error[sunset-passed] greet was to stop working after 2026-06-30" in after.err
    assert "greet.yaml:15:" in after.err
