"""From the configured folder to what should be in the output folder: what `generate` and `check` share."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Final

from toolgen.compile.incremental import WorkerPool
from toolgen.compile.output_changes import digest, file_summary, find_changes, with_lf
from toolgen.compile.pipeline import LinkedPackage, analyze, compile_project, without_suppressed_warnings
from toolgen.compile.printing.lower import lower
from toolgen.compile.publishing.definition import choose_references
from toolgen.compile.python_source.literals import comment
from toolgen.language.changes import Change, ChangeKind, GeneratedFile, Manifest, Tree, WrittenFiles
from toolgen.language.diagnostic import Diagnostic, Sunset, TemplateBug
from toolgen.language.package import Package, PackageSettings
from toolgen.language.program import Program
from toolgen.language.targets.definition import Target
from toolgen.language.targets.documents import DocumentTarget
from toolgen.project import Project, UnableError, load_targets, read_project
from toolgen.project.building.worker_pool import worker_pool
from toolgen.project.cache.entries import Cache, cache_folder, prune
from toolgen.project.cache.freshness import BuildRecord, record_key, save_record
from toolgen.project.cache.toolchain import TOOLCHAIN, numbers_of, versions
from toolgen.project.inputs.specs import ReadProject
from toolgen.project.output.folder import ExistingOutput, read_output, refuse_foreign, write
from toolgen.project.output.manifest import NAME, manifest_text, parse_manifest

_WRITTEN_BY: Final = re.compile(r'^ +"toolgen": "(\d[^"]*)"', re.MULTILINE)  # in a manifest


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
            project.mcp_output_schema,
            project.mcp_references,
            project.server_lenient_arguments,
            project.publish
            if any(isinstance(each.definition, DocumentTarget) for each in self.targets)
            else None,
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
    sunsets: tuple[Sunset, ...]
    shared_files: Mapping[str, tuple[str, ...]]  # spec → the shared files that it uses


def read_inputs(start: str) -> Inputs:
    """Read the project at or above `start`, its specs and its targets."""
    return _with_targets(read_project(start))


def _with_targets(read: ReadProject) -> Inputs:
    return Inputs(read.project, read.specs, load_targets(read.project))


def program_of(inputs: Inputs) -> Program:
    """Return the analyzed specs. Raises `SpecErrors` with every fault in them."""
    program = analyze(inputs.specs, inputs.targets, f"{inputs.project.specs}/", is_whole=True)
    return without_suppressed_warnings(choose_references(program, inputs.settings))


def package_of(program: Program, inputs: Inputs) -> Package:
    """Return the package as templates see it."""
    return lower(program, inputs.settings)


def plan(read: ReadProject, cache: Cache, pool: WorkerPool = worker_pool) -> OutputPlan:
    """Compile a project's specs and compare the result with the output folder.

    Raises `UnableError` where a foreign file is in the way.
    """
    inputs = _with_targets(read)
    package = _compiled(inputs, read.digests, cache, pool)
    existing = read_output(inputs.project, package.tree)
    changes = find_changes(package.tree, existing.files, existing.manifest)
    # before anything is written
    refuse_foreign(inputs.project, changes, existing.manifest)
    manifest = manifest_of(inputs.settings, inputs.targets, read.digests, package.tree)
    text = manifest_text(manifest)
    warnings = tuple(
        each for each in package.warnings if inputs.project.lint.level(each.code, each.span.file) != "off"
    )
    sunsets = tuple(spec.sunset for spec in package.tools if spec.sunset)
    # by which the next run knows unchanged inputs without compiling them
    record = BuildRecord(digest(text), len(package.tools), len(manifest.outputs), warnings, sunsets)
    save_record(record_key(read), record, cache)
    if cache.trusted:
        prune(cache_folder())
    below = f"{inputs.project.specs}/"
    return OutputPlan(
        project=inputs.project,
        tools=len(package.tools),
        tree=package.tree,
        existing=existing,
        changes=changes,
        manifest=manifest,
        manifest_text=text,
        warnings=warnings,
        sunsets=sunsets,
        shared_files={
            spec.source.file: tuple(sorted(below + path for path in spec.shared_files))
            for spec in package.tools
        },
    )


def write_output(plan: OutputPlan) -> WrittenFiles:
    """Make the output folder as it should be, all files or none.

    Raises `UnableError` if a newer toolgen wrote it.
    """
    _refuse_newer(plan)

    def paths(*kinds: ChangeKind, deleted: bool = False) -> tuple[str, ...]:
        return tuple(
            f"{plan.project.output}/{change.path}"
            for change in plan.changes
            if change.kind in kinds and (change.after is None) == deleted
        )

    write(plan.project, plan.changes, plan.manifest_text)
    written = paths(ChangeKind.CHANGED, ChangeKind.MISSING, ChangeKind.EDITED)
    return WrittenFiles(
        plan.tools,
        written,
        len(plan.tree) - len(written),
        removed=paths(ChangeKind.EXTRA, deleted=True),
        replaced=paths(ChangeKind.EDITED),
        kept=paths(ChangeKind.EDITED, deleted=True),
    )


def _refuse_newer(plan: OutputPlan) -> None:
    """Raise `UnableError` if a newer toolgen wrote the output: this one may remove what code relies on."""
    # not from the parsed manifest: a later format, or a merge of two manifests, is none
    written = _WRITTEN_BY.findall(plan.existing.text or "")
    newest, now = max(written, key=numbers_of, default=""), plan.manifest.toolchain["toolgen"]
    if numbers_of(newest) > numbers_of(now) > ():
        output = plan.project.output
        message = f"toolgen {newest} generated {output}, and this is toolgen {now}"
        hint = f"install toolgen {newest}; to go back for good, remove {output}/{NAME}"
        raise UnableError("unsupported-version", message, hint)


def _compiled(
    inputs: Inputs, digests: Mapping[str, str], cache: MutableMapping[str, bytes], pool: WorkerPool
) -> LinkedPackage:
    try:
        return compile_project(inputs.specs, inputs.targets, inputs.settings, cache, pool, digests=digests)
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
    described = {key: value for key, value in asdict(settings).items() if key != "publication" or value}
    options = {**described, "targets": [target.name for target in targets]}
    return Manifest(
        toolchain=versions(TOOLCHAIN),
        templates=_digest(templates),
        options=_digest(options),
        inputs={f"{settings.specs}/{path}": found for path, found in specs.items()},
        outputs={path: GeneratedFile(file.digest, shown.get(file.source)) for path, file in files.items()},
    )


def _digest(data: object) -> str:
    return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class OutputDiff:
    """Differences between output and specs. Paths are relative to the project."""

    changes: tuple[Change, ...]
    origins: Mapping[str, str]  # changed file → the spec that it comes from, unless from all
    specs: Mapping[str, str]  # spec → "edited", "added" or "removed" since the last `generate`
    uses: Mapping[str, tuple[str, ...]]  # spec → the files of shared schemas that it uses
    toolchain: Mapping[str, tuple[str, str]]  # distribution → its version then and now

    @property
    def clean(self) -> bool:
        """True if no file differs. Other versions of the toolchain that generate the same do not count."""
        return not self.changes

    @property
    def affected(self) -> Mapping[str, list[str]]:
        """Return spec → the changed files that come from it, or from a spec that uses it."""
        affected: dict[str, list[str]] = {}
        for path, origin in self.origins.items():
            for spec in {origin, *self.uses.get(origin, ())}:
                affected.setdefault(spec, []).append(path)
        return affected


def compare_output(plan: OutputPlan) -> OutputDiff:
    """Return the differences that `plan` would remove."""
    then, now, output = plan.existing.manifest, plan.manifest, plan.project.output
    known = parse_manifest(plan.existing.text or "") is not None
    changes = [replace(change, path=f"{output}/{change.path}") for change in plan.changes]
    origins = {f"{output}/{p}": o.spec for m in (then, now) for p, o in m.outputs.items() if o.spec}
    own = _manifest_change(plan, known)
    if own and (not changes or own.kind is not ChangeKind.CHANGED):
        changes.append(own)
    return OutputDiff(
        changes=tuple(changes),
        origins={change.path: origins[change.path] for change in changes if change.path in origins},
        specs=_changed_specs(then.inputs, now.inputs) if known else {},
        uses=plan.shared_files,
        toolchain={
            name: (then.toolchain.get(name, "none"), now.toolchain.get(name, "none"))
            for name in sorted(then.toolchain.keys() | now.toolchain.keys())
            if known and then.toolchain.get(name) != now.toolchain.get(name)
        },
    )


def _manifest_change(plan: OutputPlan, known: bool) -> Change | None:
    """Return the change of the manifest itself, apart from versions of the toolchain."""
    text, then, now = plan.existing.text, plan.existing.manifest, plan.manifest
    expected = replace(now, toolchain=then.toolchain)
    # built-in templates come with toolgen: others are no change of the project
    if then.toolchain.get("toolgen") != now.toolchain.get("toolgen"):
        expected = replace(expected, templates=then.templates)
    is_ours = known or bool(then.outputs)
    kind = ChangeKind.MISSING if text is None else ChangeKind.CHANGED if is_ours else ChangeKind.EDITED
    path, after = f"{plan.project.output}/{NAME}", manifest_text(expected if known else now)
    return None if with_lf(text or "") == after else Change(kind, path, text, after)


def _changed_specs(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    return {
        path: "added" if path not in then else "removed" if path not in now else "edited"
        for path in sorted(then.keys() | now.keys())
        if then.get(path) != now.get(path)
    }
