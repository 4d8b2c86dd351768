"""WritableFolder: complete files or none, with the permissions that were asked for, and none elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from toolgen.base.files import OutsideError, WritableFolder, make_named, remove_empty, write_named


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[WritableFolder]:
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/precious").write_text("mine")
    (tmp_path / "root/elsewhere").symlink_to("../outside")
    (tmp_path / "root/precious").symlink_to("../outside/precious")
    yield WritableFolder(tmp_path / "root")
    assert (tmp_path / "outside/precious").read_text() == "mine"
    assert os.listdir(tmp_path / "outside") == ["precious"]


def names(folder: WritableFolder) -> list[str]:
    return sorted({*os.listdir(folder.path)} - {"elsewhere", "precious"})


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_the_mode_does_not_depend_on_the_umask(folder: WritableFolder, mode: int) -> None:
    before = os.umask(0o077)
    try:
        folder.write("file", b"", mode=mode)
    finally:
        os.umask(before)
    assert Path(folder.path, "file").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize("step", ["fchmod", "replace"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_keeps_the_old_file_and_leaves_no_other(
    folder: WritableFolder, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    folder.write("file", b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(error)):
        folder.write("file", b"new")
    assert folder.read("file") == b"old"
    assert names(folder) == ["file"]


def test_nothing_is_written_through_a_link_that_leaves_the_folder(folder: WritableFolder) -> None:
    for change in (
        lambda: folder.write("elsewhere/file", b""),
        lambda: folder.create("elsewhere/file", b""),
        lambda: folder.make_folders("elsewhere/folder"),
        lambda: folder.remove("elsewhere/precious"),
        lambda: folder.rename("elsewhere/precious", "file"),
        lambda: folder.copy_name("elsewhere/precious", "file"),
        lambda: folder.remove_tree("elsewhere/"),
    ):
        with pytest.raises(OutsideError):
            change()


def test_a_link_itself_is_replaced_copied_or_removed(folder: WritableFolder) -> None:
    folder.copy_name("precious", "copy")
    assert folder.read_link("copy") == "../outside/precious"
    folder.write("precious", b"text")
    assert folder.read("precious", links=False) == b"text"
    with pytest.raises(FileExistsError):
        folder.create("copy", b"")
    folder.remove("copy")
    assert names(folder) == []


def test_a_tree_is_removed_with_its_links_but_nothing_behind_them(folder: WritableFolder) -> None:
    folder.make_folders("stage/deep/er")
    folder.write("stage/deep/file", b"")
    Path(folder.path, "stage/link").symlink_to("../../outside")
    folder.remove_tree("stage")
    assert names(folder) == []


def test_folders_that_an_operator_names_are_made_and_removed(tmp_path: Path) -> None:
    made = make_named(tmp_path / "a/b")
    assert made == [tmp_path / "a/b", tmp_path / "a"]
    assert make_named(tmp_path / "a/b") == []
    write_named(tmp_path / "a/b/file", b"")
    remove_empty(made)
    assert (tmp_path / "a/b/file").exists()
    (tmp_path / "a/b/file").unlink()
    remove_empty(made)
    assert not (tmp_path / "a").exists()
