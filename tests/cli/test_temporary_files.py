"""Leftovers of killed runs and old generators are removed, and nothing else is."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from toolgen.project import Cache, prune, use_temporary_folder

from .conftest import Cli
from .test_crash import ended

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners on this platform")

DAY = 86_400


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def home(place: Path) -> Path:
    return place / f"toolgen-{os.geteuid()}"


def test_a_temporary_folder_exists_during_the_block(place: Path) -> None:
    with use_temporary_folder():
        mine = Path(tempfile.gettempdir())
        assert mine.parent == home(place)
        assert home(place).stat().st_mode & 0o777 == 0o700
        (mine / "file").touch()
    assert tempfile.gettempdir() == str(place)
    assert list(place.iterdir()) == []


def test_files_of_killed_runs_are_removed(place: Path) -> None:
    (home(place) / "toolgen-dead" / "deep").mkdir(parents=True)
    home(place).chmod(0o700)
    with use_temporary_folder():
        assert os.listdir(home(place)) == [Path(tempfile.gettempdir()).name]
    assert list(place.iterdir()) == []


def test_files_of_running_processes_are_kept(place: Path) -> None:
    code = "import tempfile; from toolgen.project import use_temporary_folder\nwith use_temporary_folder(): print(tempfile.gettempdir())"
    with use_temporary_folder():
        file = Path(tempfile.gettempdir(), "file")
        file.touch()
        other = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "TMPDIR": str(place)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert Path(other.stdout.strip()).parent == home(place)
        assert not Path(other.stdout.strip()).exists()
        assert file.exists()


def test_a_folder_that_others_may_write_to_is_not_used(place: Path) -> None:
    (home(place) / "theirs").mkdir(parents=True)
    home(place).chmod(0o777)
    with use_temporary_folder():
        assert Path(tempfile.gettempdir()).parent == place
    assert os.listdir(home(place)) == ["theirs"]


def test_a_link_in_its_place_is_not_followed(place: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir(0o700)
    (tmp_path / "victim" / "precious").mkdir()
    home(place).symlink_to(tmp_path / "victim")
    with use_temporary_folder():
        assert Path(tempfile.gettempdir()).parent == place
    assert os.listdir(tmp_path / "victim") == ["precious"]


@pytest.mark.slow
def test_a_killed_run_leaves_nothing_for_long(project: Cli, tmp_path: Path) -> None:
    """Its workers end with it, and the next run removes its temporary files."""
    place = tmp_path / "use_temporary_folder"
    place.mkdir()
    environment = {**os.environ, "TMPDIR": str(place), "TOOLGEN_CACHE_DIR": str(tmp_path / "cold")}
    for number in range(150):
        project.formatted_spec(f"tool_{number:04}")
    process = subprocess.Popen(
        [sys.executable, "-m", "toolgen", "generate"],
        cwd=project.root,
        env=environment,
        start_new_session=True,
    )
    while not list(home(place).glob("*/*")) and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert ended(process.pid), "a worker works on for nobody"
    assert list(home(place).iterdir()), "there is something to clear"
    assert project.process("generate", **environment).code == 0
    assert list(place.iterdir()) == []


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


def test_unfinished_cache_entries_are_removed_after_a_day(caches: Path) -> None:
    bucket = next((caches / ("1" * 16)).iterdir())
    (bucket / "old.new").touch()
    os.utime(bucket / "old.new", (time.time() - 2 * DAY,) * 2)
    (bucket / "young.new").touch()
    prune(caches)
    assert {path.name for path in bucket.glob("*.new")} == {"young.new"}


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
