"""`make journeys` runs them; here is only checked that each is what its README promises."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

JOURNEYS = sorted((Path(__file__).parent.parent / "tools/journeys").glob("*/journey.toml"))
KEYS = {"title", "seconds", "environment", "background", "steps"}


def test_there_are_fifteen() -> None:
    assert len(JOURNEYS) == 15


@pytest.mark.parametrize("path", JOURNEYS, ids=lambda path: path.parent.name)
def test_a_journey_is_short_and_ends_with_a_proof(path: Path) -> None:
    journey = tomllib.loads(path.read_text("utf-8"))
    commands = [step for step in journey["steps"] if "run" in step]
    assert set(journey) <= KEYS
    assert journey["seconds"] <= 90
    assert 3 <= len(commands) <= 6
    assert commands[-1].get("says") or commands[-1].get("exits"), "the last command shows that it worked"
    for step in journey["steps"]:
        if "edit" in step:
            assert (path.parent / "files/later" / step["edit"]).is_file()
        else:
            assert set(step) <= {"run", "says", "exits"}
