"""The specs of a project as an editor has them: unsaved texts over those on disk, analyzed as they change."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from toolgen.cli.linting import joint_findings, lint_program
from toolgen.cli.report.entry import Entry, entry_of
from toolgen.compile.compiled_specs import claims_of
from toolgen.compile.pipeline import bind_sources
from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.references import choose_references
from toolgen.language.checking.check import joint_warnings, unknown_tools
from toolgen.language.checking.conflicts import find_conflicts, module_of_shared_file, published_names
from toolgen.language.diagnostic import Diagnostic, SpecErrors, in_order
from toolgen.language.lint.baseline import BaselineError, parse_baseline
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.reading.read import read
from toolgen.language.source import Source, Span
from toolgen.language.spec import is_shared_file
from toolgen.language.target import Target
from toolgen.project import Project, UnableError, find_project, load_targets, read_text
from toolgen.project.building.project_build import Inputs
from toolgen.project.inputs.specs import SUFFIXES, FoundSpecs, find_specs, too_large
from toolgen.schema.limits import BUDGET

_NO_PROGRAM: Final = Program(())


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a project that its findings depend on."""

    targets: tuple[Target, ...]
    package: PackageSettings
    lint: LintSettings
    baseline: Counter[str] | None

    @property
    def prefix(self) -> str:
        """The part of the paths of specs before the specs folder."""
        return f"{self.package.specs}/" if self.package.specs else ""


@dataclass(frozen=True, slots=True)
class FileAnalysis:
    """One file, as the pipeline sees it."""

    source: Source | None  # None: its text is not YAML
    program: Program | None  # of this file, with the shared files that it uses; None if it is refused
    faults: tuple[Diagnostic, ...] = ()  # why it is refused

    @property
    def tool(self) -> ProgramTool | None:
        """The tool of a valid spec, enabled or not."""
        program = self.program or _NO_PROGRAM
        return next(iter((*program.tools, *program.disabled)), None)


def read_file(path: str, text: bytes | str, settings: Settings) -> Source:
    """Return a file's text and data. Raises `SpecErrors` if it is not YAML, or too large."""
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors="surrogatepass"))
    if size > BUDGET.spec_bytes:
        raise SpecErrors([Diagnostic(Span(settings.prefix + path, 1, 1), "too-complex", too_large(size))])
    (source,) = read({path: text}, settings.prefix)
    return source


def analyze_file(source: Source, shared: Sequence[Source], settings: Settings) -> FileAnalysis:
    """Analyze one file with the files of shared schemas that it uses."""
    try:
        program = bind_sources((source, *shared), settings.targets, needs_tools=False, all_rules=True)
        program = choose_references(adapt(program, settings.targets), settings.package)
    except SpecErrors as refused:  # perhaps for faults of other files, which are reported there
        own = tuple(each for each in refused.diagnostics if each.span.file == source.file)
        return FileAnalysis(source, None, own)
    return FileAnalysis(source, program)


def named_files(source: Source) -> frozenset[str]:
    """Return the other files that references in a file lead to."""
    return frozenset(_named_files(source.data, posixpath.dirname(source.path))) - {source.path}


def _named_files(data: Any, folder: str) -> Iterator[str]:
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += value
        elif isinstance(value, dict):
            stack += value.values()
            ref = value.get("$ref")
            file = ref.partition("#")[0] if isinstance(ref, str) else ""
            if file.endswith((".yaml", ".yml")):
                yield posixpath.normpath(posixpath.join(folder, unquote(file)))


# Findings


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings about a file, as an editor shows them."""

    entries: tuple[Entry, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()  # what the entries were made of: hints with suggestions

    def origin(self, entry: Entry) -> Diagnostic | None:
        """Return the diagnostic that an entry was made of."""
        found = (each for each in self.diagnostics if (each.span, each.code) == (entry.span, entry.code))
        return next(found, None)


def find_together(files: Sequence[FileAnalysis], settings: Settings) -> dict[str, Findings]:
    """Return what is found in files, as places show them: `toolgen lint`, with the errors between files."""
    program = _merged(each.program for each in files if each.program is not None)
    found = (*program.warnings, *_joint_diagnostics(program, settings))
    report = lint_program(program, found, settings.lint, baseline=settings.baseline).report
    entries: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in report.entries:
        if not entry.accepted:
            entries[entry.span.file].append(entry)
    diagnostics: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for each in found:
        diagnostics[each.span.file].append(each)
    return {file: Findings(tuple(shown), tuple(diagnostics[file])) for file, shown in entries.items()}


def _joint_diagnostics(program: Program, settings: Settings) -> tuple[Diagnostic, ...]:
    """Return what only all files together show: names that two of them need, unknown names, findings."""
    return in_order(
        [
            *_joint_faults(program, settings.targets),
            *joint_warnings(program.tools, all_rules=True),
            *joint_findings(program, settings.targets, settings.package),
        ]
    )


def _merged(programs: Iterable[Program]) -> Program:
    """Return one program with the specs of all `programs`."""
    programs = list(programs)
    return Program(
        tuple(sorted((tool for each in programs for tool in each.tools), key=lambda tool: tool.spec.name)),
        in_order(warning for each in programs for warning in each.warnings),
        tuple(tool for each in programs for tool in each.disabled),
        {path: found for each in programs for path, found in each.shared.items()},
    )


def _joint_faults(program: Program, targets: Sequence[Target]) -> list[Diagnostic]:
    """Return the names that two specs need, and those of tools that no spec has."""
    publishing = [target.name for target in targets if target.tool_name]
    claims = [claim for tool in program.tools for claim in claims_of(tool)]
    for tool in program.tools:  # also for targets that it was not converted for
        claims += published_names(tool, [each for each in publishing if each not in tool.published])
    claims += [module_of_shared_file(path, shared) for path, shared in program.shared.items()]
    return [*find_conflicts(claims), *unknown_tools([*program.tools, *program.disabled])]


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
