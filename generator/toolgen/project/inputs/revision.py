"""A project as a commit has it: its configuration, its specs and the targets of its own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from toolgen.language.diagnostic import Diagnostic, SpecErrors
from toolgen.language.target import Target
from toolgen.project.errors import UnableError
from toolgen.project.files.git import EntryKind, GitRepository, MissingObjectError, TreeEntry
from toolgen.project.inputs.configuration import (
    FILE,
    PYPROJECT,
    TABLE,
    Project,
    Table,
    find_table,
    make_project,
)
from toolgen.project.inputs.specs import SUFFIXES, UnreadableSpecError, check_name, too_large
from toolgen.project.inputs.target_templates import SETTINGS, targets_of
from toolgen.schema.limits import BUDGET

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"
_MAX_SPECS = 100_000
_MAX_CONFIGURATION = 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Revision:
    """A project at a commit."""

    project: Project
    prefix: str  # of the paths of its specs in messages: "main:tools/specs/"
    specs: Mapping[str, bytes]  # posix path below the specs folder → content
    targets: tuple[Target, ...]
    configured_in: str | None = (
        None  # "main:tools/", the folder of its configuration; None: it is a folder of specs
    )


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
    reader = _CommitReader(repository, commit)
    top = repository.top
    here = project.root.relative_to(top).as_posix() if project.root.is_relative_to(top) else "."
    folder = "" if here == "." else f"{here}/"
    if reader.table(folder) is None:
        message = f"{commit.label} has no {FILE}, and no [{TABLE}] in a {PYPROJECT}, for this project"
        hint = f"name the folder that it or its specs were in: `--against {commit.label}:PATH`"
        raise UnableError("no-configuration", message, hint)
    return reader.read_project(project.root, folder)


def read_folder(repository: GitRepository, commit: CommitName, path: str, project: Project) -> Revision:
    """Return a folder of a commit: a project, or a folder of specs with the settings of `project`.

    Raises as `read_revision`.
    """
    reader = _CommitReader(repository, commit)
    folder = "" if path in ("", ".") else f"{path.rstrip('/')}/"
    if reader.table(folder) is not None:
        return reader.read_project(project.root, folder)
    return reader.read_specs(replace(project, templates=None, targets=None), folder.rstrip("/"))


@dataclass(frozen=True, slots=True)
class _CommitReader:
    """Reads files of one commit."""

    repository: GitRepository
    commit: CommitName

    def table(self, folder: str) -> Table | None:
        """Return the settings in `folder`; None if it configures no project."""
        try:
            return find_table(self._text(folder + FILE), self._text(folder + PYPROJECT))
        except SpecErrors as errors:
            raise SpecErrors(_moved(errors.diagnostics, self._shown(folder))) from None

    def read_project(self, root: Path, folder: str) -> Revision:
        """Return the project in `folder`, which has a configuration."""
        table = self.table(folder)
        if table is None:
            raise UnableError("no-configuration", f"{self._shown(folder)} configures no project")
        try:
            project = make_project(root, table, self._text(folder + PYPROJECT))
            targets = targets_of(project, self._own_targets(project, folder))
        except SpecErrors as errors:
            raise SpecErrors(_moved(errors.diagnostics, self._shown(folder))) from None
        found = self.read_specs(project, posixpath.normpath(folder + project.specs))
        return replace(found, targets=targets, configured_in=self._shown(folder))

    def read_specs(self, project: Project, folder: str) -> Revision:
        """Return the specs in `folder`, with the built-in targets."""
        prefix = self._shown(folder).removesuffix(".")
        prefix += "" if prefix.endswith(":") else "/"
        found = None if folder == "." else self.repository.find(self.commit.oid, folder)
        if folder != "." and (found is None or found.kind is not EntryKind.FOLDER):
            hint = f"name the folder that they were in: `--against {self.commit.label}:PATH`"
            raise UnableError("no-specs", f"{self.commit.label} has no folder of specs {folder}", hint)
        specs: dict[str, bytes] = {}
        faults: list[Diagnostic] = []
        for entry in self._entries(self.commit.oid if found is None else found.oid):
            try:
                specs[entry.path] = self._content(entry)
            except UnreadableSpecError as fault:
                faults.append(fault.diagnostic(prefix + entry.path))
        if faults:
            raise SpecErrors(faults)
        if not specs:
            raise UnableError("no-specs", f"there is no spec in {prefix.rstrip('/')}")
        return Revision(project, prefix, dict(sorted(specs.items())), targets_of(project, {}))

    def _shown(self, path: str) -> str:
        return f"{self.commit.label}:{path}"

    def _entries(self, tree: str) -> list[TreeEntry]:
        try:
            found = [
                entry
                for entry in self.repository.entries(tree)
                if (entry.path.endswith(SUFFIXES) or entry.kind is EntryKind.SUBMODULE)
                and not any(part.startswith(".") for part in entry.path.split("/"))
            ]
        except MissingObjectError as error:
            raise self._missing(error) from None
        if len(found) > _MAX_SPECS:
            message = f"{self.commit.label} has more than {_MAX_SPECS:,} specs"
            raise UnableError("cannot-compare", message, "compare a part: give a folder, REF:PATH")
        return found

    def _content(self, entry: TreeEntry) -> bytes:
        """Return the content of a spec."""
        if entry.kind is not EntryKind.FILE:
            raise UnreadableSpecError(
                "unreadable-spec",
                f"this is a {entry.kind.name.lower()}, which is not followed in a commit",
                "give a folder with a checkout of the commit, instead of a ref",
            )
        check_name(entry.path)
        try:
            if entry.size > BUDGET.spec_bytes:
                raise UnreadableSpecError("too-complex", too_large(entry.size))
            content = self.repository.read(entry.oid)
        except MissingObjectError as error:
            raise self._missing(error) from None
        if content.startswith(_LFS_POINTER):
            raise UnreadableSpecError(
                "unreadable-spec",
                "this is a pointer of Git LFS, whose content is not in the repository",
                "give a folder with a checkout of the commit, instead of a ref",
            )
        return content

    def _own_targets(self, project: Project, folder: str) -> dict[str, dict[str, str]]:
        """Return the project's own targets with their settings, which decide what a spec may say of them."""
        if project.templates is None:
            return {}
        at = posixpath.normpath(folder + project.templates)
        found = self.repository.find(self.commit.oid, at)
        if found is None or found.kind is not EntryKind.FOLDER:
            raise UnableError("no-templates", f"{self.commit.label} has no folder {at}")
        own: dict[str, dict[str, str]] = {}
        for entry in self.repository.entries(found.oid):
            name, slash, rest = entry.path.partition("/")
            if slash and name[0] not in "_.":
                own.setdefault(name, {})
                if rest == SETTINGS:
                    own[name][rest] = self._text(f"{at}/{entry.path}") or ""
        return own

    def _text(self, path: str) -> str | None:
        """Return the text of a small file; None if there is none."""
        found = self.repository.find(self.commit.oid, path)
        if found is None or found.kind is not EntryKind.FILE:
            return None
        if found.size > _MAX_CONFIGURATION:
            raise UnableError("unreadable-configuration", f"{self._shown(path)} has {found.size:,} bytes")
        try:
            return self.repository.read(found.oid).decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            raise UnableError("unreadable-configuration", f"{self._shown(path)} is not UTF-8 text") from None
        except MissingObjectError as error:
            raise self._missing(error) from None

    def _missing(self, error: MissingObjectError) -> UnableError:
        message = f"this clone lacks files of {self.commit.label}: {error}"
        return UnableError("cannot-compare", message, "run `git fetch --refetch --no-filter`")


def _moved(diagnostics: tuple[Diagnostic, ...], prefix: str) -> Iterator[Diagnostic]:
    """Yield the diagnostics with `prefix` before the files of their places."""
    for each in diagnostics:
        span = replace(each.span, file=prefix + each.span.file)
        notes = tuple(
            replace(note, span=replace(note.span, file=prefix + note.span.file)) for note in each.notes
        )
        yield replace(each, span=span, notes=notes)
