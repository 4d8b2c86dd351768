"""The versions of a project between two commits: its tags, and what differs from one to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from toolgen.changes.comparing.against import AtCommit, find_commit
from toolgen.changes.comparing.sides import Sides, compare_files, files_at, files_of
from toolgen.changes.comparison import compare
from toolgen.changes.finding import Finding
from toolgen.changes.policy import Policy
from toolgen.changes.policy_file import read_policy
from toolgen.language.diagnostic import SpecErrors
from toolgen.project import UnableError
from toolgen.project.building.project_build import read_inputs
from toolgen.project.files.git import GitRepository
from toolgen.project.inputs.revision import CommitName

_UNRELEASED = "Unreleased"


@dataclass(frozen=True, slots=True)
class Release:
    """The changes from one version to the next."""

    title: str  # tags, or what the user called the commit
    date: str  # of the commit, in UTC; empty for the work tree
    findings: tuple[Finding, ...]
    versions: Mapping[str, str]  # tool → "1.0.0 → 2.0.0", where it changed


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A version whose specs cannot be read."""

    title: str
    error: SpecErrors | UnableError


@dataclass(frozen=True, slots=True)
class _Version:
    title: str
    commit: str
    is_end: bool  # of the range


def read_releases(span: str, start: str, *, today: date) -> Iterator[Release | LeftOut]:
    """Yield what changed in each step of `A..B`, or of `A` up to the work tree.

    There is one step for each tag, oldest first. A tag between whose specs are not valid is left out. `today`
    decides about sunsets.

    Raises:
        SpecErrors: a version has a spec that is not valid.
        UnableError: a ref names no commit, or what it names cannot be read.
    """
    # entries of `breaking.toml` are about the present; in older versions they would match nothing
    policy = replace(read_policy(start), is_semver=False)
    inputs = read_inputs(start)
    first, dots, last = span.partition("..")
    if last.startswith("."):
        raise UnableError("usage", f"{span!r} is not a range", "write A..B, with two dots")
    old = find_commit(first, start)
    repository = old.repository
    end = find_commit(last or "HEAD", start) if dots else None
    before = files_at(old, inputs.project)
    for version in _versions(repository, old.commit, end):
        label = CommitName(version.commit, version.title)
        try:
            after = files_at(AtCommit(repository, label), inputs.project)
            sides = compare_files(before, after)
        except (SpecErrors, UnableError) as error:
            if version.is_end or not _is_about(error, version):
                raise
            yield LeftOut(version.title, error)
            continue
        yield _release(version.title, repository.date(version.commit), sides, policy, today)
        before = after
    if end is None:
        sides = compare_files(before, files_of(inputs))
        yield _release(_UNRELEASED, "", sides, policy, today)


def _release(title: str, day: str, sides: Sides, policy: Policy, today: date) -> Release:
    findings = compare(sides.old, sides.new, policy=policy, today=today)
    shown = tuple(each for each in findings if not each.code.startswith("acceptance-"))
    return Release(title, day, shown, _changed_versions(sides))


def _changed_versions(sides: Sides) -> dict[str, str]:
    """Return the tools whose version changed, with both."""
    old, new = sides.old.contracts, sides.new.contracts
    return {
        name: f"{old[name].spec.version or 'no version'} → {new[name].spec.version or 'no version'}"
        for name in sorted(old.keys() & new.keys())
        if old[name].spec.version != new[name].spec.version
    }


def _versions(repository: GitRepository, start: CommitName, end: AtCommit | None) -> Iterator[_Version]:
    """Yield the tagged commits after `start`, and then `end`, if it has no tag."""
    last = repository.commit("HEAD") if end is None else end.commit.oid
    if last is None:
        return
    tags = repository.tags()
    for commit in repository.history(start.oid, last):
        if commit in tags:
            yield _Version(", ".join(tags[commit]), commit, is_end=end is not None and commit == last)
    if end is not None and last not in tags:
        title = end.commit.label if end.commit.label != "HEAD" else _UNRELEASED
        yield _Version(title, last, is_end=True)


def _is_about(error: SpecErrors | UnableError, version: _Version) -> bool:
    """True if the error is about this version, and not about the one before."""
    if isinstance(error, UnableError):
        return error.code in ("no-specs", "no-configuration", "unreadable-configuration", "no-templates")
    return all(each.span.file.startswith(f"{version.title}:") for each in error.diagnostics)
