"""A comparison with a commit: which specs it has, without a checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toolgen.changes.comparing.sides import Sides, read_sides
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError

from .repository import SHARED, Repository, spec, spec_with_ref

CONFIGURATION = 'specs = "specs"\n'


ALL = ["greet", "indirect", "new", "same", "user"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside of any repository."""
    return tmp_path_factory.mktemp("git")


@pytest.fixture(scope="module")
def made(folder: Path) -> Repository:
    """A repository whose last commits changed one spec, then a shared file."""
    files = {
        "toolgen.toml": CONFIGURATION,
        "specs/greet.yaml": spec("greet"),
        "specs/same.yaml": spec("same"),
        "specs/user.yaml": spec_with_ref("user", "shared/names.yaml#/$defs/Name"),
        "specs/indirect.yaml": spec_with_ref("indirect", "shared/further.yaml#/$defs/Further"),
        "specs/shared/names.yaml": SHARED,
        "specs/shared/further.yaml": '$defs: {Further: {$ref: "names.yaml#/$defs/Name"}}\n',
    }
    repository = Repository.create(folder / "made", files)
    repository.git("tag", "v1.0.0")
    repository.write({"specs/greet.yaml": spec("greet", "timeout: 5\n"), "specs/new.yaml": spec("new")})
    repository.commit("v1.1.0")
    repository.write({"specs/shared/names.yaml": SHARED.replace("string", "integer")})
    repository.commit("v2.0.0")
    return repository


@pytest.fixture(scope="module")
def shallow(folder: Path, made: Repository) -> Repository:
    """A clone of the last commit alone, as CI has it."""
    made.git("clone", "-q", "--depth=1", f"file://{made.root}", str(folder / "shallow"))
    return Repository(folder / "shallow")


def sides(repository: Repository, against: str, below: str = "") -> Sides:
    return read_sides(against, str(repository.root / below))


def refused(repository: Repository, against: str, below: str = "") -> UnableError:
    with pytest.raises(UnableError) as found:
        sides(repository, against, below)
    return found.value


def faults(repository: Repository, against: str) -> list[str]:
    with pytest.raises(SpecErrors) as found:
        sides(repository, against)
    return [f"{each.span.file}:{each.span.line}: {each.code}" for each in found.value.diagnostics]


def test_only_specs_that_differ_are_read(folder: Path) -> None:
    files = {"specs/greet.yaml": spec("greet"), "specs/same.yaml": spec("same")}
    repository = Repository.create(folder / "differ", {"toolgen.toml": CONFIGURATION, **files})
    repository.write({"specs/greet.yaml": spec("greet", "timeout: 5\n")})
    found = sides(repository, "main")
    assert list(found.old.contracts) == list(found.new.contracts) == ["greet"]


def test_a_folder_of_a_commit(made: Repository) -> None:
    for path in ("specs", "specs/", "./specs", ""):
        found = sides(made, f"v1.1.0:{path}".replace("./", ""))
        assert list(found.old.contracts) == ALL, path


# What is missing


@pytest.mark.parametrize("ref", ["develop", "v1.0.0", "0123456789012345678901234567890123456789", "HEAD~2"])
def test_a_missing_ref_names_the_command_that_fetches_it(shallow: Repository, ref: str) -> None:
    error = refused(shallow, ref)
    assert error.code == "cannot-compare"
    assert ref.split("~")[0] in error.message
    assert "git fetch --unshallow --tags origin +refs/heads/*:refs/remotes/origin/*" in error.hint


def test_the_command_fetches_the_ref(folder: Path, made: Repository) -> None:
    made.git("clone", "-q", "--depth=1", f"file://{made.root}", str(folder / "fetching"))
    clone = Repository(folder / "fetching")
    command = refused(clone, "v1.0.0").hint.split("`")[1]
    clone.git(*command.split()[1:])
    assert sides(clone, "v1.0.0").old.contracts


@pytest.mark.parametrize("ref", ["--help", "-p", "", " "])
def test_an_option_is_no_ref(made: Repository, ref: str) -> None:
    assert refused(made, ref).code == "cannot-compare"


# Where the project was


def test_the_configuration_of_the_commit_says_where_its_specs_were(folder: Path) -> None:
    files = {"toolgen.toml": 'specs = "tools"\n', "tools/a.yaml": spec("a"), "tools/b.yaml": spec("b")}
    repository = Repository.create(folder / "renamed", files)
    repository.git("mv", "tools", "specs")
    repository.git("mv", "specs/b.yaml", "specs/c.yaml")
    repository.write({"toolgen.toml": CONFIGURATION, "specs/a.yaml": spec("a", "timeout: 1\n")})
    repository.commit()
    found = sides(repository, "HEAD~1")
    assert found.old.contracts["a"].place("name").file == "HEAD~1:tools/a.yaml"
    assert found.old.contracts["b"].spec == found.new.contracts["b"].spec


def test_targets_of_the_projects_own(folder: Path) -> None:
    files = {
        "toolgen.toml": 'targets = ["csv"]\ntemplates = "templates"\n',
        "templates/csv/target.yaml": "dialect: null\n",
        "specs/a.yaml": spec("a"),
    }
    repository = Repository.create(folder / "targets", files)
    repository.write({"specs/a.yaml": spec("a", "targets: {csv: {name: b}}\n")})
    old, new = sides(repository, "main").old, sides(repository, "main").new
    assert old.contracts["a"].published_names() == {}
    assert new.contracts["a"].published_names() == {"csv": "b"}


# What a commit may hold


def test_links_of_a_commit(tmp_path: Path) -> None:
    repository = Repository.create(tmp_path / "r", {"toolgen.toml": CONFIGURATION, "specs/a.yaml": spec("a")})
    repository.link("specs/README", "../README.md")
    repository.link("specs/.hidden.yaml", "a.yaml")
    repository.commit()
    repository.write({"specs/a.yaml": spec("a", "timeout: 1\n")})
    assert list(sides(repository, "main").old.contracts) == ["a"]
    repository.link("specs/absolute.yaml", "/etc/passwd")
    repository.commit()
    (repository.root / "specs/absolute.yaml").unlink()
    assert faults(repository, "main") == ["main:specs/absolute.yaml:1: unreadable-spec"]


# What git might do besides


def test_no_program_of_the_repository_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "toolgen.toml": CONFIGURATION,
        "specs/a.yaml": spec("a"),
        ".gitattributes": "* diff=evil filter=evil\n",
    }
    repository = Repository.create(tmp_path / "r", files)
    canary = tmp_path / "canary"
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.evil.textconv", "filter.evil.smudge"):
        repository.git("config", key, f"touch {canary}")
    repository.git("config", "alias.ls-tree", f"!touch {canary}")
    repository.git("config", "core.hooksPath", str(repository.root / "hooks"))
    for path in ("hooks/post-checkout", "hooks/post-index-change", "git"):
        repository.write({path: f"#!/bin/sh\ntouch {canary}\n"})
        (repository.root / path).chmod(0o755)
    repository.write({"specs/a.yaml": spec("a", "timeout: 1\n")})
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    assert list(sides(repository, "main").old.contracts) == ["a"]
    assert not canary.exists()


def test_a_partial_clone_fetches_nothing(folder: Path, made: Repository, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    made.git("config", "uploadpack.allowFilter", "true")
    made.git("clone", "-q", "--filter=blob:none", f"file://{made.root}", str(folder / "partial"))
    clone = Repository(folder / "partial")
    clone.git("config", "remote.origin.uploadpack", f"touch {canary}; git-upload-pack")
    clone.git("config", "core.fsmonitor", f"touch {canary}")
    error = refused(clone, "v1.0.0")
    assert "lacks files of the commit" in error.message
    assert not canary.exists()
    clone.git("config", "--unset", "core.fsmonitor")
    clone.git("config", "--unset", "remote.origin.uploadpack")
    clone.git(*error.hint.split("`")[1].split()[1:])
    assert sides(clone, "v1.0.0").old.contracts


def test_variables_of_a_hook_name_another_repository(
    made: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Repository.create(tmp_path / "other", {"README.md": ""})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    assert list(sides(made, "v1.1.0").old.contracts) == ALL
