"""Cache entries of old generators are removed, and nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from toolgen.project import Cache
from toolgen.project.cache.entries import prune

from .conftest import Cli

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners on this platform")

DAY = 86_400


def aged(folder: Path, days: float) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (time.time() - days * DAY,) * 2)


@pytest.fixture
def caches(tmp_path: Path) -> Path:
    """The caches of two generators, of which the first was last used forty days ago."""
    folder = tmp_path / "cache"
    for name in ("0" * 16, "1" * 16):
        for number in range(20):
            Cache(folder / name)[f"{number}"] = b"value"
    aged(folder / ("0" * 16), 40)
    return folder


def test_the_cache_of_an_old_generator_is_removed(caches: Path) -> None:
    prune(caches)
    assert sorted(os.listdir(caches)) == ["1" * 16, "pruned"]
    assert len(Cache(caches / ("1" * 16))) == 20


def test_used_cache_entries_are_kept(caches: Path) -> None:
    assert Cache(caches / ("0" * 16))["7"] == b"value"
    prune(caches)
    assert list(Cache(caches / ("0" * 16))) == ["7"]


def test_the_cache_is_pruned_once_a_day(caches: Path) -> None:
    prune(caches)
    aged(caches / ("1" * 16), 40)
    prune(caches)
    assert len(Cache(caches / ("1" * 16))) == 20
    os.utime(caches / "pruned", (time.time() - 2 * DAY,) * 2)
    prune(caches)
    assert os.listdir(caches) == ["pruned"]


def test_unfinished_cache_entries_are_removed(caches: Path) -> None:
    generator = caches / ("1" * 16)
    for name in (".toolgen-old.new", ".toolgen-young.new"):
        (generator / name).touch()
    os.utime(generator / ".toolgen-old.new", (time.time() - 40 * DAY,) * 2)
    prune(caches)
    assert [path.name for path in generator.glob(".*")] == [".toolgen-young.new"]


def test_foreign_files_in_the_cache_folder_are_kept(caches: Path, tmp_path: Path) -> None:
    (caches / "notes").mkdir()
    (caches / "notes" / "mine").touch()
    (caches / ("0" * 16) / "deep").mkdir()
    (caches / ("0" * 16) / "deep" / "mine").touch()
    elsewhere = tmp_path / "elsewhere"
    Cache(elsewhere)["key"] = b"value"
    (caches / ("2" * 16)).symlink_to(elsewhere)
    aged(caches / "notes", 400)
    aged(caches / ("0" * 16), 400)
    aged(elsewhere, 400)
    prune(caches)
    assert (caches / "notes" / "mine").exists()
    assert (caches / ("0" * 16) / "deep" / "mine").exists()
    assert list(Cache(elsewhere)) == ["key"]


def test_generate_prunes(project: Cli, caches: Path) -> None:
    assert project.process("generate", TOOLGEN_CACHE_DIR=str(caches)).code == 0
    assert "0" * 16 not in os.listdir(caches)
    assert "1" * 16 in os.listdir(caches)


@pytest.mark.skipif(not shutil.which("mount"), reason="no mount on this platform")
def test_a_full_cache_is_no_reason_to_fail(project: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir(0o700)
    mount = ["mount", "-t", "tmpfs", "-o", "size=16k,mode=700", "none", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a full disk takes the right to mount one")
    try:
        for turn in ("hello", "goodbye"):
            text = project.spec("greet").read_text().replace("hello", turn)
            project.spec("greet", text)
            done = project.process("generate", TOOLGEN_CACHE_DIR=str(folder))
            assert (done.code, done.err.count("\n")) == (0, 1)  # the sizes
            assert turn in (project.root / "generated/tools/greet.py").read_text()
        assert project.process("check", TOOLGEN_CACHE_DIR=str(folder)).code == 0
    finally:
        subprocess.run(["umount", folder], check=True)
