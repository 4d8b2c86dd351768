"""Checkpoints: saved atomically in the tool's own folder, which names cannot leave."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
from toolgen.runtime import Checkpoint, CheckpointError, ToolConfig

from tests.runtime.tool_factory import make_tool, run


async def counts(self: Any, request: Any, context: Any) -> Any:
    number = context.checkpoint.load("count", 0) + 1
    context.checkpoint.save("count", number)
    return number


def test_the_next_call_loads_the_saved_value(tmp_path: Path) -> None:
    config = ToolConfig(checkpoint=tmp_path / "state")
    assert [run(make_tool(counts), config=config).content for _ in range(3)] == [1, 2, 3]
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()] == [
        "state/x/count.json"
    ]


def test_without_a_checkpoint_folder_the_answer_is_missing_dependency() -> None:
    response = run(make_tool(counts))
    assert response.as_text() == (
        "Error [missing_dependency]: The application has not configured a checkpoint folder, which x needs."
    )


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


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text("1")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(OSError, match="symbolic"):
        Checkpoint(tmp_path, "x").load("a")
    Checkpoint(tmp_path, "x").save("a", 2)
    assert (tmp_path / "secret.json").read_text() == "1"


@pytest.mark.parametrize("data", [float("nan"), {1, 2}, object()])
def test_only_json_is_saved_and_a_failed_save_changes_nothing(tmp_path: Path, data: Any) -> None:
    checkpoint = Checkpoint(tmp_path, "x")
    checkpoint.save("a", {"n": 1})
    with pytest.raises(CheckpointError, match="is not JSON"):
        checkpoint.save("a", data)
    assert checkpoint.load("a") == {"n": 1}
    assert os.listdir(tmp_path / "x") == ["a.json"]


def test_a_damaged_checkpoint_is_reported(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "x")
    checkpoint.save("a", 1)
    (tmp_path / "x" / "a.json").write_text('{"half')
    with pytest.raises(CheckpointError, match="damaged"):
        checkpoint.load("a")


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


def test_concurrent_readers_see_whole_values(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, "x")
    values = [["a"] * 5000, ["b"] * 9000]
    checkpoint.save("v", values[0])

    def write() -> None:
        for turn in range(20):
            checkpoint.save("v", values[turn % 2])

    writers = [threading.Thread(target=write) for _ in range(3)]
    for each in writers:
        each.start()
    while any(each.is_alive() for each in writers):
        assert checkpoint.load("v") in values
    assert os.listdir(tmp_path / "x") == ["v.json"]
