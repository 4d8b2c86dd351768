"""Fixture: a folder in which actions run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hermetic.helpers import Actions


@pytest.fixture
def actions(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Actions:
    """A folder with one shared schema and no tool."""
    found = Actions(tmp_path / "work", capsys)
    monkeypatch.chdir(found.root)
    return found
