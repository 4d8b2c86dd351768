"""Judge what changed between another version and the project: what `toolgen breaking` finds.

Of the contracts of both sides, only those are read whose specs can differ.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from toolgen.base.suggestions import count, did_you_mean, quoted
from toolgen.changes.comparing.against import AtCommit, OnDisk, find_against
from toolgen.changes.comparing.generated_names import python_names
from toolgen.changes.comparison import compare
from toolgen.changes.contract import ProjectSettings, Side, contracts_of
from toolgen.changes.finding import Category, Finding, Level
from toolgen.changes.policy import Policy, failing
from toolgen.changes.policy_file import entries_text, policy_of, read_policy
from toolgen.compile.incremental import Texts, is_shared_text
from toolgen.compile.pipeline import analyze
from toolgen.language.diagnostic import SpecErrors
from toolgen.language.targets.builtin import BASE
from toolgen.language.targets.definition import Target
from toolgen.project import (
    Project,
    UnableError,
    create_files,
    find_configuration,
    find_project,
    load_targets,
    read_specs,
)
from toolgen.project.building.project_build import Inputs, read_inputs
from toolgen.project.inputs.revision import read_folder, read_revision

_PLACES: Final = {
    "targets": ("", "targets"),
    "coerce": ("", "coerce"),
    "output_schema": ("mcp", "output_schema"),
    "package": ("", "output"),
    "server_name": ("server", "name"),
    "instructions": ("server", "instructions"),
}
"""Field of `ProjectSettings` → the section and the key that set it."""
_NO_TOOLS = "a comparison with nothing would find nothing but new tools"


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides of a comparison: the tools that can differ."""

    old: Side
    new: Side
    notes: tuple[str, ...] = ()  # sentences for the user: how an ambiguous name was taken


@dataclass(frozen=True, slots=True)
class SpecFiles:
    """The specs of one side, not parsed."""

    label: str
    prefix: str  # before the paths in messages
    specs: Texts
    targets: Sequence[Target]
    settings: ProjectSettings | None = None  # None: it is a folder of specs, not a project
    settings_text: str = ""  # of the configuration


def read_sides(against: str, start: str) -> Sides:
    """Return the tools of what `against` names, and those of the project at or above `start`.

    Tools whose specs are the same on both sides are left out.

    Raises:
        SpecErrors: a side has a spec that is not valid.
        UnableError: `against` names nothing, or what it names cannot be read.
    """
    inputs = read_inputs(start)
    found = find_against(against, start)
    if isinstance(found, AtCommit):
        sides = compare_files(files_at(found, inputs.project), files_of(inputs))
        return replace(sides, notes=(found.note,) if found.note else ())
    if isinstance(found, OnDisk) and found.path.is_dir():
        return compare_files(_folder_files(found), files_of(inputs))
    # Here, for it imports the importers, and most comparisons are with a commit.
    from toolgen.changes.comparing.definitions import compare_definitions
    from toolgen.changes.comparing.source_definitions import own_definitions, read_definitions

    exported = read_definitions(found)
    old, new = compare_definitions(exported, own_definitions(inputs, exported))
    return Sides(old, new, tuple(note for tool in exported.tools for note in tool.notes))


def compare_files(old: SpecFiles, new: SpecFiles) -> Sides:
    """Return the tools of both sides whose specs differ."""
    paths = _compared_paths(old.specs, new.specs)
    return Sides(_with_settings(_side(old, paths), old), _with_settings(_side(new, paths), new))


def _with_settings(side: Side, files: SpecFiles) -> Side:
    if files.settings is None:
        return side
    texts = {span.file: files.settings_text for span in files.settings.places.values()}
    return replace(side, settings=files.settings, texts={**side.texts, **texts})


def files_of(inputs: Inputs) -> SpecFiles:
    """Return the specs of the project in the work tree."""
    project = inputs.project
    return _project_files(project, "", f"{project.specs}/", inputs.specs, inputs.targets)


def files_at(found: AtCommit, project: Project) -> SpecFiles:
    """Return the specs at a commit."""
    if found.path is None:
        revision = read_revision(found.repository, found.commit, project)
    else:
        revision = read_folder(found.repository, found.commit, found.path, project)
    files = (found.commit.label, revision.prefix, revision.specs, revision.targets)
    if revision.configured_in is None:
        return SpecFiles(*files)
    return _project_files(revision.project, *files, shown=revision.configured_in)


def _folder_files(found: OnDisk) -> SpecFiles:
    """Return the specs of a folder: a project, or a folder of specs."""
    folder = Path(os.path.realpath(found.path))  # `resolve` raises for a circle of links
    shown = f"{found.shown.rstrip('/')}/".removeprefix("./")
    is_project = find_configuration(folder) is not None
    project = find_project(folder) if is_project else Project(folder.parent, "", "", specs=folder.name)
    prefix = f"{shown}{project.specs}/" if is_project else shown
    try:
        specs = read_specs(project)
    except UnableError as error:
        raise UnableError("no-specs", f"there is no spec in {prefix.rstrip('/')}", _NO_TOOLS) from error
    files = (found.shown, prefix, specs, load_targets(project))
    return _project_files(project, *files, shown=shown) if is_project else SpecFiles(*files)


def _project_files(
    project: Project, label: str, prefix: str, specs: Texts, targets: Sequence[Target], *, shown: str = ""
) -> SpecFiles:
    """Return the specs of a project, whose configuration is in the folder `shown`."""
    settings = settings_of(project, targets, shown)
    return SpecFiles(label, prefix, specs, targets, settings, project.text)


def _side(files: SpecFiles, paths: Iterable[str]) -> Side:
    """Return the tools in some of the specs of a side."""
    texts = {path: files.specs[path] for path in paths if path in files.specs}
    shown = {f"{files.prefix}{path}": text for path, text in texts.items()}
    if not texts:
        return Side(files.label, {})
    try:
        program = analyze(texts, files.targets, files.prefix, needs_tools=False)
        names = python_names(program)
    except SpecErrors as errors:
        raise SpecErrors(errors.diagnostics, shown) from None
    contracts = contracts_of(program)
    with_names = {name: replace(each, python=names[name]) for name, each in contracts.items()}
    return Side(files.label, with_names, shown)


def settings_of(project: Project, targets: Iterable[Target], prefix: str = "") -> ProjectSettings:
    """Return the settings of a project; its configuration is shown as a file at `prefix`."""
    found = {field: project.place_in(*place) for field, place in _PLACES.items()}
    return ProjectSettings(
        targets=frozenset(target.name for target in targets if target.name != BASE.name),
        coerce=project.coerce,
        output_schema=project.mcp_output_schema,
        package=project.package,
        server_name=project.server_name or project.package,
        instructions=project.server_instructions or "",
        places={field: replace(span, file=f"{prefix}{span.file}") for field, span in found.items()},
    )


def _compared_paths(old: Texts, new: Texts) -> list[str]:
    """Return the specs whose text differs, and the shared files; all specs if a shared file differs.

    Line ends do not count. Nothing is parsed but files that look like shared schemas.
    """
    paths = old.keys() | new.keys()
    changed = {path for path in paths if _differ(old.get(path), new.get(path))}
    if not changed:
        return []
    shared = {path for side in (old, new) for path, text in side.items() if is_shared_text(path, text)}
    return sorted(paths if changed & shared else changed | shared)


def _differ(one: bytes | str | None, other: bytes | str | None) -> bool:
    if one is None or other is None:
        return True
    return one is not other and one != other and _unix(one) != _unix(other)


def _unix(text: bytes | str) -> bytes:
    raw = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return raw.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")


@dataclass(frozen=True, slots=True)
class Judgement:
    """The findings of a comparison."""

    findings: tuple[Finding, ...]
    failed: tuple[Finding, ...]  # those for which the comparison fails
    level: Level  # from which it fails
    notes: tuple[str, ...]  # sentences for the user
    texts: Mapping[str, bytes | str]  # file of a finding → its content

    @property
    def shown(self) -> tuple[Finding, ...]:
        """Return the findings without safe changes, unless these fail, too."""
        least = self.level if self.level is Level.INFO else Level.WARNING
        return tuple(each for each in self.findings if each.level.reaches(least))


@dataclass(frozen=True, slots=True)
class Threshold:
    """Which findings fail: those in some categories, from a level on."""

    categories: frozenset[Category]
    level: str | None = None  # None: as configured
    allow_unanalysed: bool = False


def judge(against: str, start: str, threshold: Threshold, *, today: date) -> Judgement:
    """Return the findings about the project at `start`, compared with `against`.

    `today` decides about sunsets and expired entries. Raises `SpecErrors` and `UnableError`.
    """
    return _judgement(read_sides(against, start), read_policy(start), threshold, today)


def accept(
    against: str, start: str, threshold: Threshold, *, code: str, reason: str, today: date
) -> Judgement:
    """Accept the findings with `code` that fail; return the judgement in which they do not.

    For each, an entry with the reason is added to the project's file of accepted changes. Raises as `judge`.
    """
    project = find_project(Path(start))
    sides = read_sides(against, start)
    before = _judgement(sides, policy_of(project), threshold, today)
    found = [each for each in before.failed if each.code == code]
    if not found:
        codes = sorted({each.code for each in before.failed})
        hint = did_you_mean(code, codes) or f"what fails: {', '.join(codes) or 'nothing'}"
        raise UnableError("usage", f"nothing that fails has the code {quoted(code)}", hint)
    entries = entries_text(found, reason)
    after = _judgement(sides, policy_of(project, entries), threshold, today)
    # of an entry that expired, for one
    if any(each.code == code for each in after.failed):
        hint = "correct the version of the tool, or `expires` of the entry"
        raise UnableError("usage", f"{quoted(code)} cannot be accepted by a new entry", hint)
    create_files(project.root, {project.breaking.accept: entries}, append=True)
    note = f"{count(len(found), 'change')} accepted in {project.breaking.accept}"
    return replace(after, notes=(*after.notes, note))


def _judgement(sides: Sides, policy: Policy, threshold: Threshold, today: date) -> Judgement:
    found = compare(sides.old, sides.new, policy=policy, today=today)
    categories, allowed = threshold.categories, threshold.allow_unanalysed
    findings = tuple(each for each in found if each.category in categories)
    level = Level(threshold.level) if threshold.level else policy.level
    failed = tuple(failing(findings, level, categories, allow_unanalysed=allowed))
    texts = {**sides.old.texts, **sides.new.texts, **policy.texts}
    return Judgement(findings, failed, level, sides.notes, texts)
