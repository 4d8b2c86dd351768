"""The contracts of both sides of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from toolgen.cli.building.project_build import Inputs, read_inputs
from toolgen.cli.comparing.against import AtCommit, OnDisk, find_against
from toolgen.cli.comparing.changed_specs import find_changed
from toolgen.cli.comparing.generated_names import python_names
from toolgen.cli.comparing.settings import settings_of
from toolgen.compat.contract import Side, contracts_of
from toolgen.compat.settings import Settings
from toolgen.data.diagnostic import SpecErrors
from toolgen.data.target import Target
from toolgen.incremental import Texts
from toolgen.pipeline import analyze
from toolgen.project import (
    Project,
    UnableError,
    find_configuration,
    find_project,
    load_targets,
    read_specs,
    read_text,
)
from toolgen.project.inputs.revision import read_folder, read_revision
from toolgen.project.output.manifest import NAME, parse_manifest

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
    former_names: Mapping[str, Mapping[str, str]]  # of classes that generated modules still give, by module
    settings: Settings | None = None  # None: it is a folder of specs, not a project
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
        with found.repository:
            sides = compare_files(files_at(found, inputs.project, inputs.specs), files_of(inputs))
        return replace(sides, notes=(found.note,) if found.note else ())
    is_generated = isinstance(found, OnDisk) and (found.path / NAME).is_file()
    if isinstance(found, OnDisk) and found.path.is_dir() and not is_generated:
        return compare_files(_folder_files(found), files_of(inputs))
    from toolgen.cli.comparing import exported_sides
    from toolgen.cli.comparing.exported_sides import compare_definitions, own_definitions

    if isinstance(found, OnDisk) and is_generated:
        exported = exported_sides.read_generated(found)
    else:
        exported = exported_sides.read_definitions(found)
    old, new = compare_definitions(exported, own_definitions(inputs, exported))
    return Sides(old, new, tuple(note for tool in exported.tools for note in tool.notes))


def compare_files(old: SpecFiles, new: SpecFiles) -> Sides:
    """Return the tools of both sides whose specs differ."""
    changed = find_changed(old.specs, new.specs)
    return Sides(_with_settings(_side(old, changed.old), old), _with_settings(_side(new, changed.new), new))


def _with_settings(side: Side, files: SpecFiles) -> Side:
    if files.settings is None:
        return side
    texts = {span.file: files.settings_text for span in files.settings.places.values()}
    return replace(side, settings=files.settings, texts={**side.texts, **texts})


def files_of(inputs: Inputs) -> SpecFiles:
    """Return the specs of the project in the work tree."""
    project = inputs.project
    settings = settings_of(project, inputs.targets) if project.file else None
    former = _former_names(project)
    return SpecFiles("", f"{project.specs}/", inputs.specs, inputs.targets, former, settings, project.text)


def _former_names(project: Project) -> Mapping[str, Mapping[str, str]]:
    """Return former name → name of the classes that generated modules still give by both, by module."""
    try:
        text = read_text(project.root, f"{project.output}/{NAME}") or ""
    except UnableError:
        return {}
    manifest = parse_manifest(text) if '"renamed_classes"' in text else None
    return manifest.renamed_classes if manifest else {}


def files_at(found: AtCommit, project: Project, known: Mapping[str, bytes]) -> SpecFiles:
    """Return the specs at a commit."""
    if found.path is None:
        revision = read_revision(found.repository, found.commit, project, known)
    else:
        revision = read_folder(found.repository, found.commit, found.path, project=project, known=known)
    files = SpecFiles(found.commit.label, revision.prefix, revision.specs, revision.targets, {})
    if revision.configured_in is None:
        return files
    settings = settings_of(revision.project, revision.targets, revision.configured_in)
    return replace(files, settings=settings, settings_text=revision.project.text)


def _folder_files(found: OnDisk) -> SpecFiles:
    """Return the specs of a folder: a project, or a folder of specs."""
    folder = found.path.resolve()
    shown = found.shown.rstrip("/") or "/"
    if find_configuration(folder) is not None:
        project = find_project(folder)
        prefix = f"{shown}/{project.specs}/".removeprefix("./")
    else:
        project = Project(folder.parent, "", "", specs=folder.name)
        prefix = f"{shown}/".removeprefix("./")
    try:
        specs = read_specs(project)
    except UnableError as error:
        raise UnableError("no-specs", f"there is no spec in {prefix.rstrip('/')}", _NO_TOOLS) from error
    targets = load_targets(project)
    files = SpecFiles(found.shown, prefix, specs, targets, {})
    if not project.file:
        return files
    settings = settings_of(project, targets, f"{shown}/".removeprefix("./"))
    return replace(files, settings=settings, settings_text=project.text)


def _side(files: SpecFiles, texts: Texts) -> Side:
    """Return the tools in some of the specs of a side."""
    shown = {f"{files.prefix}{path}": text for path, text in texts.items()}
    if not texts:
        return Side(files.label, {})
    try:
        program = analyze(texts, files.targets, files.prefix, needs_tools=False)
        names = python_names(program, files.former_names)
    except SpecErrors as errors:
        raise SpecErrors(errors.diagnostics, shown) from None
    contracts = contracts_of(program)
    with_names = {name: replace(each, python=names[name]) for name, each in contracts.items()}
    return Side(files.label, with_names, shown)
