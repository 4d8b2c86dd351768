"""Search and replace: matches, refusals, and paths outside of the workspace."""

from __future__ import annotations

import os
import stat
import sys
import time
from dataclasses import replace as changed
from pathlib import Path

import pytest

from examples.store import replace
from examples.store.patterns import InvalidPatternError, PatternTooExpensiveError
from examples.store.text_files import TooManyFilesError
from examples.store.workspace import (
    ChangedMeanwhileError,
    Limits,
    NotWritableError,
    OutsideWorkspaceError,
    PathNotFoundError,
    Workspace,
)
from tests.gallery.helpers import contents, replacement

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the workspace needs a POSIX system")


def run(workspace: Workspace, *words: str, **more: object) -> replace.Plan:
    planned = replace.plan(workspace, replacement(*words, **more))  # type: ignore[arg-type]
    replace.apply(workspace, planned)
    return planned


@pytest.fixture
def empty(tmp_path: Path) -> Workspace:
    root = tmp_path / "empty"
    root.mkdir()
    return Workspace(root)


def test_a_plan_writes_nothing(workspace: Workspace) -> None:
    before = contents(workspace.root)
    planned = replace.plan(workspace, replacement("10-18", "10-19"))
    assert [change.path for change in planned.changes] == [
        "README.md",
        "notes/meeting-2026-09-14.md",
        "templates/repair-done.txt",
    ]
    assert contents(workspace.root) == before


def test_literal_replacement(empty: Workspace) -> None:
    (empty.root / "a.txt").write_text(r"a.b axb A.B \1")
    assert run(empty, "a.b", r"\1\g<0>").replacements == 1
    assert (empty.root / "a.txt").read_text() == r"\1\g<0> axb A.B \1"
    assert run(empty, "a.B", "*", ignore_case=True).replacements == 1


def test_replacement_by_regular_expression(empty: Workspace) -> None:
    (empty.root / "a.txt").write_text("one two\nthree four\n")
    assert run(empty, r"^(\w+) (?P<last>\w+)$", r"\g<last> \1", "regex").replacements == 2
    assert (empty.root / "a.txt").read_text() == "two one\nfour three\n"
    assert run(empty, "^", "> ", "regex").replacements == 3
    assert run(empty, "TWO", "2", "regex", ignore_case=True).replacements == 1


def test_other_bytes_stay_unchanged(empty: Workspace) -> None:
    file = empty.root / "a.txt"
    file.write_bytes(b"\xef\xbb\xbfold\r\nold\n\xf0\x9f\x9a\xb2\tno newline")
    file.chmod(0o640)
    run(empty, "old", "new")
    assert file.read_bytes() == b"\xef\xbb\xbfnew\r\nnew\n\xf0\x9f\x9a\xb2\tno newline"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_include_and_path_select_files(workspace: Workspace) -> None:
    planned = replace.plan(workspace, replacement("e", "E", path="notes", include="s*.md"))
    assert [change.path for change in planned.changes] == ["notes/suppliers.md"]
    planned = replace.plan(workspace, replacement("e", "E", path="templates/quote.txt"))
    assert [change.path for change in planned.changes] == ["templates/quote.txt"]


def test_skipped_files_are_reported(empty: Workspace) -> None:
    root = empty.root
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x")
    (root / "link").symlink_to("/etc/passwd")
    os.mkfifo(root / "pipe")
    (root / "binary").write_bytes(b"x\0")
    (root / "latin1").write_bytes(b"x\xe9")
    (root / "large").write_bytes(b"x" * (Limits().file_bytes + 1))
    (root / "plain").write_text("x")
    planned = run(empty, "x", "y")
    assert {skipped.path: skipped.reason for skipped in planned.skipped} == {
        ".git": "hidden",
        "binary": "not_text",
        "large": "too_large",
        "latin1": "not_text",
        "link": "link",
        "pipe": "special_file",
    }
    assert [change.path for change in planned.changes] == ["plain"]


ESCAPES = [
    "..",
    "../outside",
    "a/../../outside",
    "/etc/passwd",
    "//etc",
    "link",
    "link/secret",
    "folder/link/secret",
    "..\\x",
]


@pytest.mark.parametrize("path", [*ESCAPES, ".git", "notes/.hidden", "README.md/x", "a\0b"])
def test_nothing_leaves(workspace: Workspace, path: str) -> None:
    outside = workspace.root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (workspace.root / "folder").mkdir()
    for link in ("link", "folder/link"):
        (workspace.root / link).symlink_to(outside, target_is_directory=True)
    with pytest.raises(OutsideWorkspaceError):
        run(workspace, "secret", "public", path=path)
    assert (outside / "secret").read_text() == "secret"


def test_links_below_are_not_followed(workspace: Workspace) -> None:
    outside = workspace.root.parent / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (workspace.root / "folder").symlink_to(outside, target_is_directory=True)
    (workspace.root / "file").symlink_to(outside / "secret")
    (workspace.root / "hard").hardlink_to(outside / "secret")
    assert [change.path for change in run(workspace, "secret", "public").changes] == ["hard"]
    assert (outside / "secret").read_text() == "secret", "a hard link is replaced, not written through"
    assert (workspace.root / "hard").read_text() == "public"


def test_a_folder_that_is_replaced_by_a_link_is_refused(workspace: Workspace) -> None:
    outside = workspace.root.parent / "outside"
    outside.mkdir()
    (outside / "suppliers.md").write_bytes((workspace.root / "notes" / "suppliers.md").read_bytes())
    planned = replace.plan(workspace, replacement("555", "556", path="notes"))
    (workspace.root / "notes").rename(workspace.root / "old")
    (workspace.root / "notes").symlink_to(outside, target_is_directory=True)
    with pytest.raises(OutsideWorkspaceError):
        replace.apply(workspace, planned)
    assert b"556" not in (outside / "suppliers.md").read_bytes()
    assert [path.name for path in outside.iterdir()] == ["suppliers.md"]


def test_a_file_that_changes_meanwhile_stops_everything(workspace: Workspace) -> None:
    planned = replace.plan(workspace, replacement("10-18", "10-19"))
    (workspace.root / "templates" / "repair-done.txt").write_text("rewritten")
    before = contents(workspace.root)
    with pytest.raises(ChangedMeanwhileError, match="repair-done"):
        replace.apply(workspace, planned)
    assert contents(workspace.root) == before, "nothing written, no scratch file left"


def test_a_folder_that_cannot_be_written_stops_everything(workspace: Workspace) -> None:
    planned = replace.plan(workspace, replacement("10-18", "10-19"))
    (workspace.root / "templates").rename(workspace.root / "moved")
    before = contents(workspace.root)
    with pytest.raises(PathNotFoundError):
        replace.apply(workspace, planned)
    assert contents(workspace.root) == before


@pytest.mark.parametrize(
    ("search", "new"),
    [("(", ""), ("a", r"\9"), ("a", r"\g<no>"), ("*", ""), ("(?P<a>x)(?P<a>y)", ""), ("a", "\\")],
)
def test_invalid_patterns_are_refused(workspace: Workspace, search: str, new: str) -> None:
    with pytest.raises(InvalidPatternError, match="not valid"):
        replace.plan(workspace, replacement(search, new, "regex"))


def test_a_slow_pattern_is_stopped(empty: Workspace) -> None:
    (empty.root / "a.txt").write_text("a" * 60 + "!")
    began = time.monotonic()
    with pytest.raises(PatternTooExpensiveError, match=r"stopped after 0\.5 seconds"):
        replace.plan(Workspace(empty.root, Limits(pattern_seconds=0.5)), replacement("(a+)+$", "", "regex"))
    assert time.monotonic() - began < 60  # this pattern takes years


@pytest.mark.parametrize("mode", ["literal", "regex"])
def test_a_flood_is_stopped(empty: Workspace, mode: str) -> None:
    (empty.root / "a.txt").write_text("a" * 100_000)
    with pytest.raises(PatternTooExpensiveError, match=r"would grow beyond|too much memory"):
        replace.plan(empty, replacement("a", "b" * 10_000, mode))


def test_too_many_files_are_refused(empty: Workspace) -> None:
    for number in range(Limits().files + 1):
        (empty.root / f"{number}.txt").touch()
    with pytest.raises(TooManyFilesError):
        replace.plan(empty, replacement("a", "b"))
    assert replace.plan(empty, replacement("a", "b", include="1*.txt")).searched == 111


def test_the_preview_for_the_user(workspace: Workspace) -> None:
    wanted = replacement("10-18", "10-19", path="templates")
    assert replace.describe(replace.plan(workspace, wanted)).splitlines() == [
        "1 replacement in 1 file",
        "templates/repair-done.txt: 1",
        "  3 - your bicycle is ready. You can collect it during our opening hours, 10-18.",
        "  3 + your bicycle is ready. You can collect it during our opening hours, 10-19.",
    ]
    joined = changed(wanted, search=",\n\n", replacement=", ")
    assert "  6 lines become 4" in replace.describe(replace.plan(workspace, joined))
    nothing = changed(wanted, search="unicorn")
    assert replace.describe(replace.plan(workspace, nothing)) == "Nothing would change: no match in 2 files."


def test_a_full_disk_stops_everything(workspace: Workspace) -> None:
    import resource

    planned = replace.plan(workspace, replacement("\n", " and much more\n"))
    before = contents(workspace.root)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, limits[1]))  # the first files fit, a later one does not
    try:
        with pytest.raises(NotWritableError, match="cannot be written: File too large"):
            replace.apply(workspace, planned)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert contents(workspace.root) == before


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may do everything")
def test_permissions_of_files_are_kept(workspace: Workspace) -> None:
    secret = workspace.root / "notes" / "suppliers.md"
    secret.chmod(0)
    planned = replace.plan(workspace, replacement("o", "0"))
    assert [(skipped.path, skipped.reason) for skipped in planned.skipped] == [
        ("notes/suppliers.md", "unreadable")
    ]
    secret.chmod(0o600)
    (workspace.root / "templates").chmod(0o500)
    before = contents(workspace.root)
    try:
        with pytest.raises(NotWritableError, match="Permission denied"):
            replace.apply(workspace, planned)
    finally:
        (workspace.root / "templates").chmod(0o700)
    assert contents(workspace.root) == before


def test_files_with_names_that_paths_cannot_express_are_skipped(empty: Workspace) -> None:
    for name in (b"latin\xe9", b"back\\slash"):
        with open(os.path.join(os.fsencode(empty.root), name), "w") as file:
            file.write("x")
    (empty.root / "plain é.txt").write_text("x")
    planned = run(empty, "x", "y")
    assert [change.path for change in planned.changes] == ["plain é.txt"]
    assert [skipped.path for skipped in planned.skipped] == ["back\\slash", "latin?"]
    assert {skipped.reason for skipped in planned.skipped} == {"unreadable"}


def test_a_path_with_a_name_that_is_too_long_is_not_found(workspace: Workspace) -> None:
    with pytest.raises(PathNotFoundError):
        replace.plan(workspace, replacement("a", "b", path="x" * 400))
