"""The specs of a project as an editor has them: unsaved texts over those on disk, analyzed as they change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from toolgen.cli.language_server.analysis import (
    FileAnalysis,
    Findings,
    JointFindings,
    Settings,
    analyze_file,
    find_alone,
    moved,
)
from toolgen.compile.incremental import is_shared_text
from toolgen.language.diagnostic import Diagnostic
from toolgen.language.lint.baseline import BaselineError, parse_baseline
from toolgen.language.source import Source
from toolgen.project import Project, UnableError, find_project, find_specs, load_targets, read_text
from toolgen.project.building.project_build import Inputs
from toolgen.project.inputs.specs import SUFFIXES, FoundSpecs

_NOT_ANALYZED = FileAnalysis(None, None)


@dataclass(frozen=True, slots=True)
class Job:
    """The analysis of a file, which a thread may run: it changes nothing."""

    path: str
    text: bytes | str
    run: Callable[[], FileAnalysis]


class ProjectFiles:
    """A project in an editor. Paths are posix, below the specs folder.

    A file is `stale` after it, or a shared file that it uses, has changed: a `job` analyzes it again.
    """

    def __init__(self, project: Project) -> None:
        inputs = Inputs(project, {}, load_targets(project))
        self.project = project
        self.settings = Settings(inputs.targets, inputs.settings, project.lint, _read_baseline(project))
        self.stale: set[str] = set()
        self.unreadable: dict[str, Diagnostic] = {}  # file, as places show it → why it cannot be read
        self._disk: dict[str, bytes] = {}
        self._buffers: dict[str, str] = {}
        self._analyses: dict[str, FileAnalysis] = {}
        self._valid: dict[str, FileAnalysis] = {}  # as they were when they were last valid
        # file → its text when all files were last looked at, and what was found in it because of others
        self._foreign: dict[str, tuple[Source, tuple[Diagnostic, ...]]] = {}
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

    def shown(self, path: str) -> str:
        """Return the path as places in messages have it."""
        return self.settings.prefix + path

    def path_shown(self, file: str) -> str | None:
        """Return the path of a file that a message names; None if it is no spec."""
        path = file.removeprefix(self.settings.prefix)
        return path if file.startswith(self.settings.prefix) and path in self else None

    # Texts

    def paths(self) -> list[str]:
        """Return all specs, sorted."""
        return sorted(self._disk.keys() | self._buffers.keys())

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
        before, self._disk = self._disk, found.specs
        self.unreadable = {each.span.file: each for each in found.faults}
        for path in before.keys() | found.specs.keys():
            if path not in self._buffers and before.get(path) != found.specs.get(path):
                self._changed(path)

    def set_text(self, path: str, text: str | None) -> None:
        """Set the unsaved text of a spec; None: that on disk counts again."""
        if text is None:
            self._buffers.pop(path, None)
        elif self._buffers.get(path) == text:
            return
        else:
            self._buffers[path] = text
        self._changed(path)

    def _changed(self, path: str) -> None:
        if path not in self:
            was_shared = self._analyses.pop(path, _NOT_ANALYZED).is_shared
            self.stale.discard(path)
            self._valid.pop(path, None)
            self._foreign.pop(path, None)
            self._mark_users(path, all_files=was_shared)
            return
        self.stale.add(path)

    def _mark_users(self, path: str, *, all_files: bool = False) -> None:
        """Mark the files as stale that use `path`; with `all_files`, all that may look for a shared file."""
        known = self._analyses.items()
        self.stale |= {each for each, found in known if path in found.uses or (all_files and found.faults)}

    # Analysis

    def stale_files(self) -> list[str]:
        """Return the files to analyze: shared ones first, on which others depend."""
        return sorted(self.stale, key=lambda path: (not self._looks_shared(path), path))

    def stale_shared(self) -> list[str]:
        """Return the stale files of shared schemas."""
        return [path for path in self.stale_files() if self._looks_shared(path)]

    def _looks_shared(self, path: str) -> bool:
        found = self._analyses.get(path)
        return is_shared_text(path, self.text_of(path)) if found is None else found.is_shared

    def job(self, path: str) -> Job:
        """Return the work that analyzes a file as it is now."""
        text = self.text_of(path)
        known = [each for each in self._analyses if each != path]
        illegible = {each for each in known if self.valid(each).source is None}
        return Job(path, text, partial(analyze_file, path, text, self.shared(), self.settings, illegible))

    def keep(self, job: Job, found: FileAnalysis) -> None:
        """Keep the result of a job, unless its file has changed; files that use it become stale."""
        path = job.path
        if path not in self or self.text_of(path) is not job.text:
            return
        if found.source is None and path not in self._analyses:
            self._mark_users(path)  # which have looked for it in vain
        before = self._analyses.get(path, _NOT_ANALYZED)
        self.stale.discard(path)
        self._analyses[path] = found
        if found.program is not None:
            self._valid[path] = found
        # what depends on a file that only depends on another is stale already
        if (found.is_shared or before.is_shared) and _is_other(found, before):
            self._mark_users(path, all_files=not (found.is_shared and before.is_shared))
            self.stale.discard(path)

    def analysis(self, path: str) -> FileAnalysis:
        """Return the last analysis of a file."""
        return self._analyses.get(path, _NOT_ANALYZED)

    def valid(self, path: str) -> FileAnalysis:
        """Return the analysis of a file as it was when it was last valid."""
        return self._valid.get(path, self.analysis(path))

    def shared(self) -> dict[str, FileAnalysis]:
        """Return the files of shared schemas, as they were when they were last valid."""
        return {
            path: self.valid(path) for path, found in self._analyses.items() if self.valid(path).is_shared
        }

    def readable(self) -> dict[str, FileAnalysis]:
        """Return every file with its text as it is, or as it was when it was last YAML.

        The program of a file that is refused is that of its last valid text.
        """
        files: dict[str, FileAnalysis] = {}
        for path in self.paths():
            found, valid = self.analysis(path), self.valid(path)
            files[path] = replace(found, program=valid.program) if found.source is not None else valid
        return files

    def broken(self) -> list[str]:
        """Return the files that are not YAML, as places show them."""
        return [self.shown(path) for path in self.paths() if self.analysis(path).source is None]

    # Findings

    def find_alone(self, path: str) -> Findings:
        """Return what is found in a file as it is, and what others showed about it, where that is now."""
        found = self.analysis(path)
        before, foreign = self._foreign.get(path, (None, ()))
        if found.source is not None and before is not None:
            foreign = tuple(moved(each, before, found.source) for each in foreign)
        return find_alone(self.shown(path), found, foreign, self.settings)

    def snapshot(self) -> list[FileAnalysis]:
        """Return all files as they were when they were last valid: what `find_together` takes."""
        return [self.valid(path) for path in self.paths()]

    def keep_joint(self, joint: JointFindings) -> dict[str, Findings]:
        """Keep what all files show together; return what is found in each of them."""
        self._foreign = {
            path: (source, joint.foreign.get(self.shown(path), ()))
            for path in self.paths()
            if (source := self.valid(path).source) is not None
        }
        return {
            path: joint.findings.get(self.shown(path), Findings())
            if self.analysis(path).program is not None
            else self.find_alone(path)
            for path in self.paths()
        }


def _is_other(found: FileAnalysis, before: FileAnalysis) -> bool:
    if found.source is None or before.source is None:
        return found.source is not before.source
    return found.source.text != before.source.text or (found.program is None) != (before.program is None)


def _read_baseline(project: Project) -> Counter[str] | None:
    try:
        text = read_text(project.root, project.lint.baseline)
        return None if text is None else parse_baseline(text)
    except (UnableError, BaselineError):  # `toolgen lint` reports it
        return None
