"""What the pipeline and lint say of each file of a project, and of all of them together.

A file is analyzed with the shared files that it uses, so that a keystroke costs the work of one spec. All
files together are what `toolgen lint` sees, and are looked at when nobody types.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import unquote

from toolgen.cli.linting import joint_faults, joint_findings, lint_program, merged
from toolgen.cli.report.entry import Entry, entry_of
from toolgen.compile.pipeline import bind_sources
from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.references import choose_references
from toolgen.language.checking.check import joint_warnings
from toolgen.language.diagnostic import Diagnostic, SpecErrors, in_order
from toolgen.language.lint.linter import lint_names
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.reading.read import read
from toolgen.language.source import Source, Span
from toolgen.language.spec import is_shared_file
from toolgen.language.target import Target
from toolgen.project.inputs.specs import too_large
from toolgen.schema.limits import BUDGET

_NO_PROGRAM: Final = Program(())


@dataclass(frozen=True, slots=True)
class Settings:
    """What the findings in a project depend on, beside its files."""

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
    uses: frozenset[str] = frozenset()  # other files that it refers to, directly or not

    @property
    def is_shared(self) -> bool:
        """True for a file of shared schemas."""
        return self.source is not None and is_shared_file(self.source.data)

    @property
    def tool(self) -> ProgramTool | None:
        """The tool of a valid spec, enabled or not."""
        program = self.program or _NO_PROGRAM
        return next(iter((*program.tools, *program.disabled)), None)


def analyze_file(
    path: str,
    text: bytes | str,
    shared: Mapping[str, FileAnalysis],
    settings: Settings,
    illegible: Collection[str] = (),
) -> FileAnalysis:
    """Analyze one file.

    Args:
        path: Below the specs folder.
        text: What is in it.
        shared: The files of shared schemas, as they were when they were last valid.
        settings: Those of the project.
        illegible: Files that have never been YAML: nothing is said about those that use them.
    """
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors="surrogatepass"))
    file = settings.prefix + path
    if size > BUDGET.spec_bytes:
        return FileAnalysis(None, None, (Diagnostic(Span(file, 1, 1), "too-complex", too_large(size)),))
    try:
        (source,) = read({path: text}, settings.prefix, located=True)
    except SpecErrors as refused:
        return FileAnalysis(None, None, refused.diagnostics)
    uses = _used_files(source, shared)
    known = {each: found.source for each, found in shared.items() if each != path and found.source}
    if uses <= known.keys():  # what is missing is reported beside what is there
        known = {each: known[each] for each in uses}
    if not uses.isdisjoint(illegible):
        return FileAnalysis(source, None, (), uses)
    try:
        program = _program((source, *known.values()), settings)
    except SpecErrors as refused:  # perhaps for faults of other files, which are reported there
        own = tuple(each for each in refused.diagnostics if each.span.file == file)
        return FileAnalysis(source, None, own, uses)
    return FileAnalysis(source, program, (), uses)


def _program(sources: tuple[Source, ...], settings: Settings) -> Program:
    program = bind_sources(sources, settings.targets, needs_tools=False, all_rules=True)
    return choose_references(adapt(program, settings.targets), settings.package)


def _used_files(source: Source, shared: Mapping[str, FileAnalysis]) -> frozenset[str]:
    """Return the files that references in a file lead to, and those that they lead to."""
    found = set(_named_files(source.data, posixpath.dirname(source.path))) - {source.path}
    for path in list(found):
        found |= shared[path].uses if path in shared else set()
    return frozenset(found - {source.path})


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
    """What an editor shows about a file."""

    entries: tuple[Entry, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()  # what the entries were made of: hints with suggestions

    def origin(self, entry: Entry) -> Diagnostic | None:
        """Return the diagnostic that an entry was made of."""
        found = (each for each in self.diagnostics if (each.span, each.code) == (entry.span, entry.code))
        return next(found, None)


@dataclass(frozen=True, slots=True)
class JointFindings:
    """What all files of a project show together."""

    findings: Mapping[str, Findings]  # file, as places show it → what is found there
    foreign: Mapping[str, tuple[Diagnostic, ...]]  # the part that its own analysis does not find


def find_alone(
    file: str, analysis: FileAnalysis, foreign: Sequence[Diagnostic], settings: Settings
) -> Findings:
    """Return what is found in one file: its faults, or else its own findings and the `foreign` ones."""
    if analysis.program is None:
        return Findings(tuple(map(entry_of, analysis.faults)), analysis.faults)
    found = (*_own_warnings(analysis, settings), *foreign)
    return _linted(analysis.program, found, settings, [file]).get(file, Findings())


def find_together(files: Sequence[FileAnalysis], settings: Settings) -> JointFindings:
    """Return what is found in all files of a project: `toolgen lint`, with the errors between files."""
    program = merged(each.program for each in files if each.program is not None)
    joint = _joint_diagnostics(program, settings)
    own = {each.source.file: set(_own_warnings(each, settings)) for each in files if each.source is not None}
    foreign: dict[str, tuple[Diagnostic, ...]] = {}
    for each in (*program.warnings, *joint):
        if each not in own.get(each.span.file, ()):
            foreign[each.span.file] = (*foreign.get(each.span.file, ()), each)
    return JointFindings(_linted(program, (*program.warnings, *joint), settings), foreign)


def _linted(
    program: Program, found: Sequence[Diagnostic], settings: Settings, only: Sequence[str] = ()
) -> dict[str, Findings]:
    report = lint_program(program, found, settings.lint, baseline=settings.baseline, only=only).report
    entries: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in report.entries:
        if not entry.accepted:
            entries[entry.span.file].append(entry)
    diagnostics: defaultdict[str, list[Diagnostic]] = defaultdict(list)
    for each in found:
        diagnostics[each.span.file].append(each)
    return {file: Findings(tuple(shown), tuple(diagnostics[file])) for file, shown in entries.items()}


def _own_warnings(analysis: FileAnalysis, settings: Settings) -> tuple[Diagnostic, ...]:
    """Return the findings that a file and the shared files that it uses are enough for."""
    program = analysis.program or _NO_PROGRAM
    return in_order([*program.warnings, *lint_names(program.tools, settings.package.server_name)])


def _joint_diagnostics(program: Program, settings: Settings) -> tuple[Diagnostic, ...]:
    """Return what only all files together show: names that two of them need, unknown names, findings."""
    return in_order(
        [
            *joint_faults(program, settings.targets),
            *joint_warnings(program.tools, all_rules=True),
            *joint_findings(program, settings.targets, settings.package),
        ]
    )


def moved(found: Diagnostic, before: Source, after: Source) -> Diagnostic:
    """Return a diagnostic about a place in `before` where that place is now."""
    for marks, find in ((before.marks.keys, after.key), (before.marks.values, after.value)):
        for path, span in marks.items():
            if span == found.span:
                return replace(found, span=find(path))
    return found
