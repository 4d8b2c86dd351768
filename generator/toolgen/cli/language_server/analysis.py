"""What the pipeline and lint say of each file of a project, and of all of them together.

A file is analyzed with the shared files that it uses, so that a keystroke costs the work of one spec. All
files together are what `toolgen lint` sees.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from toolgen.cli.linting import joint_findings, lint_program
from toolgen.cli.report.entry import Entry
from toolgen.compile.compiled_specs import claims_of
from toolgen.compile.pipeline import bind_sources
from toolgen.compile.publishing.adapt import adapt
from toolgen.compile.publishing.references import choose_references
from toolgen.language.checking.check import joint_warnings, unknown_tools
from toolgen.language.checking.conflicts import find_conflicts, module_of_shared_file, published_names
from toolgen.language.diagnostic import Diagnostic, SpecErrors, in_order
from toolgen.language.lint.settings import LintSettings
from toolgen.language.package import PackageSettings
from toolgen.language.program import Program, ProgramTool
from toolgen.language.reading.read import read
from toolgen.language.source import Source, Span
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
    (source,) = read({path: text}, settings.prefix, located=True)
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
    """What an editor shows about a file."""

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
