"""The configuration: where it is found, what it may contain, where its errors point."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from toolgen.cli import main
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.project import Project, UnableError, find_project, find_root
from toolgen.project.inputs.configuration import SECTIONS, TOP

from tests.samples import load_beside


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def configured(folder: Path, text: str) -> Project:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "toolgen.toml").write_text(text)
    return find_project(folder)


def refused(folder: Path, text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(SpecErrors) as caught:
        configured(folder, text)
    return caught.value.diagnostics


def test_an_empty_file_means_the_defaults(repo: Path) -> None:
    project = configured(repo, "")
    assert (project.specs, project.output, project.implementations) == ("specs", "generated", None)
    assert (project.targets, project.templates, project.coerce) == (None, None, True)
    assert (project.package, project.import_root) == ("generated", repo.resolve())


def test_every_setting(repo: Path) -> None:
    (repo / "src").mkdir()
    project = configured(
        repo,
        'specs = "./tools/specs/"\noutput = "src/app/tools"\nimplementations = "app.work"\n'
        'targets = ["mcp"]\ntemplates = "my/templates"\ncoerce = false\n',
    )
    assert (project.specs, project.output, project.templates) == (
        "tools/specs",
        "src/app/tools",
        "my/templates",
    )
    assert (project.targets, project.coerce) == (("mcp",), False)
    assert configured(repo, "[mcp]\noutput_schema = false").mcp_output_schema is False
    assert configured(repo, '[mcp]\nreferences = "inline"').mcp_references == "inline"
    assert configured(repo, "").mcp_references == "keep"
    assert project.package == "app.tools"
    assert project.import_root == repo.resolve() / "src"
    assert project.path_of("app.work") == "src/app/work"


def test_the_configuration_is_found_from_a_subfolder(repo: Path) -> None:
    configured(repo, "")
    below = repo / "a" / "b"
    below.mkdir(parents=True)
    assert find_project(below).root == repo.resolve()
    assert find_root(below) == repo.resolve()


def test_the_search_ends_at_the_repository(repo: Path) -> None:
    configured(repo, "")
    inner = repo / "vendored"
    (inner / ".git").mkdir(parents=True)
    with pytest.raises(UnableError, match="toolgen") as caught:
        find_project(inner)
    assert caught.value.code == "no-configuration"
    assert "toolgen init" in caught.value.hint


def test_a_pyproject_without_the_table_is_ignored(repo: Path) -> None:
    configured(repo, "")
    inner = repo / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text('[project]\nname = "toolgen-user"\n')
    assert find_project(inner).root == repo.resolve()


def test_two_configurations(repo: Path) -> None:
    (repo / "pyproject.toml").write_text("[project]\n\n[tool.toolgen]\n")
    (fault,) = refused(repo, "")
    assert (fault.code, fault.span.file, fault.span.line) == ("two-configurations", "pyproject.toml", 3)


@pytest.mark.parametrize(("text", "code", "line", "hint"), load_beside(__file__, "configuration.yaml"))
def test_every_fault_has_its_place(repo: Path, text: str, code: str, line: int, hint: str) -> None:
    fault = refused(repo, text)[0]
    assert (fault.code, fault.span.file, fault.span.line) == (code, "toolgen.toml", line)
    assert hint in fault.hint


def test_an_unknown_table_is_marked_by_its_name(repo: Path) -> None:
    (repo / "pyproject.toml").write_text("[tool.toolgen]\n\n[tool.toolgen.registry]\n")
    with pytest.raises(SpecErrors) as caught:
        find_project(repo)
    (fault,) = caught.value.diagnostics
    assert (fault.span.line, fault.span.column, fault.span.length) == (3, 15, len("registry"))


def test_help_names_every_setting(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "configuration"]) == 0
    page = capsys.readouterr().out
    written = tomllib.loads(page)
    assert written.keys() == TOP.keys()
    assert all(written[name].keys() == known.keys() for name, known in SECTIONS.items())
    assert configured(repo, page).server_name == "shop"
