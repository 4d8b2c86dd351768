"""A project as a commit has it: its configuration, its specs and the targets of its own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from toolgen.base import MIB
from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.targets.definition import Target
from toolgen.project import UnableError
from toolgen.project.files.git import EntryKind, GitRepository, TreeEntry
from toolgen.project.inputs.configuration import (
    FILE,
    PYPROJECT,
    TABLE,
    Project,
    find_table,
    make_project,
)
from toolgen.project.inputs.specs import SUFFIXES, UnreadableSpecError, check_name, too_large
from toolgen.project.inputs.target_templates import SETTINGS, targets_of
from toolgen.schema.budget import BUDGET

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_MAX_CONFIGURATION = MIB  # bytes


@dataclass(frozen=True, slots=True)
class Revision:
    """A project at a commit."""

    project: Project
    prefix: str  # of the paths of its specs in messages: "main:tools/specs/"
    specs: Mapping[str, bytes]  # posix path below the specs folder → content
    targets: tuple[Target, ...]
    # "main:tools/", the folder of its configuration; None: it is a folder of specs
    configured_in: str | None = None


@dataclass(frozen=True, slots=True)
class CommitName:
    """A commit, and what the user calls it."""

    oid: str
    label: str


def read_revision(repository: GitRepository, commit: CommitName, project: Project) -> Revision:
    """Return the project as `commit` has it.

    Its configuration there decides where its specs are.

    Raises:
        SpecErrors: the configuration is not valid, or a spec cannot be read.
        UnableError: the commit has no configuration or no spec, or a file is missing in this clone.
    """
    top = repository.top
    here = project.root.relative_to(top).as_posix() if project.root.is_relative_to(top) else "."
    found = _CommitReader(repository, commit).read_project(project.root, "" if here == "." else f"{here}/")
    if found is None:
        message = f"{commit.label} has no {FILE}, and no [{TABLE}] in a {PYPROJECT}, for this project"
        hint = f"name the folder that it or its specs were in: `--against {commit.label}:PATH`"
        raise UnableError("no-configuration", message, hint)
    return found


def read_folder(repository: GitRepository, commit: CommitName, path: str, project: Project) -> Revision:
    """Return a folder of a commit: a project, or a folder of specs with the settings of `project`.

    Raises as `read_revision`.
    """
    reader = _CommitReader(repository, commit)
    folder = "" if path in ("", ".") else f"{path.rstrip('/')}/"
    found = reader.read_project(project.root, folder)
    plain = replace(project, templates=None, targets=None)
    return found or reader.read_specs(plain, folder, targets_of(plain, {}))


@dataclass(frozen=True, slots=True)
class _CommitReader:
    """Reads files of one commit. Paths of folders end with a slash; the top is empty."""

    repository: GitRepository
    commit: CommitName

    def read_project(self, root: Path, folder: str) -> Revision | None:
        """Return the project in `folder`; None if there is no configuration."""
        shown, shared = f"{self.commit.label}:{folder}", self._text(folder + PYPROJECT)
        try:
            table = find_table(self._text(folder + FILE), shared)
            if table is None:
                return None
            project = make_project(root, table, shared)
            targets = targets_of(project, self._own_targets(project, folder))
        except SpecErrors as errors:
            raise SpecErrors(_moved(errors.diagnostics, shown)) from None
        found = self.read_specs(project, _joined(folder, project.specs), targets)
        return replace(found, configured_in=shown)

    def read_specs(self, project: Project, folder: str, targets: tuple[Target, ...]) -> Revision:
        """Return the specs in `folder`."""
        prefix = f"{self.commit.label}:{folder}"
        found = {
            path: entry
            for path, entry in self._below(folder).items()
            if (path.endswith(SUFFIXES) or entry.kind is EntryKind.SUBMODULE)
            and not any(part.startswith(".") for part in path.split("/"))
        }
        if not found:
            hint = f"name the folder that they were in: `--against {self.commit.label}:PATH`"
            raise UnableError("no-specs", f"there is no spec in {prefix}", hint)
        readable = [each.oid for each in found.values() if _is_readable(each)]
        contents = dict(zip(readable, self.repository.read(readable), strict=True))
        specs: dict[str, bytes] = {}
        faults: list[Diagnostic] = []
        for path, entry in sorted(found.items()):
            try:
                check_name(path)
                specs[path] = _checked(entry, contents.get(entry.oid, b""))
            except UnreadableSpecError as fault:
                faults.append(fault.diagnostic(prefix + path))
        if faults:
            raise SpecErrors(faults)
        return Revision(project, prefix, specs, targets)

    def _below(self, folder: str) -> dict[str, TreeEntry]:
        """Return what is below `folder`, by paths relative to it."""
        found = self.repository.entries(self.commit.oid, folder.removesuffix("/"))
        return {path.removeprefix(folder): each for path, each in found.items() if path.startswith(folder)}

    def _own_targets(self, project: Project, folder: str) -> dict[str, dict[str, str]]:
        """Return the project's own targets with their settings, which decide what a spec may say of them."""
        if project.templates is None:
            return {}
        at = _joined(folder, project.templates)
        found = self._below(at)
        if not found:
            raise UnableError("no-templates", f"{self.commit.label} has no folder {at}")
        own: dict[str, dict[str, str]] = {}
        for path in found:
            name, slash, rest = path.partition("/")
            if slash and name[0] not in "_.":
                own.setdefault(name, {})
                if rest == SETTINGS:
                    own[name][rest] = self._text(at + path) or ""
        return own

    def _text(self, path: str) -> str | None:
        """Return the text of a small file; None if there is none."""
        found = self.repository.entries(self.commit.oid, path).get(path)
        if found is None or found.kind is not EntryKind.FILE:
            return None
        shown = f"{self.commit.label}:{path}"
        if found.size > _MAX_CONFIGURATION:
            raise UnableError("unreadable-configuration", f"{shown} has {found.size:,} bytes")
        try:
            return self.repository.read([found.oid])[0].decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise UnableError("unreadable-configuration", f"{shown} is not UTF-8 text") from None


def _joined(folder: str, path: str) -> str:
    """Return the path of a folder below another one."""
    joined = posixpath.normpath(folder + path)
    return "" if joined == "." else f"{joined}/"


def _is_readable(entry: TreeEntry) -> bool:
    return entry.kind is EntryKind.FILE and entry.size <= BUDGET.spec_bytes


def _checked(entry: TreeEntry, content: bytes) -> bytes:
    """Return the content of a spec. Raises `UnreadableSpecError`."""
    if _is_readable(entry) and not content.startswith(_LFS_POINTER):
        return content
    if entry.kind is EntryKind.FILE and not content:
        raise UnreadableSpecError("too-complex", too_large(entry.size))
    what = "pointer of Git LFS" if content else entry.kind.name.lower()
    message = f"this is a {what}, which is not followed in a commit"
    hint = "give a folder with a checkout of the commit, instead of a ref"
    raise UnreadableSpecError("unreadable-spec", message, hint)


def _moved(diagnostics: tuple[Diagnostic, ...], prefix: str) -> Iterator[Diagnostic]:
    """Yield the diagnostics with `prefix` before the files of their places."""
    for each in diagnostics:
        span = replace(each.span, file=prefix + each.span.file)
        notes = tuple(
            replace(note, span=replace(note.span, file=prefix + note.span.file)) for note in each.notes
        )
        yield replace(each, span=span, notes=notes)
