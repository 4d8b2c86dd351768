"""A team with Windows and Linux. Line ends that git converts change neither `check` nor what is committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.project import ECHO_SPEC, Project

from .repository import Repository

LONG_TEXT = Path(__file__).with_name("remind.yaml").read_text("utf-8")
TARGET = 'tool_name: "^.*$"\nmax_tools: 100\n'
TEMPLATE = "{% for tool in model.tools %}{{ tool.wire_name }}\n{% endfor %}"
OWN_TARGET = 'targets = ["mcp", "openai", "names"]\ntemplates = "own"\n'


@pytest.fixture
def origin(project: Project) -> Repository:
    """A project with a target of its own, generated where lines end in LF, and committed."""
    project.add_tool("echo", ECHO_SPEC)
    project.write("specs/remind.yaml", LONG_TEXT)
    project.write("own/names/target.yaml", TARGET)
    project.write("own/names/names.txt.jinja", TEMPLATE)
    configuration = project.root / "toolgen.toml"
    configuration.write_text(configuration.read_text() + OWN_TARGET)
    project.generate()
    return Repository.of(project)


@pytest.fixture(params=["as git does it", "as init says"])
def repository(origin: Repository, request: pytest.FixtureRequest) -> Repository:
    """The same, without and with the attributes that `init` writes."""
    if request.param == "as init says":
        assert origin.project.toolgen("init").returncode == 0
        assert "eol=lf" in (origin.root / ".gitattributes").read_text()
        origin.commit("attributes")
    return origin


def test_check_is_clean_where_lines_end_in_crlf(repository: Repository) -> None:
    windows = repository.clone("core.autocrlf=true")
    assert b"\r\n" in (windows.root / "specs/echo.yaml").read_bytes()
    done = windows.project.toolgen("check")
    assert (done.returncode, done.stdout) == (0, "")


def test_generate_where_lines_end_in_crlf_leaves_nothing_to_commit(repository: Repository) -> None:
    windows = repository.clone("core.autocrlf=true")
    done = windows.project.toolgen("generate")
    assert done.returncode == 0
    assert "EDITED" not in done.stderr
    assert "0 files written" in done.stdout
    assert windows.git("status", "--porcelain") == ""


def test_what_is_generated_there_is_what_is_generated_here(repository: Repository) -> None:
    windows, linux = repository.clone("core.autocrlf=true"), repository.clone("core.autocrlf=false")
    for each in (windows, linux):
        spec = each.root / "specs/remind.yaml"
        spec.write_bytes(spec.read_bytes().replace(b"Remind somebody.", b"Remind one person."))
        done = each.project.toolgen("generate")
        assert (done.returncode, "EDITED" in done.stderr) == (0, False)
        each.commit("reword")
    assert windows.git("rev-parse", "HEAD^{tree}") == linux.git("rev-parse", "HEAD^{tree}")


def test_an_edited_line_is_still_noticed(origin: Repository) -> None:
    windows = origin.clone("core.autocrlf=true")
    catalog = windows.root / "generated/catalog.py"
    catalog.write_bytes(catalog.read_bytes() + b"x = 1\r\n")
    done = windows.project.toolgen("check")
    assert done.returncode == 1
    assert "EDITED generated/catalog.py" in done.stdout
    assert "+x = 1" not in done.stdout, "the diff shows how to get rid of the line"
    assert "-x = 1" in done.stdout
    assert done.stdout.count("\n-") == 2, "and no line for its end alone"
