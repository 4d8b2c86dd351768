"""Folder: what is read and listed is below it, is a regular file, and has a limit."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from toolgen.base.files import (
    FileKind,
    Folder,
    IrregularFileError,
    OutsideError,
    OversizedFileError,
    open_named,
    read_named,
)
from toolgen.base.files import folder as folder_module

LINKS = {
    "inner": "a/b",
    "a/up": "../a/b/file",
    "a/twice": "b/../../inner/file",
    "again": "inner",
    "a/secret": "../../outside/secret",
    "elsewhere": "../outside",
    "environment": "/proc/self/environ",
    "loop": "loop",
    "round": "trip/round",
    "trip": "round/trip",
    "dangling": "a/nothing",
}


@pytest.fixture(params=[True, False], ids=["no-follow", "windows"])
def top(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with links, on a system that can open a file without following a link, and on another."""
    if not request.param:
        monkeypatch.setattr(folder_module, "_NO_LINK", 0)
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (root / "a/b/file").write_text("inside")
    (tmp_path / "outside/secret").write_text("secret")
    for path, target in LINKS.items():
        (root / path).symlink_to(target)
    (root / "absolute").symlink_to(root / "a" / "b")
    return root


@pytest.fixture
def folder(top: Path) -> Iterator[Folder]:
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    yield Folder(top)
    assert not before or len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize(
    "path",
    [
        "a/b/file", "inner/file", "again/file", "absolute/file", "a/up", "a/twice", "a/b/../b/file",
        "inner/../b/file", "./a//b/file",
    ],
)  # fmt: skip
def test_links_below_the_folder_are_followed(folder: Folder, path: str) -> None:
    assert folder.read(path) == b"inside"
    assert folder.kind(path) is FileKind.FILE


@pytest.mark.parametrize(
    "path",
    [
        "a/secret", "elsewhere/secret", "environment", "..", "../outside/secret", "a/../../outside/secret",
        "inner/../../../outside/secret", "/etc/passwd", "/a",
    ],
)  # fmt: skip
def test_nothing_leaves_the_folder(folder: Folder, path: str) -> None:
    for ask in (folder.read, folder.kind):
        with pytest.raises(OutsideError):
            ask(path)
    with pytest.raises(OutsideError):
        folder.entries("elsewhere")


@pytest.mark.parametrize("path", ["loop", "loop/file", "round", "trip/file"])
def test_circles_of_links_end(folder: Folder, path: str) -> None:
    with pytest.raises(OSError) as caught:
        folder.read(path)
    assert caught.value.errno == errno.ELOOP


def test_a_folder_below_is_a_limit_of_its_own(folder: Folder) -> None:
    inner = folder.below("inner")
    assert inner.read("file") == b"inside"
    with pytest.raises(OutsideError):
        inner.read("../up")
    with pytest.raises(OutsideError):
        folder.below("elsewhere")


def test_links_are_listed_and_not_entered(folder: Folder) -> None:
    assert [each.path for each in folder.entries("again")] == ["again/file"]
    kinds = {each.path: each.kind for each in folder.walk()}
    assert kinds == dict.fromkeys((*LINKS, "absolute"), FileKind.LINK) | {"a/b/file": FileKind.FILE}
    assert list(folder.walk(skipped=("a", "d", "e", "i", "l", "r", "t"))) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this platform")
def test_pipes_and_devices_are_refused_at_once(folder: Folder) -> None:
    os.mkfifo(Path(folder.path, "pipe"))
    for read in (lambda: folder.read("pipe"), lambda: read_named(Path(folder.path, "pipe"))):
        with pytest.raises(IrregularFileError):
            read()
    for path in ("/dev/zero", os.devnull):
        with pytest.raises(IrregularFileError):
            read_named(path)
        with pytest.raises(IrregularFileError):
            open_named(path)
    assert folder.kind("pipe") is FileKind.OTHER


def test_no_more_is_read_than_the_limit(folder: Folder) -> None:
    path = Path(folder.path, "large")
    with path.open("wb") as file:
        file.truncate(8 * 1024**3)
    with pytest.raises(OversizedFileError, match="more than 67,108,864 bytes"):
        folder.read("large")
    path.write_bytes(b"12345")
    assert folder.read("large", limit=5) == b"12345"
    with pytest.raises(OversizedFileError):
        folder.read("large", limit=4)
