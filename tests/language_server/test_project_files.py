"""An editor shows what `lint` reports: on every case of the suite, and after every kind of edit."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from toolgen.cli.language_server.project_files import ProjectFiles
from toolgen.cli.linting import Found, lint_specs
from toolgen.cli.report.entry import entry_of
from toolgen.language.diagnostic import SpecErrors
from toolgen.project.building.project_build import read_inputs

from tests.test_refused import CASES, _cases, _texts

PROJECTS = [*_cases(), *sorted(path for path in CASES.glob("accepted/*") if path.is_dir())]


class Project:
    """A project of an editor, and the unsaved texts of its specs."""

    def __init__(self, root: Path, texts: dict[str, bytes]) -> None:
        self.root, self.files, self.unsaved = root, ProjectFiles(), dict[Path, str]()
        (root / "toolgen.toml").write_text("")
        for path, text in texts.items():
            (root / "specs" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "specs" / path).write_bytes(text)

    def type(self, path: str, text: str) -> None:
        self.unsaved[self.root / "specs" / path] = text

    def look(self) -> dict[str, list[Found]]:
        self.files.look(self.root, self.unsaved)
        return self.files.found

    def errors(self, path: str) -> set[str]:
        found = self.look().get(f"specs/{path}", ())
        return {each.entry.code for each in found if each.entry.severity == "error"}


@pytest.mark.parametrize("case", PROJECTS, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_an_editor_shows_what_lint_finds_or_why_it_cannot(case: Path, tmp_path: Path) -> None:
    project = Project(tmp_path, _texts(case / "spec.yaml" if (case / "spec.yaml").exists() else case))
    found = itertools.chain(*project.look().values())
    shown = {replace(each.entry, fingerprint="") for each in found}
    try:
        inputs = read_inputs(str(tmp_path))
        report = lint_specs(inputs.specs, inputs.targets, inputs.settings, inputs.project.lint).report
    except SpecErrors as errors:
        wanted = {entry_of(each) for each in errors.diagnostics}
    else:
        wanted = {replace(each, fingerprint="") for each in report.entries if not each.accepted}
        assert shown == wanted
    assert wanted <= shown


SHARED = {
    "a.yaml": "$defs: {A: {type: object, properties: {b: {$ref: 'b.yaml#/$defs/B'}}}}\n",
    "b.yaml": "$defs: {B: {type: array, items: {$ref: 'a.yaml#/$defs/A'}}}\n",
    "tool.yaml": "name: t\ndescription: d\ninput_schema: {type: object, properties: {a: {$ref: 'a.yaml#/$defs/A'}}}\n",
}
OTHER = "name: NAME\ndescription: d\ninput_schema: {type: object}\n"


def test_a_refused_file_hides_nothing_of_the_others(tmp_path: Path) -> None:
    project = Project(tmp_path, {path: text.encode() for path, text in SHARED.items()})
    assert project.errors("tool.yaml") == set()
    project.type("b.yaml", "$defs: {C: {type: string}}\n")
    assert project.errors("a.yaml") == {"dangling-ref"}
    project.type("tool.yaml", "name: [")
    project.type("b.yaml", "$defs: {B: {type: strng}}\n")
    assert project.errors("tool.yaml") == {"yaml-syntax"}
    assert project.errors("b.yaml") == {"unknown-type"}
    assert project.errors("a.yaml") == set()
    project.unsaved.clear()
    assert not any(project.errors(path) for path in SHARED)


def test_a_tool_that_is_refused_is_still_known_by_its_name(tmp_path: Path) -> None:
    asks = "examples: [{name: n, ask: What?, not: [t], input: {}}]\n"
    texts = {"t.yaml": OTHER.replace("NAME", "t"), "u.yaml": OTHER.replace("NAME", "u") + asks}
    project = Project(tmp_path, {path: text.encode() for path, text in texts.items()})
    assert project.errors("u.yaml") == set()
    project.type("t.yaml", "name: t\nbroken")
    assert (project.errors("t.yaml"), project.errors("u.yaml")) == ({"yaml-syntax"}, set())
    project.type("t.yaml", OTHER.replace("NAME", "renamed"))
    assert (project.errors("t.yaml"), project.errors("u.yaml")) == (set(), {"unknown-tool"})


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    project = Project(tmp_path, {path: text.encode() for path, text in SHARED.items()})
    (tmp_path / "specs/broken.yaml").symlink_to("/etc/passwd")
    assert project.errors("tool.yaml") == set()
    assert project.errors("broken.yaml") == {"spec-outside"}
