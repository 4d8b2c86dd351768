"""The package of a client and its lock: as they should be, as they are, and how they are written."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from toolgen.base.suggestions import quoted
from toolgen.changes.comparing.lock import NAME
from toolgen.compile.output_changes import digest, find_changes
from toolgen.compile.pipeline import CompiledClient, compile_client
from toolgen.language.changes import Change, ChangeKind, Manifest
from toolgen.language.identifiers import not_importable
from toolgen.project import Project, UnableError, read_text
from toolgen.project.building.project_build import manifest_of
from toolgen.project.inputs.target_templates import load_client_templates
from toolgen.project.output.folder import read_output, refuse_foreign, write
from toolgen.project.output.manifest import manifest_text
from toolgen.sources.loading.source_content import source_errors
from toolgen.upstream.consumers.definitions import ClientDefinitions
from toolgen.upstream.consumers.lock import MAX_LOCK, TYPESCRIPT, ClientLock, read_client_lock, settings_of
from toolgen.upstream.consumers.usage import find_uses


@dataclass(frozen=True, slots=True)
class ClientPlan:
    """A client as it should be, and how the files on disk differ from that."""

    folder: Path  # of the package and its lock
    lock: ClientLock
    compiled: CompiledClient
    changes: tuple[Change, ...]  # of the package; paths are relative to it
    lock_change: Change | None
    manifest: Manifest
    notes: Sequence[str]

    @property
    def all_changes(self) -> tuple[Change, ...]:
        """Return the changes with paths relative to the folder."""
        own = tuple(replace(each, path=f"{self.lock.package}/{each.path}") for each in self.changes)
        return own if self.lock_change is None else (*own, self.lock_change)


def plan_client(definitions: ClientDefinitions, lock: ClientLock, folder: Path) -> ClientPlan:
    """Return the plan of a client; `lock` says what it is called, and where its source is.

    Raises UnableError, or SpecErrors for specs that are not valid.
    """
    if lock.package.startswith("_") or "." in lock.package or not_importable(lock.package) is not None:
        message = f"--package {quoted(lock.package)} is not a name that Python can import"
        raise UnableError("usage", message, "for example --package shop")
    if lock.uses_in and lock.language == TYPESCRIPT:
        raise UnableError("usage", "--uses reads Python, and the client is in TypeScript")
    settings = replace(definitions.settings, package=lock.package)
    texts = {path: text.encode("utf-8", "surrogateescape") for path, text in definitions.specs.items()}
    templates = load_client_templates()
    compiled = compile_client(
        texts,
        templates,
        settings,
        definitions.server.name,
        is_typescript=lock.language == TYPESCRIPT,
        uses_of=partial(find_uses, folder, lock.uses_in, package=lock.package) if lock.uses_in else None,
    )
    listing = definitions.server
    if definitions.is_folder:
        listing = replace(listing, tools=compiled.listed)
    found = {
        "listing": listing,
        "specs": dict(sorted(definitions.specs.items())) if definitions.is_folder else {},
        "settings": settings_of(settings) if definitions.is_folder else {},
        "uses": compiled.uses if lock.uses_in else lock.uses,
    }
    lock = lock.model_copy(update=found)
    project = Project(folder, "", "", output=lock.package)
    existing = read_output(project, compiled.files)
    changes = find_changes(compiled.files, existing.files, existing.manifest)
    refuse_foreign(project, changes, existing.manifest)
    digests = {path: digest(text) for path, text in texts.items()}
    manifest = manifest_of(settings, [templates.target], digests, compiled.files)
    return ClientPlan(
        folder, lock, compiled, changes, _lock_change(folder, lock.as_text()), manifest, definitions.notes
    )


def write_client(plan: ClientPlan) -> None:
    """Write the package and its lock: both, or neither."""
    project = Project(plan.folder, "", "", output=plan.lock.package)
    lock = {} if plan.lock_change is None else {NAME: plan.lock.as_text()}
    write(project, plan.changes, manifest_text(plan.manifest), beside=lock)


def read_existing_lock(folder: Path, shown: str) -> ClientLock | None:
    """Return the lock in a folder; None if there is none. Raises UnableError."""
    text = _lock_text(folder)
    if text is None:
        return None
    with source_errors():
        return read_client_lock(text.encode("utf-8", "surrogateescape"), posixpath.join(shown, NAME))


def _lock_text(folder: Path) -> str | None:
    return read_text(folder, NAME, limit=MAX_LOCK) if folder.is_dir() else None


def _lock_change(folder: Path, expected: str) -> Change | None:
    text = _lock_text(folder)
    if text == expected:
        return None
    return Change(ChangeKind.MISSING if text is None else ChangeKind.CHANGED, NAME, text, expected)
