"""Configuration above the start folder is only used if no other user can write it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.end_to_end.project import Project

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has other permissions")
BELOW = ("-C", "mine/deeper", "check")


@pytest.fixture
def above(project: Project) -> Project:
    """Return a generated project with a folder `mine/deeper`."""
    project.generate()
    (project.root / "mine/deeper").mkdir(parents=True)
    return project


def test_configuration_above_is_used(above: Project) -> None:
    done = above.toolgen(*BELOW)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o703])
def test_a_world_writable_folder_is_refused(above: Project, mode: int) -> None:
    above.root.chmod(mode)
    done = above.toolgen(*BELOW)
    assert done.returncode == 2
    assert "error[unsafe-configuration]" in done.stderr
    assert f"everybody may write to {above.root.resolve()}" in done.stderr
    assert "TOOLGEN_SAFE_DIRECTORY" in done.stderr


def test_a_world_writable_file_is_refused(above: Project) -> None:
    (above.root / "toolgen.toml").chmod(0o666)
    assert "error[unsafe-configuration]" in above.toolgen(*BELOW).stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("path", [".", "toolgen.toml"])
def test_configuration_of_another_user_is_refused(above: Project, path: str) -> None:
    os.chown(above.root / path, 12345, 12345)
    done = above.toolgen(*BELOW)
    assert done.returncode == 2
    assert "belongs to another user" in done.stderr
    assert above.toolgen(*BELOW, SUDO_UID="12345").returncode == 0


def test_the_start_folder_is_trusted_whoever_owns_it(above: Project) -> None:
    (above.root / "toolgen.toml").chmod(0o666)
    above.root.chmod(0o777)
    if os.geteuid() == 0:
        os.chown(above.root, 12345, 12345)
    assert above.toolgen("check").returncode == 0
    elsewhere = Project(above.root / "mine", above.env)
    assert elsewhere.toolgen("-C", "..", "check").returncode == 0


@pytest.mark.parametrize("table", ["[tool.toolgen]\nspecs = 'specs'\n", "[tool.toolgen\n"])
def test_a_pyproject_of_another_user_is_refused_if_it_may_configure_toolgen(
    above: Project, table: str
) -> None:
    (above.root / "toolgen.toml").unlink()
    above.write("pyproject.toml", table)
    above.root.chmod(0o1777)
    assert "error[unsafe-configuration]" in above.toolgen(*BELOW).stderr


def test_a_pyproject_of_another_user_that_does_not_mention_toolgen_is_ignored(
    tmp_path: Path, above: Project
) -> None:
    (above.root / "mine/pyproject.toml").write_text("[project]\nname = 'x'\n")
    (above.root / "mine").chmod(0o1777)
    done = above.toolgen(*BELOW)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
@pytest.mark.parametrize("name", ["toolgen.toml", "pyproject.toml"])
def test_a_pipe_of_another_user_does_not_block(above: Project, name: str) -> None:
    (above.root / "mine").chmod(0o1777)
    os.mkfifo(above.root / "mine" / name)
    done = above.toolgen(*BELOW)
    assert done.returncode == 2
    assert "error[unsafe-configuration]" in done.stderr


@pytest.mark.parametrize("chosen", ["*", "{root}", "/nowhere" + os.pathsep + "{root}/"])
def test_a_folder_can_be_trusted_by_name(above: Project, chosen: str) -> None:
    above.root.chmod(0o1777)
    done = above.toolgen(*BELOW, TOOLGEN_SAFE_DIRECTORY=chosen.format(root=above.root))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("chosen", ["", "{root}/mine", "relative"])
def test_trusting_another_folder_changes_nothing(above: Project, chosen: str) -> None:
    above.root.chmod(0o1777)
    assert above.toolgen(*BELOW, TOOLGEN_SAFE_DIRECTORY=chosen.format(root=above.root)).returncode == 2
