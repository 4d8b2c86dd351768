"""`toolgen changelog`: what changed between two commits."""

from __future__ import annotations

from pathlib import Path

import pytest
from toolgen.cli import main

from .repository import Repository, spec


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository in which a tool was changed, then another added, and then one removed in the work tree."""
    files = {"toolgen.toml": "", "specs/a.yaml": spec("a"), "specs/b.yaml": spec("b")}
    repository = Repository.create(tmp_path_factory.mktemp("changelog") / "r", files)
    repository.git("tag", "v1")
    repository.write({"specs/a.yaml": spec("a", "timeout: 5\n")})
    repository.commit("v2")
    repository.write({"specs/c.yaml": spec("c")})
    repository.commit()
    (repository.root / "specs/b.yaml").unlink()
    return repository


def changelog(root: Path, *words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["-C", str(root), "changelog", *words]) == 0
    return capsys.readouterr().out


def test_between_two_commits(made: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    text = changelog(made.root, "v1..v2", capsys=capsys)
    assert "`a`" in text
    assert "`c`" not in text
    text = changelog(made.root, "v1..", capsys=capsys)
    assert "`a`" in text
    assert "`b`" not in text
    assert "`c`" in text


def test_up_to_the_work_tree(made: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    text = changelog(made.root, "v1", capsys=capsys)
    assert all(f"`{name}`" in text for name in "abc")


def test_no_change(made: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No change" in changelog(made.root, "v2..v2", capsys=capsys)
