"""Checkpoints: saved atomically in the tool's own database."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolgen.runtime import Checkpoint, CheckpointError


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "/etc/passwd", ".hidden", "a\0", "x" * 101, "a\n"]
)
def test_a_checkpoint_name_cannot_leave_the_folder(tmp_path: Path, name: str) -> None:
    checkpoint = Checkpoint(tmp_path / "state", "x")
    for use in (
        lambda: checkpoint.save(name, 1),
        lambda: checkpoint.load(name),
        lambda: checkpoint.delete(name),
    ):
        with pytest.raises(CheckpointError, match="not a valid name of a checkpoint"):
            use()
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_checkpoint_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").write_text("half of a database")
    with pytest.raises(CheckpointError, match="the checkpoints of x cannot be used: file is not a database"):
        Checkpoint(tmp_path, "x").load("a")


def test_a_change_inside_an_update_is_refused(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "x")
    checkpoint.save("a", 1)
    assert checkpoint.update("b", lambda _: checkpoint.load("a")) == 1
    with pytest.raises(CheckpointError, match="'a' is changed inside an update of x"):
        checkpoint.update("b", lambda _: checkpoint.save("a", 2))


def test_names_and_delete(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "x")
    assert checkpoint.names() == []
    for name in ("b", "a.1"):
        checkpoint.save(name, None)
    assert checkpoint.names() == ["a.1", "b"]
    checkpoint.delete("b")
    checkpoint.delete("b")
    assert checkpoint.names() == ["a.1"]
    assert checkpoint.load("b", "none") == "none"


def test_an_update_that_raises_changes_nothing_and_releases_the_lock(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "x")
    checkpoint.save("a", 1)
    with pytest.raises(ZeroDivisionError):
        checkpoint.update("a", lambda number: number / 0)
    with pytest.raises(CheckpointError, match="is not JSON"):
        checkpoint.update("a", lambda number: {number})
    assert checkpoint.load("a") == 1
    assert checkpoint.update("a", lambda number: number + 1) == 2
