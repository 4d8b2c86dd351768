"""The specs of a project as an editor has them: unsaved texts over those on disk, analyzed as they change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from toolgen.cli.language_server.analysis import (
    FileAnalysis,
    Findings,
    Settings,
    analyze_file,
    find_together,
    named_files,
    read_file,
)
from toolgen.cli.report.entry import entry_of
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.lint.baseline import BaselineError, parse_baseline
from toolgen.language.source import Source
from toolgen.language.spec import is_shared_file
from toolgen.project import Project, UnableError, find_project, load_targets, read_text
from toolgen.project.building.project_build import Inputs
from toolgen.project.inputs.specs import SUFFIXES, FoundSpecs, find_specs


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a file, and what it was read as."""

    text: bytes | str
    source: Source | None  # of this text, or else of the last one that was YAML
    names: frozenset[str]  # the files that references in `source` lead to
    faults: tuple[Diagnostic, ...]  # why this text is not YAML


@dataclass(frozen=True, slots=True)
class _Analyzed:
    """A file's analysis, and what it was made of."""

    sources: Sequence[Source]
    found: FileAnalysis


class ProjectFiles:
    """A project in an editor. Paths are posix, below the specs folder.

    `refresh` analyzes what has changed; the methods below it answer as of then.
    """

    def __init__(self, project: Project) -> None:
        inputs = Inputs(project, {}, load_targets(project))
        self.project = project
        self.settings = Settings(inputs.targets, inputs.settings, project.lint, _read_baseline(project))
        self.unreadable: dict[str, Diagnostic] = {}  # file, as places show it → why it cannot be read
        self._disk: dict[str, bytes] = {}
        self._buffers: dict[str, str] = {}
        self._texts: dict[str, _Text] = {}
        self._analyzed: dict[str, _Analyzed] = {}
        self._valid: dict[str, FileAnalysis] = {}  # as they were when they were last valid
        self.read_disk()

    @staticmethod
    def find(folder: Path) -> ProjectFiles | None:
        """Return the project at or above `folder`; None if there is none. Raises as `find_project`."""
        try:
            return ProjectFiles(find_project(folder))
        except UnableError as error:
            if error.code == "no-configuration":
                return None
            raise

    def path_of(self, file: Path) -> str | None:
        """Return the path of a spec below the specs folder; None for a file that is none of its specs."""
        folder = self.project.root / self.project.specs
        if not file.is_relative_to(folder) or file.suffix not in SUFFIXES:
            return None
        path = file.relative_to(folder)
        return None if any(part.startswith(".") for part in path.parts) else path.as_posix()

    def file_of(self, path: str) -> Path:
        """Return the file on disk."""
        return self.project.root / self.project.specs / path

    def path_shown(self, file: str) -> str | None:
        """Return the path of a file that a message names; None if it is no spec."""
        path = file.removeprefix(self.settings.prefix)
        return path if file.startswith(self.settings.prefix) and path in self else None

    # Texts

    def __contains__(self, path: str) -> bool:
        return path in self._buffers or path in self._disk

    def text_of(self, path: str) -> bytes | str:
        """Return the text of a spec: the unsaved one, or that on disk."""
        return self._buffers[path] if path in self._buffers else self._disk[path]

    def read_disk(self) -> None:
        """Read the specs on disk again. A folder that cannot be listed has none: `check` reports it."""
        try:
            found = find_specs(self.project)
        except UnableError:
            found = FoundSpecs({}, [])
        self._disk = found.specs
        self.unreadable = {each.span.file: each for each in found.faults}

    def set_text(self, path: str, text: str | None) -> None:
        """Set the unsaved text of a spec; None: that on disk counts again."""
        if text is None:
            self._buffers.pop(path, None)
        else:
            self._buffers[path] = text

    # Analysis

    def refresh(self) -> None:
        """Analyze every file that has changed, and those that use it."""
        paths = sorted(self._disk.keys() | self._buffers.keys())
        self._texts = {path: self._read(path) for path in paths}
        self._analyzed = {path: self._analyze(path) for path in paths}
        now_valid = {path: each.found for path, each in self._analyzed.items() if each.found.program}
        self._valid = {path: each for path, each in self._valid.items() if path in self} | now_valid

    def _read(self, path: str) -> _Text:
        before, text = self._texts.get(path), self.text_of(path)
        if before is not None and before.text == text:
            return before
        try:
            source = read_file(path, text, self.settings)
        except SpecErrors as refused:
            old = before or _Text(text, None, frozenset(), ())
            return replace(old, text=text, faults=refused.diagnostics)
        return _Text(text, source, named_files(source), ())

    def _analyze(self, path: str) -> _Analyzed:
        read = self._texts[path]
        if read.source is None or read.faults:
            return _Analyzed((), FileAnalysis(None, None, read.faults))
        shared = self._shared_files(path)
        if shared is None:  # nothing is said about a use of what cannot be read
            return _Analyzed((), FileAnalysis(read.source, None))
        sources, before = (read.source, *shared), self._analyzed.get(path)
        if before is not None and [*map(id, before.sources)] == [*map(id, sources)]:
            return before
        return _Analyzed(sources, analyze_file(read.source, shared, self.settings))

    def _shared_files(self, path: str) -> list[Source] | None:
        """Return the shared files that a file uses, directly or not; None if one of them was never YAML.

        If one of them is not there, return all that are: the fault names what is similar.
        """
        sources = {each: read.source for each, read in self._texts.items() if each != path}
        shared = {each: source for each, source in sources.items() if source and is_shared_file(source.data)}
        used: set[str] = set()
        waiting = {*self._texts[path].names}
        while waiting:
            used.add(name := waiting.pop())
            if name in sources and sources[name] is None:
                return None
            if name in shared:
                waiting |= self._texts[name].names - used
        is_complete = used <= {*shared, path}
        return [source for each, source in shared.items() if each in used or not is_complete]

    def analysis(self, path: str) -> FileAnalysis:
        """Return the analysis of a file."""
        return self._analyzed[path].found

    def readable(self) -> dict[str, FileAnalysis]:
        """Return every file with its text as it is, or as it was when it was last YAML.

        The program of a file that is refused is that of its last valid text.
        """
        return {
            path: replace(
                each.found,
                source=self._texts[path].source,
                program=self._valid.get(path, each.found).program,
            )
            for path, each in self._analyzed.items()
        }

    def broken(self) -> list[str]:
        """Return the files that are not YAML, as places show them."""
        return [self.settings.prefix + path for path, each in self._texts.items() if each.faults]

    def findings(self) -> dict[str, Findings]:
        """Return what is found in each file: its faults, or else what all valid files show together."""
        joint = find_together([*self._valid.values()], self.settings)
        return {
            path: joint.get(self.settings.prefix + path, Findings())
            if each.found.program is not None
            else Findings(tuple(map(entry_of, each.found.faults)), each.found.faults)
            for path, each in self._analyzed.items()
        }


def _read_baseline(project: Project) -> Counter[str] | None:
    try:
        text = read_text(project.root, project.lint.baseline)
        return None if text is None else parse_baseline(text)
    except (UnableError, BaselineError):  # `toolgen lint` reports it
        return None
