"""A sample of `make adversary`."""

from __future__ import annotations

from pathlib import Path

from tests.approval.adversary import attack


async def test_nobody_acts_without_a_person(tmp_path: Path) -> None:
    it = await attack(tmp_path, 60)
    assert it.tries["acts that people signed, done once"]
