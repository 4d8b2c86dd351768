"""Files of the workspace: loaded, searched and written, and the to-do list; paths outside are refused."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest

from examples.store import files, text_find, todo
from examples.store.workspace import (
    ChangedMeanwhileError,
    Limits,
    OutsideWorkspaceError,
    PathNotFoundError,
    Workspace,
)
from tests.gallery.helpers import contents, query

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the workspace needs a POSIX system")


def put(workspace: Workspace, path: str, text: str, mode: files.Mode = "create") -> files.Writing:
    planned = files.plan(workspace, path, text, mode)
    files.write(workspace, planned)
    return planned


ESCAPES = ["../out", "/etc/passwd", "link/x", "a\\b"]
VERBS: dict[str, Callable[[Workspace, str], object]] = {
    "kind": lambda workspace, path: workspace.kind(path),
    "load": lambda workspace, path: files.load(workspace, path, 1, 500),
    "search": lambda workspace, path: text_find.search(workspace, query("x", path=path), 1),
    "create": lambda workspace, path: put(workspace, path, "x"),
    "create below": lambda workspace, path: put(workspace, f"{path}/new.txt", "x"),
    "replace": lambda workspace, path: put(workspace, path, "x", "replace"),
}


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS.keys())
def test_nothing_leaves(workspace: Workspace, verb: Callable[[Workspace, str], object], path: str) -> None:
    outside = workspace.root.parent / "outside"
    outside.mkdir()
    (workspace.root / "link").symlink_to(outside, target_is_directory=True)
    before = contents(workspace.root.parent)
    with pytest.raises(OutsideWorkspaceError):
        verb(workspace, path)
    assert contents(workspace.root.parent) == before
    assert list(outside.iterdir()) == []


def test_files_that_cannot_be_loaded_are_refused(workspace: Workspace) -> None:
    (workspace.root / "binary").write_bytes(b"a\0b")
    (workspace.root / "latin1").write_bytes(b"\xe9")
    (workspace.root / "large").write_bytes(b"x" * (Limits().file_bytes + 1))
    os.mkfifo(workspace.root / "pipe")
    for path, error in {
        "binary": files.NotTextError,
        "latin1": files.NotTextError,
        "large": files.TooLargeError,
        "pipe": OutsideWorkspaceError,
        "notes": files.IsFolderError,
        ".": files.IsFolderError,
        "missing": PathNotFoundError,
        "README.md/x": OutsideWorkspaceError,
    }.items():
        with pytest.raises(error):
            files.load(workspace, path, 1, 500)


def test_a_concurrent_change_is_not_overwritten(workspace: Workspace) -> None:
    new = files.plan(workspace, "new.txt", "mine", "create")
    old = files.plan(workspace, "README.md", "mine", "replace")
    (workspace.root / "new.txt").write_text("theirs")
    (workspace.root / "README.md").write_text("theirs")
    before = contents(workspace.root)
    for planned in (new, old):
        with pytest.raises(ChangedMeanwhileError):
            files.write(workspace, planned)
    assert contents(workspace.root) == before


def test_the_to_do_list_is_changed_atomically(workspace: Workspace) -> None:
    todo.change(workspace, {}, ["one"])
    before = contents(workspace.root)
    with pytest.raises(todo.NoSuchItemError, match="There is no item 2; the list has 1"):
        todo.change(workspace, {1: "done", 2: "done"}, ["two"])
    with pytest.raises(todo.ListFullError):
        todo.change(workspace, {1: "done"}, ["x"] * todo.MAX_ITEMS)
    assert contents(workspace.root) == before
