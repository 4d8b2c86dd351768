"""Pipes and large files are refused as specs."""

from __future__ import annotations

import os
from pathlib import Path

from tests.bombs.documents import write_project
from tests.bombs.limited_process import toolgen


def test_a_pipe_is_refused_as_a_spec(tmp_path: Path) -> None:
    write_project(tmp_path, {"type": "object"})
    os.mkfifo(tmp_path / "specs/odd.yaml")
    done = toolgen("generate", folder=tmp_path)
    assert done.code == 2
    assert "unreadable-spec" in done.err


def test_a_spec_of_many_megabytes_is_refused_unread(tmp_path: Path) -> None:
    write_project(tmp_path)
    (tmp_path / "specs/bomb.yaml").write_text("name: bomb\ndescription: " + "x" * 30_000_000)
    done = toolgen("generate", folder=tmp_path)
    assert done.code == 2
    assert "too-complex" in done.err
    assert done.megabytes < 150
