"""A project as an editor has it: unsaved texts over the files on disk, and what is found in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolgen.cli.linting import Found, lint_specs, read_baseline
from toolgen.cli.report.entry import entry_of
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.reading.read import decode_text, read
from toolgen.language.source import Source
from toolgen.language.yaml12.reader import DocumentError
from toolgen.project import Project, find_project, load_targets
from toolgen.project.building.project_build import Inputs
from toolgen.project.inputs.specs import SUFFIXES, find_specs

_ABOUT_OTHERS: Final = ("dangling-ref", "unknown-tool")
"""Faults that a file may only have because another one is refused."""


@dataclass(slots=True)
class ProjectFiles:
    """A project, as it was when it was last read. Paths of specs are posix, below the folder of specs."""

    project: Project | None = None  # None: its configuration is refused
    texts: dict[str, bytes | str] = field(default_factory=dict)  # path of a spec → its text
    found: dict[str, list[Found]] = field(default_factory=dict)  # file as places show it → what is wrong
    _valid: Mapping[str, bytes | str] = field(default_factory=dict)  # texts as they were last valid

    def look(self, folder: Path, unsaved: Mapping[Path, str]) -> None:
        """Read all files, and find what `toolgen lint` does. Raises `UnableError` if that is not possible.

        Of a file that is refused, only its faults are found; its last valid text counts for the others.
        """
        try:
            self.project = project = find_project(folder)
        except SpecErrors as refused:
            self.project, self.texts = None, {}
            self.found = _by_file(map(_refusal, refused.diagnostics))
            return
        on_disk = find_specs(project)
        opened = {path: text for file, text in unsaved.items() if (path := self.path_of(file)) is not None}
        self.texts = {**on_disk.specs, **opened}
        self.found = _by_file([*map(_refusal, on_disk.faults), *self._findings(project)])

    def _findings(self, project: Project) -> list[Found]:
        inputs, baseline = Inputs(project, {}, load_targets(project)), read_baseline(project)
        texts = {**self.texts}
        refused: list[Found] = []
        while texts:
            try:
                result = lint_specs(texts, inputs.targets, inputs.settings, project.lint, baseline=baseline)
            except SpecErrors as error:
                files = {each.span.file for each in error.diagnostics}
                known = () if not refused else _ABOUT_OTHERS
                refused += (_refusal(each) for each in error.diagnostics if each.code not in known)
                at_fault = [each for each in texts if self.shown(each) in files]
                if not at_fault:  # of no spec: without any of them the same is found
                    break
                for path in at_fault:
                    text = texts.pop(path)
                    if self._valid.get(path, text) != text:
                        texts[path] = self._valid[path]
                continue
            self._valid = texts
            files = {each.entry.span.file for each in refused}
            found = (each for each in result.found if not each.entry.accepted)
            return [*refused, *(each for each in found if each.entry.span.file not in files)]
        return refused

    def path_of(self, file: Path) -> str | None:
        """Return the path of a spec; None for a file that is none of the project's specs."""
        folder = self.project and self.project.root / self.project.specs
        if not folder or not file.is_relative_to(folder) or file.suffix not in SUFFIXES:
            return None
        path = file.relative_to(folder)
        return None if any(part.startswith(".") for part in path.parts) else path.as_posix()

    def shown(self, path: str) -> str:
        """Return a spec as places show it."""
        return f"{self.project.specs}/{path}" if self.project else path

    def lines_of(self, path: str | None) -> Sequence[str]:
        """Return the lines of a spec, as places count them; none of another file."""
        try:
            return decode_text("", self.texts.get(path or "", "")).split("\n")
        except DocumentError:  # not UTF-8: its fault is at the first line
            return [""]

    def sources(self) -> dict[str, Source]:
        """Return the specs that are YAML, by their paths."""
        found: dict[str, Source] = {}
        for path, text in self.texts.items():
            try:
                (found[path],) = read({path: text}, self.shown(""))
            except SpecErrors:  # its diagnostics say why
                continue
        return found


def _refusal(fault: Diagnostic) -> Found:
    return Found(entry_of(fault), fault)


def _by_file(found: Iterable[Found]) -> dict[str, list[Found]]:
    by_file: dict[str, list[Found]] = {}
    for each in found:
        by_file.setdefault(each.entry.span.file, []).append(each)
    return by_file
