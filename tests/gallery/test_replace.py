"""Search and replace: matches, refusals, and paths outside of the workspace."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from examples.store import replace
from examples.store.patterns import PatternTooExpensiveError
from examples.store.workspace import (
    ChangedMeanwhileError,
    Limits,
    NotWritableError,
    OutsideWorkspaceError,
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


ESCAPES = ["../outside", "/etc/passwd", "link/secret"]


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


def test_a_file_that_changes_meanwhile_stops_everything(workspace: Workspace) -> None:
    planned = replace.plan(workspace, replacement("10-18", "10-19"))
    (workspace.root / "templates" / "repair-done.txt").write_text("rewritten")
    before = contents(workspace.root)
    with pytest.raises(ChangedMeanwhileError, match="repair-done"):
        replace.apply(workspace, planned)
    assert contents(workspace.root) == before, "nothing written, no scratch file left"


def test_a_slow_pattern_is_stopped(empty: Workspace) -> None:
    (empty.root / "a.txt").write_text("a" * 60 + "!")
    began = time.monotonic()
    with pytest.raises(PatternTooExpensiveError, match=r"stopped after 0\.5 seconds"):
        replace.plan(Workspace(empty.root, Limits(pattern_seconds=0.5)), replacement("(a+)+$", "", "regex"))
    assert time.monotonic() - began < 60  # this pattern takes years


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
