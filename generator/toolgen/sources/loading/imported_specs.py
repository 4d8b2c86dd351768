"""Write the specs of imported tools into a project, all or none, and modules that implement them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from toolgen.base.files import FileKind
from toolgen.base.suggestions import count, listed
from toolgen.compile.pipeline import analyze
from toolgen.compile.printing.format import format_tree
from toolgen.compile.printing.lower import lower
from toolgen.language.diagnostic import Progress, no_progress
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import Program
from toolgen.language.reading.read import read
from toolgen.language.spec import is_shared_file
from toolgen.project import (
    Project,
    UnableError,
    create_files,
    find_configuration,
    kind_of,
    load_targets,
    locate,
)
from toolgen.project.building.spec_source import project_at
from toolgen.project.files.atomic_write import replace_files
from toolgen.project.files.reading import RootedPath
from toolgen.project.inputs.specs import existing_specs, too_large
from toolgen.project.output.beside import SCHEMA, schema_text
from toolgen.project.scaffolding.new_project import planned_project
from toolgen.project.scaffolding.new_tool import PACKAGE, missing_packages
from toolgen.schema.budget import BUDGET
from toolgen.sources.imported_tool import ImportedTool, ImportedTools, LeftOut
from toolgen.sources.loading.source_content import source_errors
from toolgen.sources.reimport import ExistingSpecs, plan_import, plan_sync
from toolgen.sources.spec_names import ExistingNames

_SMALLER = "nothing was written; import the source without this tool, or with a shorter schema"
_NOTHING = "nothing was written"
_STRICT = "nothing was written; fix the source, or leave out --strict"
_NOT_WRITTEN = (
    "nothing was written; --sync brings earlier imports of this source up to date, with --implement if calls "
    "are forwarded; --into DIR gives another source a folder of its own"
)


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """Where the specs of an import go."""

    kind: str  # of source
    start: str  # the user's folder
    into: str | None = None  # the folder for the specs; None: the project's specs folder
    sync: bool = False  # update earlier imports
    strict: bool = False  # one tool that cannot be imported refuses all
    upstream: str = ""  # the module of the server that calls are forwarded to


@dataclass(frozen=True, slots=True)
class NewModules:
    """Modules with implementations that do not exist yet."""

    files: Mapping[str, str]  # path below the project → text
    notes: Sequence[str] = ()  # about tools that get none


def module_path(project: Project, name: str) -> str:
    """Return the path of the module `name` in the package of the implementations."""
    return f"{project.path_of(f'{project.implementations}.{name}')}.py"


def new_modules(project: Project, files: Mapping[str, str], notes: Sequence[str] = ()) -> NewModules:
    """Return the modules of `files` that do not exist yet, laid out as generated code is."""
    new = {path: text for path, text in files.items() if kind_of(project.root, path) is None}
    kept = len(files) - len(new)
    note = [f"{count(kept, 'module')} in {project.implementations} kept as before"] if kept else []
    return NewModules(format_tree(new), (*notes, *note))


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import has written."""

    tools: int  # in the source
    specs: int
    written: Sequence[str]  # paths relative to the user's folder
    notes: Sequence[str]  # about the tools
    module_notes: Sequence[str]
    left_out: Sequence[str]  # tools that cannot be imported, and why
    program: Program | None  # the tools that were written; None: none


Implementations = Callable[[Project, Package], NewModules]


@dataclass(frozen=True, slots=True)
class Destination:
    """The folder for the specs of an import."""

    place: RootedPath  # the specs folder; paths of files are relative to it
    folder: str  # the folder of `--into` below it, with a trailing slash, or empty
    shown: str  # the specs folder relative to the user's folder, with a trailing slash
    project: Project | None
    existing: Mapping[str, bytes]  # existing specs by path

    @property
    def base(self) -> Path:
        """Return the path of the specs folder."""
        return self.place.root / self.place.path

    def is_specs_folder(self) -> bool:
        """True if this is the specs folder of the project."""
        return self.project is not None and self.place == RootedPath(self.project.root, self.project.specs)


@dataclass(frozen=True, slots=True)
class ImportContext:
    """The specs and files that exist before an import."""

    destination: Destination
    specs: ExistingSpecs
    names: ExistingNames
    progress: Progress = no_progress
    left_out: LeftOut = field(default_factory=LeftOut)


Convert = Callable[[ImportContext], list[ImportedTool] | ImportedTools]


def import_tools(
    request: ImportRequest,
    convert: Convert,
    owned: tuple[str, ...],
    implementations: Implementations | None = None,
    *,
    make_project: Callable[[str], Project],
    progress: Progress = no_progress,
) -> ImportResult:
    """Convert the tools of a source, and write their specs.

    Args:
        request: where they go.
        convert: returns the tools; may raise `SourceError`.
        owned: the spec fields that `--sync` takes from the source.
        implementations: returns the implementations to write as well.
        make_project: makes the project at the user's folder, where there is none.
        progress: called while tools are read, checked and measured.

    Raises:
        UnableError: an existing file would be replaced, or an imported spec does not compile.
    """
    destination = _find_destination(request)
    if implementations is not None and not destination.is_specs_folder():
        raise UnableError(
            "usage",
            "--implement works only for tools in the project's specs folder",
            "leave out --into, or --implement",
        )
    sources = read(destination.existing, destination.shown) if destination.existing else ()
    by_path = {each.path: each for each in sources}
    specs = ExistingSpecs(request.kind, destination.folder, by_path, request.upstream)
    left_out = LeftOut()
    with source_errors():
        found = convert(ImportContext(destination, specs, specs.names(request.sync), progress, left_out))
    tools = ImportedTools(found) if isinstance(found, list) else found
    if left_out.reasons and (request.strict or not tools.tools):
        first, *others = left_out.messages()
        more = f", and {count(len(others), 'other reason')}" if others else ""
        raise UnableError(left_out.code, f"{first}{more}", _STRICT if tools.tools else _NOTHING)
    plan = plan_sync(tools, specs, owned, left_out.reasons) if request.sync else plan_import(tools, specs)
    if plan.conflicts:
        raise UnableError("file-exists", _list_conflicts(destination, plan.conflicts), _NOT_WRITTEN)
    program = _analyzed(destination, plan.files, progress)
    if specs.shared_path(tools.shared_file) in plan.files:  # the others may no longer compile with it
        _analyzed(destination, {**plan.unchanged, **plan.files}, progress)
    settings = PackageSettings(mcp_output_schema=project_of(destination).mcp_output_schema)
    package = None if program is None else lower(program, settings)  # may refuse
    modules = NewModules({})
    if implementations is not None and destination.project is not None:
        if plan.unchanged:  # tools whose specs are as they should be may have no implementation yet
            package = _package(destination, {**plan.unchanged, **plan.files})
        if package is not None:
            modules = implementations(destination.project, package)
    start = Path(os.path.realpath(request.start))
    if plan.files and find_configuration(project_of(destination).root) is None and request.into is None:
        make_project(request.start)
    if modules.files and destination.project is not None:
        packages = dict.fromkeys(missing_packages(destination.project), PACKAGE)
        modules = replace(modules, files={**packages, **modules.files})
    _write(destination, _with_editor_schema(destination, plan.files), modules.files, replace=request.sync)
    written = [destination.shown + path for path in plan.files]
    if destination.project is not None:
        written += [_relative(destination.project.root / path, start) for path in modules.files]
    imported = len(plan.files.keys() - {specs.shared_path(tools.shared_file)})
    return ImportResult(
        len(tools.tools), imported, written, plan.notes, modules.notes, left_out.messages(), program
    )


def project_of(destination: Destination) -> Project:
    """Return the project, or one with the settings that an unconfigured folder has."""
    return destination.project or Project(destination.base.parent, "", "")


def project_for(start: str, into: str | None) -> Project | None:
    """Return the project of an import into `into`; without a folder, one is planned where there is none."""
    project = project_at(Path(start))
    return planned_project(Path(os.path.realpath(start))) if project is None and into is None else project


def _write(
    destination: Destination, files: Mapping[str, str], modules: Mapping[str, str], *, replace: bool
) -> None:
    """Write the specs, and modules below the project: all or none."""
    place = destination.place
    files = {**{place.with_name(path): text for path, text in files.items()}, **modules}
    if replace:
        replace_files(place.root, files)
    else:
        create_files(place.root, files)


def _relative(path: Path, start: Path) -> str:
    return os.path.relpath(path, start).replace(os.sep, "/")


def _list_conflicts(destination: Destination, paths: Sequence[str]) -> str:
    names = listed([destination.shown + path for path in paths])
    return f"{names} exist{'s' if len(paths) == 1 else ''} already"


def _find_destination(request: ImportRequest) -> Destination:
    """Return the folder of `--into`, inside the specs folder of the project or elsewhere."""
    start = Path(os.path.realpath(request.start))
    project = project_for(request.start, request.into)
    if request.into is None and project is not None:
        place, folder = RootedPath(project.root, project.specs), ""
    else:
        place, folder = _place_of(request.into or "", start, project)
    shown = f"{_relative(place.root / place.path, start)}/".removeprefix("./")
    return Destination(
        place, folder, shown, project, existing_specs(Project(place.root, "", "", specs=place.path or "."))
    )


def _place_of(into: str, start: Path, project: Project | None) -> tuple[RootedPath, str]:
    """Return the folder of specs that `--into` is in, and the folder below it with a trailing slash."""
    place = locate(start if project is None else project.root, start, into)
    if project is not None:
        specs = project.root / project.specs
        inner = locate(specs, start, into)
        if inner.root == specs:
            return RootedPath(project.root, project.specs), f"{inner.path}/" if inner.path else ""
    if kind_of(place.root, place.path, links=True) not in (None, FileKind.FOLDER):
        raise UnableError("cannot-write", f"{into} is not a folder", "give a folder for the specs")
    return place, ""


def _with_editor_schema(destination: Destination, files: Mapping[str, str]) -> dict[str, str]:
    """Return `files` and the schema that editors check specs with, unless it exists."""
    name, text = SCHEMA, schema_text()
    place = destination.place
    if not files or kind_of(place.root, place.with_name(name)) is not None:
        return dict(files)
    return {**files, name: text}


def _analyzed(
    destination: Destination, files: Mapping[str, str], progress: Progress = no_progress
) -> Program | None:
    """Return the tools of `files`, so that nothing is written that `generate` would refuse."""
    texts = {path: text.encode() for path, text in files.items()}
    if not texts:
        return None
    for path, text in texts.items():
        if len(text) > BUDGET.spec_bytes:
            raise UnableError(
                "too-complex", f"{destination.shown}{path} would be {too_large(len(text))}", _SMALLER
            )
    specs = {**_shared_schemas(destination), **texts}
    targets = load_targets(project_of(destination))
    return analyze(specs, targets, destination.shown, needs_tools=False, progress=progress)


def _package(destination: Destination, files: Mapping[str, str]) -> Package | None:
    """Return the tools of `files` as they are generated."""
    program = _analyzed(destination, files)
    return None if program is None else lower(program, PackageSettings())


def _shared_schemas(destination: Destination) -> dict[str, bytes]:
    """Return the files of shared schemas, which an updated spec may use."""
    sources = read(destination.existing) if destination.existing else ()
    return {
        source.path: destination.existing[source.path] for source in sources if is_shared_file(source.data)
    }
