"""Cache entries of old generators are removed, and nothing else is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from toolgen.project.cache.entries import Cache, prune

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
