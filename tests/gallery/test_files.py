"""Files of the workspace: loaded, searched and written, and the to-do list; paths outside are refused."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from examples.store import files, text_find, todo
from examples.store.patterns import InvalidPatternError, PatternTooExpensiveError
from examples.store.workspace import (
    ChangedMeanwhileError,
    Limits,
    NotWritableError,
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


ESCAPES = [
    "..",
    "../out",
    "a/../../out",
    "/etc/passwd",
    "//etc",
    "link",
    "link/x",
    ".git/config",
    "a\\b",
    "a\0b",
    "\ud800",
]
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


def test_a_link_is_refused_as_a_file(workspace: Workspace, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for name in ("file", todo.PATH):
        (workspace.root / name).symlink_to(secret)
    for verb in (VERBS["load"], VERBS["create"], VERBS["replace"]):
        with pytest.raises(OutsideWorkspaceError):
            verb(workspace, "file")
    with pytest.raises(OutsideWorkspaceError):
        todo.change(workspace, {}, ["x"])
    dangling = workspace.root / "dangling"
    dangling.symlink_to(tmp_path / "made")
    with pytest.raises(OutsideWorkspaceError):
        put(workspace, "dangling", "x")
    assert secret.read_text() == "secret"
    assert not (tmp_path / "made").exists()


def test_parts_of_a_file_are_loaded(workspace: Workspace) -> None:
    (workspace.root / "n.txt").write_text("1\n2\r\n3\n\n5")
    whole = files.load(workspace, "n.txt", 1, 500)
    assert (whole.text, whole.first, whole.last, whole.total_lines) == ("1\n2\r\n3\n\n5", 1, 5, 5)
    part = files.load(workspace, "n.txt", 2, 2)
    assert (part.text, part.first, part.last) == ("2\r\n3\n", 2, 3)
    past = files.load(workspace, "n.txt", 9, 500)
    assert (past.text, past.first, past.last, past.total_lines) == ("", 9, 8, 5)
    (workspace.root / "empty").touch()
    assert files.load(workspace, "empty", 1, 500).total_lines == 0


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


def test_files_are_created_replaced_and_extended(workspace: Workspace) -> None:
    new = put(workspace, "letters/2026/kite.txt", "Grüße\n")
    assert (new.created, new.lines) == (True, 1)
    assert (workspace.root / "letters/2026/kite.txt").read_bytes() == "Grüße\n".encode()
    (workspace.root / "letters/2026/kite.txt").chmod(0o600)
    assert put(workspace, "letters/2026/kite.txt", "more", "append").lines == 2
    assert (workspace.root / "letters/2026/kite.txt").read_text() == "Grüße\nmore"
    assert put(workspace, "letters/2026/kite.txt", "", "replace").lines == 0
    assert (workspace.root / "letters/2026/kite.txt").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (workspace.root / "letters/2026").iterdir()] == ["kite.txt"], "no litter"


def test_a_plan_writes_nothing(workspace: Workspace) -> None:
    before = contents(workspace.root)
    files.plan(workspace, "letters/new.txt", "x", "create")
    files.plan(workspace, "README.md", "x", "replace")
    assert contents(workspace.root) == before
    assert not (workspace.root / "letters").exists()


@pytest.mark.parametrize(
    ("path", "text", "mode", "error"),
    [
        ("README.md", "x", "create", files.FileExistsAlreadyError),
        ("none.txt", "x", "append", PathNotFoundError),
        ("none.txt", "x", "replace", PathNotFoundError),
        ("notes", "x", "create", files.IsFolderError),
        (".", "x", "create", files.IsFolderError),
        ("a.txt", "a\0b", "create", files.NotTextError),
        ("a.txt", "é" * Limits().file_bytes, "create", files.TooLargeError),
        ("full.txt", "xx", "append", files.TooLargeError),
    ],
)
def test_files_that_cannot_be_written_are_refused(
    workspace: Workspace, path: str, text: str, mode: files.Mode, error: type[Exception]
) -> None:
    (workspace.root / "full.txt").write_bytes(b"x" * (Limits().file_bytes - 1))
    before = contents(workspace.root)
    with pytest.raises(error):
        put(workspace, path, text, mode)
    assert contents(workspace.root) == before


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


def test_a_full_disk_leaves_no_half_file(workspace: Workspace) -> None:
    import resource

    before = contents(workspace.root)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(NotWritableError, match="File too large"):
            put(workspace, "new.txt", "x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert contents(workspace.root) == before


def test_the_preview_for_the_user(workspace: Workspace) -> None:
    shown = files.describe(files.plan(workspace, "a.txt", "one\ntwo\n", "create"))
    assert shown.splitlines() == ["a.txt: new file, 2 lines", "  + one", "  + two"]
    appended = files.describe(files.plan(workspace, "notes/suppliers.md", "- New\n", "append"))
    assert appended.startswith("notes/suppliers.md: 5 lines become 6\n")
    assert appended.endswith("\n  +- New")
    long = files.describe(files.plan(workspace, "a.txt", "x\n" * 100, "create"))
    assert long.endswith("\n  … and 80 more lines")
    same = (workspace.root / "README.md").read_text()
    assert "nothing would change" in files.describe(files.plan(workspace, "README.md", same, "replace"))


def test_lines_are_found(workspace: Workspace) -> None:
    found = text_find.search(workspace, query("INGRID"), 10)
    assert [(match.path, match.line) for match in found.matches] == [("notes/meeting-2026-09-14.md", 4)]
    assert text_find.search(workspace, query("INGRID", ignore_case=False), 10).total == 0
    numbers = text_find.search(workspace, query(r"^- .*\d{4}$", "regex", path="notes"), 10)
    assert numbers.total == 0, "the year is followed by more"
    hours = text_find.search(workspace, query(r"\b10-18\b", "regex"), 2)
    assert (len(hours.matches), hours.total, hours.searched) == (2, 3, 5)
    assert text_find.search(workspace, query("a", include="*.txt"), 10).searched == 2


def test_literal_search_and_shortened_lines(workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("a.b\r\naxb\n" + "y" * 1000 + "STRASSE\n")
    assert [match.text for match in text_find.search(workspace, query("a.b"), 10).matches] == ["a.b"]
    (long,) = text_find.search(workspace, query("straße", path="a.txt"), 10).matches
    assert (long.line, len(long.text), long.text[-1]) == (3, 300, "…")


@pytest.mark.parametrize("pattern", ["(", "*", "[a", "(?P<a>x)(?P<a>y)"])
def test_invalid_patterns_are_refused(workspace: Workspace, pattern: str) -> None:
    with pytest.raises(InvalidPatternError, match="The pattern is not valid"):
        text_find.search(workspace, query(pattern, "regex"), 10)


def test_a_slow_pattern_is_stopped(workspace: Workspace) -> None:
    (workspace.root / "a.txt").write_text("a" * 60 + "!")
    began = time.monotonic()
    with pytest.raises(PatternTooExpensiveError):
        text_find.search(Workspace(workspace.root, Limits(pattern_seconds=0.5)), query("(a+)+$", "regex"), 10)
    assert time.monotonic() - began < 60  # this pattern takes years


def test_a_to_do_list_is_changed(workspace: Workspace) -> None:
    assert todo.read(workspace) == []
    todo.change(workspace, {}, ["one", "two"])
    assert (workspace.root / todo.PATH).read_text() == "# To do\n\n- [ ] one\n- [ ] two\n"
    items = todo.change(workspace, {1: "done", 2: "doing"}, ["three"])
    assert items == todo.read(workspace)
    assert [(item.text, item.state) for item in items] == [
        ("one", "done"),
        ("two", "doing"),
        ("three", "open"),
    ]


def test_other_lines_of_the_to_do_list_stay_unchanged(workspace: Workspace) -> None:
    path = workspace.root / todo.PATH
    path.write_text("My list\n- [X] one\n* a note\n  - [ ] indented, not ours\n- [ ]two\n- [-] four")
    assert [(item.text, item.state) for item in todo.read(workspace)] == [
        ("one", "done"),
        ("four", "dropped"),
    ]
    todo.change(workspace, {2: "open"}, ["five"])
    assert path.read_text() == (
        "My list\n- [X] one\n* a note\n  - [ ] indented, not ours\n- [ ]two\n- [ ] four\n- [ ] five\n"
    )


def test_the_to_do_list_is_changed_atomically(workspace: Workspace) -> None:
    todo.change(workspace, {}, ["one"])
    before = contents(workspace.root)
    with pytest.raises(todo.NoSuchItemError, match="There is no item 2; the list has 1"):
        todo.change(workspace, {1: "done", 2: "done"}, ["two"])
    with pytest.raises(todo.ListFullError):
        todo.change(workspace, {1: "done"}, ["x"] * todo.MAX_ITEMS)
    assert contents(workspace.root) == before


def test_a_to_do_list_that_is_not_a_text_file_is_refused(workspace: Workspace) -> None:
    (workspace.root / todo.PATH).write_bytes(b"\xff")
    with pytest.raises(files.NotTextError):
        todo.read(workspace)
    (workspace.root / todo.PATH).unlink()
    (workspace.root / todo.PATH).mkdir()
    with pytest.raises(files.IsFolderError):
        todo.change(workspace, {}, ["x"])
