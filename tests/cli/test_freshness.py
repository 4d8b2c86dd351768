"""Freshness: an unchanged project is recognised by hashes, every change is noticed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import pytest
from toolgen.project import read_project
from toolgen.project.cache.entries import Cache
from toolgen.project.cache.freshness import BuildRecord, find_up_to_date

from .conftest import SPEC, Cli


@pytest.fixture
def made(project: Cli) -> Cli:
    """A generated project."""
    project.spec("other")
    assert project("generate").code == 0
    return project


def up_to_date(project: Cli) -> BuildRecord | None:
    return find_up_to_date(read_project(str(project.root)))


@pytest.fixture
def templated(project: Cli) -> Cli:
    """A generated project with templates of its own."""
    project.spec("other")
    (project.root / "templates/own").mkdir(parents=True)
    (project.root / "templates/own/target.yaml").write_text("tool_name: ^.+$\n")
    (project.root / "templates/own/names.txt.jinja").write_text("{{ model.tools | length }}\n")
    (project.root / "toolgen.toml").write_text('implementations = "work"\ntemplates = "templates"\n')
    assert project("generate").code == 0
    return project


def test_an_unchanged_project_is_up_to_date(made: Cli) -> None:
    known = up_to_date(made)
    assert known is not None
    assert known.tools == 2
    shown = made("check")
    assert (shown.code, shown.err) == (0, f"clean: 2 tools, {known.files} files\n")
    assert made("generate").out == f"2 tools, 0 files written, {known.files} unchanged\n"


def edited(project: Cli) -> None:
    (project.root / "generated/catalog.py").write_text("mine")


def one_byte(project: Cli) -> None:
    path = project.root / "generated/models/greet.py"
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Whom", b"whom"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Cli], object]] = {
    "an edited file": edited,
    "one byte, the time put back": one_byte,
    "a missing manifest": lambda p: (p.root / "generated/toolgen.manifest.json").unlink(),
    "no output at all": lambda p: shutil.rmtree(p.root / "generated"),
    "an edited spec": lambda p: p.spec("greet", SPEC.replace("NAME", "greet").replace("hello", "hi")),
    "a new spec": lambda p: p.spec("third"),
    "a setting": lambda p: (p.root / "toolgen.toml").write_text('implementations = "other"\n'),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen_and_fixed_by_generate(made: Cli, change: str) -> None:
    assert_seen_and_fixed(made, CHANGES[change])


def test_an_edited_template_is_seen_and_fixed_by_generate(templated: Cli) -> None:
    assert_seen_and_fixed(
        templated, lambda project: (project.root / "templates/own/names.txt.jinja").write_text("none\n")
    )


def assert_seen_and_fixed(project: Cli, change: Callable[[Cli], object]) -> None:
    """Fail unless `check` reports the change and `generate` makes the project up to date again."""
    assert up_to_date(project) is not None
    change(project)
    assert up_to_date(project) is None
    assert project("check").code == 1
    assert project("generate").code == 0
    assert project("check").code == 0
    assert up_to_date(project) is not None


def test_the_rooms_above_project_change_no_generated_file() -> None:
    from toolgen.project.cache.toolchain import USERS

    contracts = ConfigParser()
    contracts.read(Path(__file__).parents[2] / ".importlinter")
    layers = contracts["importlinter:contract:rooms"]["layers"].split("project")[0]
    assert set(layers.replace("|", " ").split()) == USERS


@pytest.mark.parametrize("verb", ["check", "generate"])
def test_an_up_to_date_project_is_checked_without_heavy_imports(templated: Cli, verb: str) -> None:
    code = (
        "import sys; from toolgen.cli import main; code = main(sys.argv[1:]);"
        "print(code, *sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "-C", str(templated.root), verb],
        capture_output=True,
        text=True,
        check=True,
    )
    last, *imported = done.stdout.splitlines()[-1].split()
    assert last == "0"
    assert not {"yaml", "jinja2", "pydantic", "jsonschema_rs", "ruff"} & {*imported}


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners on this platform")
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o707])
@pytest.mark.parametrize("below", [False, True])
def test_a_cache_that_others_may_write_to_is_not_used(tmp_path: Path, mode: int, below: bool) -> None:
    folder = tmp_path / "cache" / "id"
    Cache(folder)["key"] = b"value"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert Cache(folder)["key"] == b"value"
    (folder if below else folder.parent).chmod(mode)
    open_to_all = Cache(folder)
    assert "key" not in open_to_all
    assert list(open_to_all) == []
    open_to_all["other"] = b"value"
    (folder if below else folder.parent).chmod(0o700)
    assert list(Cache(folder)) == ["key"]
