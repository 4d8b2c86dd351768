"""What `make release` refuses, and the notes that it writes. The build is tried by `make test-wheel`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools.release import NotReadyError, build, refuse_uncommitted, release_notes

CHANGELOG = "# Changelog\n\n## 1.1.0 - 2026-11-22\n\n- A tool ends.\n\n## 1.1.0rc1\n\n- A candidate.\n"


def test_a_version_without_notes_is_refused() -> None:
    with pytest.raises(NotReadyError, match=r"no section '## 1\.1'"):
        release_notes(CHANGELOG, "1.1")


def commit(folder: Path) -> None:
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@example.org commit -qm first"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)


def test_files_that_are_not_committed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("1\n")
    commit(tmp_path)
    refuse_uncommitted(tmp_path)
    (tmp_path / "two.py").write_text("2\n")
    with pytest.raises(NotReadyError, match=r"two\.py"):
        refuse_uncommitted(tmp_path)


@pytest.mark.wheel
def test_the_same_commit_gives_the_same_wheel(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "one"\nversion = "1"\n[tool.setuptools]\npy-modules = ["one"]\n'
    )
    (source / "one.py").write_text("1\n")
    commit(source)
    (first, _), (second, _) = (build(source, tmp_path / name) for name in ("a", "b"))
    assert first.name == "one-1-py3-none-any.whl"
    assert first.read_bytes() == second.read_bytes()
