"""An editor shows what `lint` and `check` report: on every case of the suite, and after every kind of edit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toolgen.cli.language_server import project_files
from toolgen.cli.language_server.project_files import Findings, ProjectFiles, analyze_file
from toolgen.cli.linting import lint_specs
from toolgen.cli.report.entry import Entry, entry_of
from toolgen.compile.pipeline import compile_project
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.source import Source
from toolgen.project.building.project_build import read_inputs

from tests.test_refused import CASES, _cases, _texts

PROJECTS = [*_cases(), *sorted(path for path in CASES.glob("accepted/*") if path.is_dir())]


def project_of(root: Path, texts: dict[str, bytes]) -> ProjectFiles:
    (root / "toolgen.toml").write_text("")
    for path, text in texts.items():
        (root / "specs" / path).parent.mkdir(parents=True, exist_ok=True)
        (root / "specs" / path).write_bytes(text)
    found = ProjectFiles.find(root)
    assert found is not None
    return found


def look(files: ProjectFiles) -> dict[str, Findings]:
    files.refresh()
    return files.findings()


def entries(found: dict[str, Findings]) -> set[Entry]:
    return {replace(entry, fingerprint="") for each in found.values() for entry in each.entries}


def refused(errors: SpecErrors) -> set[Entry]:
    return {entry_of(each) for each in errors.diagnostics}


@pytest.mark.parametrize("case", PROJECTS, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_an_editor_shows_what_lint_finds_and_all_that_check_refuses(case: Path, tmp_path: Path) -> None:
    files = project_of(tmp_path, _texts(case / "spec.yaml" if (case / "spec.yaml").exists() else case))
    shown = entries(look(files)) | {entry_of(each) for each in files.unreadable.values()}
    needed: set[Entry] = set()
    try:
        inputs = read_inputs(str(tmp_path))
        report = lint_specs(inputs.specs, inputs.targets, inputs.settings, inputs.project.lint).report
    except SpecErrors as errors:
        needed = refused(errors)
    if needed:
        # names of other tools are looked at when the file itself is valid
        assert {each for each in needed - shown if each.code != "unknown-tool"} == set()
        return
    found = {replace(entry, fingerprint="") for entry in report.entries if not entry.accepted}
    assert not found - shown
    if more := shown - found:  # names in Python are no concern of lint
        with pytest.raises(SpecErrors) as raised:
            compile_project(inputs.specs, inputs.targets, inputs.settings, {})
        assert more == refused(raised.value)


SHARED = {
    "a.yaml": "$defs: {A: {type: object, properties: {b: {$ref: 'b.yaml#/$defs/B'}}}}\n",
    "b.yaml": "$defs: {B: {type: array, items: {$ref: 'a.yaml#/$defs/A'}}}\n",
    "tool.yaml": "name: t\ndescription: d\ninput_schema: {type: object, properties: {a: {$ref: 'a.yaml#/$defs/A'}}}\n",
}


def codes(found: dict[str, Findings], path: str) -> set[str]:
    return {entry.code for entry in found[path].entries if entry.severity == "error"}


def test_shared_files_may_refer_to_each_other(tmp_path: Path) -> None:
    files = project_of(tmp_path, {path: text.encode() for path, text in SHARED.items()})
    found = look(files)
    assert all(files.analysis(path).program for path in SHARED)
    files.set_text("b.yaml", "$defs: {C: {type: string}}\n")
    found = look(files)
    assert codes(found, "a.yaml") == {"dangling-ref"}
    assert codes(found, "tool.yaml") == set()
    files.set_text("b.yaml", None)
    look(files)
    assert all(files.analysis(path).program for path in SHARED)


def test_a_file_that_becomes_shared_is_found_by_those_that_look_for_it(tmp_path: Path) -> None:
    files = project_of(tmp_path, {path: SHARED[path].encode() for path in ("a.yaml", "tool.yaml")})
    assert codes(look(files), "a.yaml") == {"dangling-ref"}
    files.set_text("b.yaml", "name: b\n")
    assert codes(look(files), "a.yaml") == {"dangling-ref"}
    files.set_text("b.yaml", SHARED["b.yaml"])
    assert codes(look(files), "a.yaml") == set()
    files.set_text("b.yaml", None)
    assert codes(look(files), "a.yaml") == {"dangling-ref"}


def test_a_file_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    files = project_of(tmp_path, {path: text.encode() for path, text in SHARED.items()})
    (tmp_path / "specs/broken.yaml").symlink_to("/etc/passwd")
    files.read_disk()
    assert codes(look(files), "tool.yaml") == set()
    assert [*files.unreadable] == ["specs/broken.yaml"]


def test_only_what_changed_and_what_uses_it_is_analyzed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = project_of(
        tmp_path, {path: text.encode() for path, text in SHARED.items()} | {"c.yaml": b"name: c\n"}
    )
    analyzed: list[str] = []

    def analyze(source: Source, *rest: Any) -> Any:
        analyzed.append(source.path)
        return analyze_file(source, *rest)

    monkeypatch.setattr(project_files, "analyze_file", analyze)
    look(files)
    assert sorted(analyzed) == ["a.yaml", "b.yaml", "c.yaml", "tool.yaml"]
    analyzed.clear()
    files.set_text("b.yaml", SHARED["b.yaml"] + "# typed\n")
    look(files)
    assert analyzed == ["a.yaml", "b.yaml", "tool.yaml"]
    analyzed.clear()
    files.set_text("c.yaml", "name: d\n")
    files.read_disk()
    look(files)
    assert analyzed == ["c.yaml"]
