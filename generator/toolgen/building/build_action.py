"""One action of a build system: `generate --spec` and `--index`.

An action reads and writes declared files only: it uses no configuration, no version control, no network and
no PATH, and no cache except the one that it is given.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from toolgen.building.project_build import manifest_of
from toolgen.compile.output_changes import digest
from toolgen.data.diagnostic import Diagnostic, SpecErrors
from toolgen.data.package import PackageSettings
from toolgen.data.target import Target
from toolgen.pipeline import compile_specs, link
from toolgen.project import Cache, Project, UnableError, generator_id, load_targets
from toolgen.project.build_actions.declared_files import (
    dependencies,
    files_below,
    path_below,
    read_closure,
    write_declared,
)
from toolgen.project.build_actions.pieces import (
    Piece,
    files_of_manifest,
    files_of_piece,
    merged_manifest,
    piece_text,
    read_pieces,
    refuse_differing,
    refuse_missing,
)
from toolgen.project.output.manifest import NAME, manifest_text
from toolgen.targets.documents import DOCUMENTS

_NOWHERE = "the command line"


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The files that an action writes, and the inputs that it read."""

    generated: Mapping[str, str]  # path below the output folder → text
    written_before: Container[str]  # paths below it that an earlier run of this action wrote
    inputs: Sequence[str]  # as the command line names them
    texts: Mapping[str, str]  # file of a diagnostic → text
    other_files: Mapping[str, str] = field(default_factory=dict)  # path → text
    warnings: Sequence[Diagnostic] = ()


def compile_spec(
    spec: str,
    include_root: str,
    settings: PackageSettings,
    *,
    target_names: Sequence[str] | None,
    templates: str | None,
    cache_folder: str | None,
    piece: str,
) -> ActionResult:
    """Return the files of one tool, and its piece for `link_index`. Raises `SpecErrors` and `UnableError`."""
    targets = targets_of(target_names, templates)
    path = path_below(spec, include_root)
    closure = read_closure(path, include_root)
    shown = {
        f"{settings.specs}/{name}": text.decode("utf-8", "replace") for name, text in closure.texts.items()
    }
    cache: MutableMapping[str, bytes] = (
        {} if cache_folder is None else Cache(Path(cache_folder) / generator_id())
    )
    with errors_in(shown):
        compiled = compile_specs(closure.texts, targets, settings, cache, needs_tools=False, wanted=[path])[
            path
        ]
    digests = {name: digest(text) for name, text in closure.texts.items()}
    manifest = manifest_of(settings, targets, digests, compiled.files)
    found = Piece(settings, tuple(target.name for target in targets), manifest, path, compiled)
    return ActionResult(
        generated=compiled.files,
        written_before=files_of_piece(piece),
        inputs=closure.read,
        texts=shown,
        other_files={piece: piece_text(found)},
        warnings=compiled.warnings,
    )


def link_index(words: Sequence[str], out: str, templates: str | None) -> ActionResult:
    """Return the files that all tools share, from the pieces of all specs; `words` may have @FILE."""
    pieces = read_pieces(words)
    first = next(iter(pieces.values()))
    targets = targets_of(first.targets, templates)
    refuse_differing(pieces, manifest_of(first.settings, targets, {}, {}))
    compiled = {piece.spec_path: piece.compiled for piece in pieces.values()}
    texts = {spec.source.file: spec.source.text for spec in compiled.values()}
    with errors_in(texts):
        package = link(compiled, targets, first.settings, {})
    manifest = merged_manifest(pieces.values(), manifest_of(first.settings, targets, {}, package.index))
    refuse_missing(pieces)
    return ActionResult(
        generated={**package.index, NAME: manifest_text(manifest)},
        written_before={NAME, *files_of_manifest(os.path.join(out, NAME))},
        inputs=[*pieces, *(word[1:] for word in words if word.startswith("@"))],
        texts=texts,
        warnings=package.joint_warnings,
    )


def write_action(result: ActionResult, out: str, templates: str | None, depfile: str | None) -> None:
    """Write the files of an action to the folder `out`, and a dependency file for Make or Ninja."""
    others = dict(result.other_files)
    inputs = [*result.inputs, *(files_below(templates) if templates else ())]
    if depfile:
        generated = (os.path.join(out, path) for path in result.generated)
        others[depfile] = dependencies((*generated, *others), inputs)
    write_declared(out, result.generated, others, own=result.written_before, inputs=inputs)


@contextmanager
def errors_in(texts: Mapping[str, bytes | str]) -> Iterator[None]:
    """Give errors the texts of their files, which are not looked up in a project."""
    try:
        yield
    except SpecErrors as errors:
        raise SpecErrors(errors.diagnostics, texts) from None


def targets_of(names: Sequence[str] | None, templates: str | None) -> tuple[Target, ...]:
    """Return the base target and the named ones, or all. Raises `UnableError` for an unknown target."""
    every = load_targets(Project(Path(), _NOWHERE, "", templates=templates), is_declared=True)
    base, *others = every
    known = [target.name for target in others]
    wanted = known if names is None else [name for name in names if name != base.name]
    for name in wanted:
        if name in DOCUMENTS and name not in known:
            message = f"build actions do not write the documents of '{name}', which describe a whole project"
            hint = f"name '{name}' in `targets` of a configuration, and run `toolgen generate` there"
            raise UnableError("usage", message, hint)
        if name not in known:
            raise UnableError("usage", f"there is no target {name!r}", f"there are {', '.join(known)}")
    found = {target.name: target for target in others}
    return (base, *(found[name] for name in dict.fromkeys(wanted)))
