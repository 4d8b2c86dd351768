"""From the configured folder to what should be in the output folder: what `generate` and `check` share."""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256

from toolgen.cli.building.progress import worker_pool_with_progress
from toolgen.cli.output import say
from toolgen.compile.output_changes import digest, file_summary, find_changes
from toolgen.compile.printing.lower import lower
from toolgen.data.changes import Change, PackageTree, Tree
from toolgen.data.diagnostic import Diagnostic
from toolgen.data.internal_error import TemplateBug
from toolgen.data.manifest import GeneratedFile, Manifest
from toolgen.data.package import Package, PackageSettings
from toolgen.data.program import Program
from toolgen.data.target import Target
from toolgen.pipeline import LinkedPackage, analyze, compile_project
from toolgen.project import (
    TOOLCHAIN,
    BuildRecord,
    Cache,
    ExistingOutput,
    Project,
    ReadProject,
    UnableError,
    cache_folder,
    generator_id,
    load_targets,
    prune,
    read_output,
    read_project,
    record_key,
    refuse_foreign,
    save_record,
    use_temporary_folder,
    versions,
)
from toolgen.project.output.manifest import manifest_text
from toolgen.python_source.literals import comment


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that the output depends on, read."""

    project: Project
    specs: Mapping[str, bytes]  # posix path below the specs folder → content
    targets: tuple[Target, ...]

    @property
    def settings(self) -> PackageSettings:
        """Return the settings of the generated package."""
        project = self.project
        return PackageSettings(
            project.package,
            project.implementations,
            project.specs,
            project.coerce,
            project.server_name,
            project.server_version,
            project.server_instructions,
        )


@dataclass(frozen=True, slots=True)
class OutputPlan:
    """The output folder as it should be and as it is. Nothing has been written yet."""

    project: Project
    tools: int
    tree: Tree  # the files that should be there
    existing: ExistingOutput
    changes: tuple[Change, ...]
    manifest: Manifest  # as it should be
    manifest_text: str  # the same, as a file
    warnings: tuple[Diagnostic, ...]
    shared_files: Mapping[str, tuple[str, ...]]  # spec → the shared files that it uses


def read_inputs(start: str) -> Inputs:
    """Read the project at or above `start`, its specs and its targets."""
    return _with_targets(read_project(start))


def _with_targets(read: ReadProject) -> Inputs:
    return Inputs(read.project, read.specs, load_targets(read.project))


def program_of(inputs: Inputs) -> Program:
    """Return the analyzed specs. Raises `SpecErrors` with every fault in them."""
    return analyze(inputs.specs, inputs.targets, f"{inputs.project.specs}/", is_whole=True)


def package_of(program: Program, inputs: Inputs) -> Package:
    """Return the package as templates see it."""
    return lower(program, inputs.settings)


def plan(read: ReadProject) -> OutputPlan:
    """Compile a project's specs and compare the result with the output folder.

    Raises `UnableError` where a foreign file is in the way.
    """
    return _plan(read, _with_targets(read), _cache())


def _cache() -> Cache:
    """Return the user's cache; it is empty and stays so if others may write to it."""
    folder = cache_folder()
    cache = Cache(folder / generator_id())
    if not cache.trusted:
        say(f"toolgen: the cache is not used, others may write to it: {folder}")
    return cache


def _plan(read: ReadProject, inputs: Inputs, cache: Cache) -> OutputPlan:
    with use_temporary_folder():
        package = _compiled(inputs, read.digests, cache)
    existing = read_output(inputs.project, package.tree)
    renamed = _renamed_classes(existing, package.tree)
    tree = _with_old_names(package.tree, renamed)
    changes = find_changes(tree, existing.files, existing.manifest)
    refuse_foreign(inputs.project, changes, existing.manifest)
    manifest = manifest_of(inputs.settings, inputs.targets, read.digests, tree)
    manifest = replace(manifest, renamed_classes=renamed)
    text = manifest_text(manifest)
    record = BuildRecord(digest(text), len(package.tools), package.warnings)
    save_record(record_key(read), record, cache)
    if cache.trusted:
        prune(cache_folder())
    below = f"{inputs.project.specs}/"
    return OutputPlan(
        project=inputs.project,
        tools=len(package.tools),
        tree=tree,
        existing=existing,
        changes=changes,
        manifest=manifest,
        manifest_text=text,
        warnings=package.warnings,
        shared_files={
            spec.source.file: tuple(sorted(below + path for path in spec.shared_files))
            for spec in package.tools
        },
    )


def _renamed_classes(existing: ExistingOutput, tree: Tree) -> Mapping[str, Mapping[str, str]]:
    """Return the former names of the classes in `tree`, in a project that toolgen 0.1 generated.

    They are found once, when `generate` replaces the files of 0.1, and are in the manifest from then on.
    """
    if existing.manifest.is_of_0_1:
        from toolgen.models.renamed_classes import renamed_classes

        return renamed_classes(existing.files, tree)
    known = existing.manifest.renamed_classes
    if not known:
        return {}
    from toolgen.models.renamed_classes import existing_names

    return existing_names(known, tree)


def _with_old_names(tree: PackageTree, renamed: Mapping[str, Mapping[str, str]]) -> PackageTree:
    """Return `tree` with modules that give a renamed class by its former name, too, with a warning."""
    if not renamed:
        return tree
    from toolgen.cli.file_templates import render

    template = "_upgrade/old_names.py.jinja"
    return tree.with_texts({path: tree[path] + render(template, names=renamed[path]) for path in renamed})


def _compiled(inputs: Inputs, digests: Mapping[str, str], cache: MutableMapping[str, bytes]) -> LinkedPackage:
    try:
        return compile_project(
            inputs.specs,
            inputs.targets,
            inputs.settings,
            cache,
            worker_pool_with_progress,
            digests=digests,
        )
    except TemplateBug as error:
        if inputs.project.templates is None:
            raise
        hint = f"look at the templates in {inputs.project.templates}"
        raise UnableError("bad-template", str(error), hint) from error


def manifest_of(
    settings: PackageSettings, targets: Sequence[Target], specs: Mapping[str, str], tree: Tree
) -> Manifest:
    """Return the manifest of `tree`, made from `specs`: path → hash of the content."""
    shown = {comment(f"{settings.specs}/{path}"): f"{settings.specs}/{path}" for path in specs}
    templates = {
        target.name: [target.dialect, target.tool_name, dict(target.templates)] for target in targets
    }
    files = {path: file_summary(tree, path) for path in tree}
    options = {**asdict(settings), "targets": [target.name for target in targets]}
    return Manifest(
        toolchain=versions(TOOLCHAIN),
        templates=_digest(templates),
        options=_digest(options),
        inputs={f"{settings.specs}/{path}": found for path, found in specs.items()},
        outputs={path: GeneratedFile(file.digest, shown.get(file.source)) for path, file in files.items()},
    )


def _digest(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
